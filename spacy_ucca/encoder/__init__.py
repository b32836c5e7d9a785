"""A pretrained transformer of the BERT family in NumPy: its pieces, its weights, its layers, and the Thinc layer over Docs.

Not here: what learns on top of it (`spacy_ucca.model`), and encoders that begin at random (`parser.encoder`).
"""
