"""What lives on spaCy's Doc, Span and Token: `._.ucca`, languages, sentences, dependency trees of graphs, spaCy's scorer.

Not here: the fields of the JSON that is stored (`graph.record`), training data (`training`), components.
"""
