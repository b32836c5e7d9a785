"""What `ucca_parser` is made of: settings and their defaults, labels, targets, search, decoding, calibration, encoders.

Not here: the component itself (`spacy_ucca.component`), its model (`spacy_ucca.model`), the losses of its
scorers (`layers`), its transitions (`transitions`).
"""
