"""What `ucca_parser` is made of: settings and their defaults, labels, targets, search, decoding, calibration, encoders.

Not here: the component itself with its losses (`spacy_ucca.component`), its model (`spacy_ucca.model`), its transitions (`transitions`).
"""
