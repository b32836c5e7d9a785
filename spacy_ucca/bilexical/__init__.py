"""Directed acyclic graphs between words: parsing text to them, on `doc._.sdp`, and multi-headed dependencies from Link
Grammar (`link*.py`, `directions.py`).

The graph itself is `conversion/graph.py`'s; files of such graphs are in `formats`.
"""
