"""Directed acyclic graphs between words: semantic dependencies, and multi-headed dependencies from Link Grammar.

The graph itself is `conversion/graph.py`'s; files of such graphs are in `formats`.
"""
