"""Several graphs of one text, of whatever parsers, made one by a vote on their units and edges."""

from .count import MAJORITY, Thresholds, vote

__all__ = ["MAJORITY", "Thresholds", "vote"]
