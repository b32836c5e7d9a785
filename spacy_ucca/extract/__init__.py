"""Answers from graphs: who did what to whom."""

from .linkers import Link
from .predications import Argument, Predication, Predications, predications

__all__ = ["Argument", "Link", "Predication", "Predications", "predications"]
