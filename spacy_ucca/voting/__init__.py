"""Several graphs of one text, of whatever parsers, made one by a vote on their edges."""

from .count import DEFAULT, MAJORITY, Thresholds, check_weights, vote

__all__ = ["DEFAULT", "MAJORITY", "Thresholds", "check_weights", "vote"]
