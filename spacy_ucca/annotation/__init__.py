"""Annotate with the help of a parser: choose the sentences that teach most, mark what is in doubt, and see what was
corrected.
"""
