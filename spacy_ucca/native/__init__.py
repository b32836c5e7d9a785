"""What runs for every state of a parse, compiled by Cython where that is possible, else the same sources as Python.

`columns` declares what the networks read of a state; `rows` writes it; `load` chooses between compiled and plain. Not here:
anything that runs once a batch, and transition systems (`transitions`).
"""
