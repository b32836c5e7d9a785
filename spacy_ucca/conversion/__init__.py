"""UCCA graphs as bilexical graphs and as constituency trees, and back.

Not here: the files these come in (`formats`), components that parse by conversion (`by_conversion`).
"""
