"""Rows of numbers that the networks read: of states, of units and of pairs of units.

Not here: what is read of a state, node by node (`native.columns`), and the layers that read rows (`layers`).
"""
