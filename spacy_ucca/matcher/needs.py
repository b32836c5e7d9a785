"""What patterns ask of words that components set: lemmas, tags, dependencies. A Doc without them is an error, not one without
matches."""

from collections.abc import Collection, Iterable
from typing import Any

from spacy.tokens import Doc

from ..errors import Errors, UccaError
from .pattern import Pattern, token_patterns

# What sets each attribute. spaCy's `Matcher` refuses Docs without these, except for entities.
COMPONENTS = {
    "LEMMA": "lemmatizer",
    "POS": "morphologizer",
    "TAG": "tagger",
    "MORPH": "morphologizer",
    "DEP": "parser",
    "ENT_TYPE": "ner",
}


class MissingAttributes(UccaError):
    """A Doc lacks what a pattern asks for.

    names (Iterable[str]): The attributes, such as "LEMMA".
    """

    def __init__(self, names: Iterable[str]) -> None:
        self.attributes = sorted(names)
        self.names = " and ".join(self.attributes)
        components = sorted({COMPONENTS[name] for name in self.attributes})
        self.components = " and ".join(f"'{name}'" for name in components)
        super().__init__(Errors.UC586.format(names=self.names, components=self.components))

    def __reduce__(self) -> Any:
        return type(self), (self.attributes,)


def needed_attributes(pattern: Pattern) -> frozenset[str]:
    """RETURNS (FrozenSet[str]): The attributes of `COMPONENTS` that a pattern asks for."""
    tokens = (token for _, _, tokens in token_patterns(pattern) for token in tokens)
    return frozenset(str(key).upper() for token in tokens for key in token) & COMPONENTS.keys()


def require_attributes(doc: Doc, names: Collection[str]) -> None:
    """RAISES (MissingAttributes): If a Doc has words, and none of them has one of these attributes."""
    missing = [name for name in names if not doc.has_annotation(name)]
    if "ENT_TYPE" in missing and doc.has_annotation("ENT_IOB"):  # no entity in this Doc
        missing.remove("ENT_TYPE")
    if missing and any(not token.is_space for token in doc):
        raise MissingAttributes(missing)
