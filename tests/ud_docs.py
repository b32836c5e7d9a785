"""Docs in four languages written by hand: a graph in brackets and a tree with features of Universal Dependencies, without tags and
lemmas, as a pipeline for any language has them."""

import spacy
from spacy.tokens import Doc

from spacy_ucca.extract import predications
from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.graph import Graph

VOCABS = {lang: spacy.blank(lang).vocab for lang in ("de", "es", "fr", "ru")}


def ud_doc(lang: str, text: str, tree: str) -> Doc:
    """RETURNS (Doc): With the graph in brackets. `tree` has "POS/head/relation" of each token, and features after another slash."""
    graph = Graph.join(read_brackets(text))
    rows = [row.split("/") for row in tree.split()]
    doc = Doc(
        VOCABS[lang],
        words=list(graph.words),
        pos=[row[0] for row in rows],
        heads=[int(row[1]) for row in rows],
        deps=[row[2] for row in rows],
        morphs=[row[3] if row[3:] else "" for row in rows],
    )
    doc._.ucca = graph
    return doc


def said(doc: Doc) -> list[str]:
    """RETURNS (List[str]): For each clause its head, subject, object and polarity; and, if there are some, the word that denies it,
    modal verbs, times, places and conditions."""
    found = []
    for p in predications(doc, clauses=True):
        roles = [a.text if a else "-" for a in (p.subject, p.object)]
        texts = {
            "not": [p.negation] if p.negation else [],
            "can": p.modality,
            "when": p.times,
            "where": p.places,
            "if": p.conditions,
        }
        more = [f"{key} {each.text}" for key, parts in texts.items() for each in parts]
        found.append(" | ".join([p.head.text, *roles, p.polarity, *more]))
    return found
