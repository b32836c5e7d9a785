"""The language of a Doc, `Doc._.ucca_lang`."""

from spacy.tokens import Doc

from .storage import read_entries, write_entry

LANG = "ucca_lang"


def get_lang(doc: Doc) -> str:
    """Get the language of a Doc, as `doc._.ucca_lang` does.

    doc (Doc): The Doc.
    RETURNS (str): The code of its language: what was set or guessed, otherwise that of its vocabulary, which is "xx" where a
        pipeline is for any.
    """
    return known_lang(doc) or doc.vocab.lang


def known_lang(doc: Doc) -> str:
    """RETURNS (str): The language that was set or guessed; "" if none was, or the Doc was joined of several in different ones."""
    names = {name for _, name in read_entries(doc, LANG)}
    return names.pop() if len(names) == 1 else ""


def named_lang(doc: Doc) -> str:
    """RETURNS (str): The language that the graph of a Doc names: what was set or guessed, otherwise that of its vocabulary; "" for any
    language, and for English, which most pipelines are for."""
    own = doc.vocab.lang
    return known_lang(doc) or ("" if own in ("xx", "en") else own)


def set_lang(doc: Doc, lang: str) -> None:
    """Say which language a Doc is in, as `doc._.ucca_lang = "fr"` does. Its tokens stay.

    doc (Doc): The Doc.
    lang (str): The code of the language, as spaCy's; "" to take it away.
    """
    write_entry(doc, LANG, str(lang) if lang else None)
