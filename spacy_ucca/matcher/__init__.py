"""Patterns over graphs, in the manner of spaCy's `DependencyMatcher`: `UccaMatcher`, and `parse_pattern` for their text form.

Not here: what a Scene is or says (`graph`, `extract`). The command `spacy-ucca find` is in `cli`.
"""

from .matcher import UccaMatcher
from .text import parse_pattern

__all__ = ["UccaMatcher", "parse_pattern"]
