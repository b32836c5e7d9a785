"""Signs that a Doc is not like those that a parser has learned from: unknown tags or dependencies, another language."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from spacy.attrs import DEP, IS_ALPHA, IS_STOP, TAG  # type: ignore[attr-defined]
from spacy.tokens import Doc
from spacy.util import get_lang_class

from ..errors import Warnings

__all__ = ["find_unfamiliar", "find_unknown", "looks_foreign"]

# Attributes whose values are looked up, what they are called, and the component that sets them
VALUES = {TAG: ("tags", "`tagger`"), DEP: ("dependencies", "`parser`")}
# Unknown values of a Doc: fewer tokens are chance.
MIN_UNKNOWN = 3
MIN_UNKNOWN_SHARE = 0.1
# Fewer stop words are another language or no sentences. On Universal Dependencies in English, French and German, five
# sentences a Doc: 0.3 % of English Docs are below, no German and French ones, and 95 to 100 % of those in another language.
MAX_STOP_SHARE = 0.15
MIN_WORDS = 20
ANY_LANGUAGE = ("", "xx")


def find_unfamiliar(
    docs: Sequence[Doc],
    known: Mapping[int, frozenset[int]],
    name: str,
    lang: str,
    warned: set[str],
) -> Iterator[str]:
    """Find what a parser has to warn of.

    docs (Sequence[Doc]): The Docs.
    known (Mapping[int, FrozenSet[int]]): By attribute, `TAG` and `DEP`, all values that the parser knows, as
        in `doc.to_array`. Without any, none is unknown.
    name (str): The name of the component.
    lang (str): The language of the parser.
    warned (Set[str]): What it has warned of before; added to.
    YIELDS (str): The messages.
    """
    for attr, (what, remedy) in VALUES.items():
        ids = known.get(attr)
        if not ids or what in warned:
            continue
        for doc in docs:
            if values := find_unknown(doc, attr, ids):
                warned.add(what)
                examples = ", ".join(values[:5])
                yield Warnings.UW304.format(name=name, what=what, values=examples, remedy=remedy)
                break
    if "language" not in warned:
        for doc in docs:
            if looks_foreign(doc, lang):
                warned.add("language")
                yield Warnings.UW305.format(name=name, lang=lang, text=doc[:8].text)
                break


def find_unknown(doc: Doc, attr: int, known: frozenset[int]) -> list[str]:
    """Find values of an attribute that a parser does not know.

    doc (Doc): The Doc.
    attr (int): The attribute.
    known (FrozenSet[int]): All known values, as in `doc.to_array`.
    RETURNS (List[str]): The unknown values, sorted, if more than a few tokens have such; otherwise none.
    """
    values = doc.to_array(attr).tolist()
    if known.issuperset(values):  # the common case, made fast
        return []
    unknown = [i for i, value in enumerate(values) if value and value not in known]
    enough = max(MIN_UNKNOWN, MIN_UNKNOWN_SHARE * len(values))
    if len(unknown) < enough:
        return []
    unknown = [i for i in unknown if not doc[i].is_space]
    if len(unknown) < enough:
        return []
    return sorted({doc.vocab.strings[values[i]] for i in unknown})


def looks_foreign(doc: Doc, lang: str) -> bool:
    """Decide whether a Doc is in another language than a parser.

    doc (Doc): The Doc.
    lang (str): The language of the parser.
    RETURNS (bool): Whether its vocabulary is of another language, or hardly any of its words is a stop word.
    """
    if lang in ANY_LANGUAGE or doc.vocab.lang in ANY_LANGUAGE:
        return False
    if doc.vocab.lang != lang:
        return True
    if len(doc) < MIN_WORDS or not _has_stop_words(lang):
        return False
    is_word, is_stop = doc.to_array([IS_ALPHA, IS_STOP]).T.astype("bool")
    n_words = int(is_word.sum())
    return n_words >= MIN_WORDS and int((is_word & is_stop).sum()) < MAX_STOP_SHARE * n_words


@lru_cache
def _has_stop_words(lang: str) -> bool:
    """RETURNS (bool): Whether spaCy has a list of stop words for a language."""
    try:
        return bool(get_lang_class(lang).Defaults.stop_words)
    except ImportError:
        return False
