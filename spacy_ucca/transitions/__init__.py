"""Transition systems and their oracles: `tree` (the default) and `tupa` (of the TUPA papers).

Not here: the interface that they implement (`spacy_ucca.transition`), the search over transitions (`parser`).
"""
