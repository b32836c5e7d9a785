"""Docs of one text, one after the other, as one Doc."""

from collections.abc import Sequence

from spacy.tokens import Doc

# What other components have set on the Docs is of no use in the answers, and joining it may warn.
LEFT_OUT = ["user_data", "spans", "tensor"]


def join_docs(docs: Sequence[Doc]) -> Doc:
    """Join Docs, with their tags, lemmas and dependencies, and without graphs: the caller has the graph of all.

    docs (Sequence[Doc]): At least one Doc.
    RETURNS (Doc): One Doc of all tokens.
    """
    joined = Doc.from_docs([*docs], exclude=LEFT_OUT)  # type: ignore[call-arg,unused-ignore]
    assert joined is not None  # only without Docs
    return joined
