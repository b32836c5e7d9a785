"""Docs with graphs written by hand, and with the tags and dependencies that a test gives."""

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence

from perturb import perturb
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.graph import Graph
from spacy_ucca.training.corpus import graph_to_doc

ODD_TEXTS = (
    "",
    " ",
    "\n\n \t",
    "!!!",
    "Run",
    "😀",
    "👩‍👩‍👧 😀.",
    "שלום עולם, הוא הלך הביתה.",
    "مرحبا بالعالم.",
)


def gold_and_random(
    gold: Mapping[str, Doc], sample: Iterable[Graph], vocab: Vocab
) -> Iterator[Doc]:
    """YIELDS (Doc): Gold Docs, and Docs with random changes of the graphs of the sample."""
    yield from gold.values()
    rng = random.Random(0)
    for graph in sample:
        bare = Graph(graph.words, graph.kinds, graph.edge_tuples, punct=graph.punct)
        yield graph_to_doc(perturb(bare, rng, 6), vocab)


def doc_of(text: str, vocab: Vocab, tree: Sequence[str] = ()) -> Doc:
    """RETURNS (Doc): With the graph in brackets. `tree` has "head relation tag" of each token, or also a lemma; the tag stands for
    the part of speech too."""
    graph = Graph.join(read_brackets(text))
    if not tree:
        return graph_to_doc(graph, vocab)
    rows = [row.split() for row in tree]
    words = list(graph.words)
    doc = Doc(
        vocab,
        words=words,
        spaces=[graph.punct[i + 1 : i + 2] != (True,) for i in range(len(words))],
        heads=[int(row[0]) for row in rows],
        deps=[row[1] for row in rows],
        tags=[row[2] for row in rows],
        pos=[_pos(row[2]) for row in rows],
        lemmas=[row[3] if row[3:] else word.lower() for row, word in zip(rows, words, strict=True)],
    )
    doc._.ucca = graph
    return doc


def _pos(tag: str) -> str:
    table = {"MD": "AUX", "IN": "ADP", "DT": "DET", "CC": "CCONJ", "RB": "ADV", "PRP": "PRON"}
    table |= {"NN": "NOUN", "NNS": "NOUN", "NNP": "PROPN", "JJ": "ADJ", "WP": "PRON", "WDT": "PRON"}
    return table.get(tag) or ("VERB" if tag.startswith("V") else "PUNCT")
