"""What `ucca_parser` is made of: labels, targets, loss, search, decoding, calibration, encoders, TUPA's models.

Not here: the component itself (`spacy_ucca.component`), its model (`spacy_ucca.model`), its transitions (`transitions`).
"""
