"""What runs for every state of a parse, compiled by Cython where that is possible, else the same sources as Python.

`load` chooses. Not here: anything that runs once a batch, and transition systems (`transitions`).
"""
