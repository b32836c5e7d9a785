"""What `ucca_parser` is made of: settings and their defaults, labels, targets, loss, search, decoding, calibration, encoders.

Not here: the component itself (`spacy_ucca.component`), its model (`spacy_ucca.model`), its transitions (`transitions`).
"""
