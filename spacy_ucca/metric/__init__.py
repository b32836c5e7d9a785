"""The official UCCA metric: normalization, counts of edges, scores, and comparisons of two graphs edge by edge.

Not here: scores as spaCy reports them (`tokens.scorer`), SDP's metric (`sdp_parser`).
"""
