"""Graphs and their texts: splitting into sentences, joining, moving graphs to other tokens, figures of corpora.

Not here: spaCy's Docs (`tokens`).
"""
