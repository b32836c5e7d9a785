"""Docs written by hand: a graph in brackets and a tree, so that no parser's mistakes matter."""

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import spacy
import srsly
from perturb import perturb
from spacy.language import Language
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.graph import Graph
from spacy_ucca.training.corpus import graph_to_doc

VOCAB = spacy.blank("en").vocab
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

# Sentences that the shipped pipeline parses in another way: what is asked for needs this graph and this tree.
_LINES = srsly.read_jsonl(Path(__file__).parent / "data" / "right.jsonl")
RIGHT = {line["text"]: line for line in _LINES}


def parse(nlp: Language, text: str) -> Doc:
    """RETURNS (Doc): Of the pipeline, or that of `RIGHT`."""
    if text not in RIGHT:
        return nlp(text)
    doc = Doc(nlp.vocab).from_json({k: v for k, v in RIGHT[text].items() if k != "graph"})
    (doc._.ucca,) = read_brackets(RIGHT[text]["graph"])
    return doc


def gold_and_random(
    gold: Mapping[str, Doc], sample: Iterable[Graph], vocab: Vocab
) -> Iterator[Doc]:
    """YIELDS (Doc): Gold Docs, and Docs with random changes of the graphs of the sample."""
    yield from gold.values()
    rng = random.Random(0)
    for graph in sample:
        bare = Graph(graph.words, graph.kinds, graph.edge_tuples, punct=graph.punct)
        yield graph_to_doc(perturb(bare, rng, 6), vocab)


def doc_of(text: str, vocab: Vocab = VOCAB, tree: Sequence[str] = ()) -> Doc:
    """RETURNS (Doc): With the graph in brackets. `tree` has "head relation tag" of each token, or also a lemma, and a part of speech
    too; without, the tag stands for it."""
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
        lemmas=[row[3] if row[3:] else word.lower() for row, word in zip(rows, words, strict=True)],
        pos=[row[4] if row[4:] else _pos(row[2]) for row in rows],
    )
    doc._.ucca = graph
    return doc


def make_doc(text: str, table: str = "") -> Doc:
    """RETURNS (Doc): The same of a table, a line a word: word, tag, part of speech, number of the head from 1 (0: the root), label,
    lemma."""
    rows = [line.split() for line in table.strip().splitlines()]
    tree = [
        f"{int(head) - 1 if head != '0' else i} {label} {tag} {lemma[0] if lemma else word.lower()} {pos}"
        for i, (word, tag, pos, head, label, *lemma) in enumerate(rows)
    ]
    doc = doc_of(text, tree=tree)
    assert not table or [row[0] for row in rows] == [token.text for token in doc]
    return doc


def _pos(tag: str) -> str:
    table = {"MD": "AUX", "IN": "ADP", "DT": "DET", "CC": "CCONJ", "RB": "ADV", "PRP": "PRON"}
    table |= {"NN": "NOUN", "NNS": "NOUN", "NNP": "PROPN", "JJ": "ADJ", "WP": "PRON", "WDT": "PRON"}
    return table.get(tag) or ("VERB" if tag.startswith("V") else "PUNCT")


PASSIVE = make_doc(
    "[H [A [E [F The] [S outer] [A* =c]] [C#c circle]] [F is] [P financed] [A [R by] [C Saudi Arabia]]] [U .]",
    """
    The DT DET 3 det
    outer JJ ADJ 3 amod
    circle NN NOUN 5 nsubj:pass
    is VBZ AUX 5 aux:pass be
    financed VBN VERB 0 ROOT finance
    by IN ADP 7 case
    Saudi NNP PROPN 5 obl:agent
    Arabia NNP PROPN 7 flat
    . . PUNCT 5 punct
    """,
)
DENIED = make_doc(
    "[H [T Yesterday] [A#j John] [F did] [D not] [D want] [F to] [P sell] [A [E [S|A his] [A* =c]] [E [S old] [A* =c]] [C#c car]] "
    "[A [R in] [C Paris]]] [L because] [H [A [A his] [S|A sister]] [P needed] [A it]] [U .]",
    """
    Yesterday NN NOUN 5 obl:unmarked
    John NNP PROPN 5 nsubj
    did VBD AUX 5 aux do
    not RB PART 5 advmod
    want VB VERB 0 ROOT
    to TO PART 7 mark
    sell VB VERB 5 xcomp
    his PRP$ PRON 10 nmod:poss
    old JJ ADJ 10 amod
    car NN NOUN 7 obj
    in IN ADP 12 case
    Paris NNP PROPN 7 obl
    because IN SCONJ 16 mark
    his PRP$ PRON 15 nmod:poss
    sister NN NOUN 16 nsubj
    needed VBD VERB 5 advcl need
    it PRP PRON 16 obj
    . . PUNCT 5 punct
    """,
)
RELATIVE = make_doc(
    "[H [A [F The] [C#m man] [E [R who] [A* =m] [P called] [A [A your] [S|A sister]]]] [P left]] [U .]",
    """
    The DT DET 2 det
    man NN NOUN 7 nsubj
    who WP PRON 4 nsubj
    called VBD VERB 2 acl:relcl call
    your PRP$ PRON 6 nmod:poss
    sister NN NOUN 4 obj
    left VBD VERB 0 ROOT leave
    . . PUNCT 7 punct
    """,
)
