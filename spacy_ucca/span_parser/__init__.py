"""`ucca_span_parser`: charts of spans, their labels, losses and decoding.

Not here: layers that score spans (`layers`), constituency trees (`conversion`).
"""
