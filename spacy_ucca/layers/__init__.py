"""Thinc layers, each with its gradient. They know arrays, not UCCA.

Not here: whole models (`spacy_ucca.model`, `parser`, `span_parser`, `sdp_parser`).
"""
