"""Bilexical semantic graphs: parsing text to labeled arcs between tokens, on `doc._.sdp`, and what surrounds that."""
