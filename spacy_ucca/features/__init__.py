"""What the networks read: rows of numbers for states, for units and for pairs of units.

Not here: the layers that read them (`layers`), the columns that are filled by compiled code (`native`).
"""
