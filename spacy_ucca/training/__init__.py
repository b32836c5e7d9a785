"""What training needs and parsing does not: corpus readers, conversion to `.spacy`, optimizers, finetuning, word vectors.

Not here: losses and targets (`parser`, `span_parser`, `sdp_parser`).
"""
