"""What lives on spaCy's Doc, Span and Token: `._.ucca`, sentences, dependency trees of graphs, spaCy's scorer.

Not here: training data (`training`), components (`spacy_ucca.component`).
"""
