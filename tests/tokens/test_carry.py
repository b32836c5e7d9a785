"""Graphs after Docs were joined, cut, or their tokens merged or split."""

import itertools
import random
import warnings
from collections.abc import Sequence

import pytest
import spacy
import srsly
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_ucca.errors import UccaError
from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.graph import Graph
from spacy_ucca.text.align import project
from spacy_ucca.text.subgraph import PassageIndex, SubgraphBuilder
from spacy_ucca.tokens.storage import find_key
from spacy_ucca.training.corpus import graph_to_doc

TEXTS = (
    "[H [A#1 John] [P moved] [A [R to] [C New] [C York]]] [L and] [H [A* =1] [P stayed]] [U .]",
    "[H [P Stop] [A IMPLICIT]] [U !]",
    "[H [A [F The] [C 🙂🙂]] [P ate] [A [E ế] [C سلام]]]",
)


@pytest.fixture(scope="module")
def graphs() -> list[Graph]:
    return [read_brackets(text)[0] for text in TEXTS]


def make_docs(graphs: Sequence[Graph]) -> list[Doc]:
    vocab = Vocab()
    return [graph_to_doc(graph, vocab) for graph in graphs]


def plain(graph: Graph) -> Graph:
    return graph.replace(details={}, scores={})


def words(doc: Doc) -> tuple[str, ...]:
    return tuple(token.text for token in doc)


@pytest.mark.parametrize("ensure_whitespace", [True, False])
def test_docs_are_joined(graphs: list[Graph], ensure_whitespace: bool) -> None:
    docs = make_docs(graphs)
    docs[0]._.ucca_guidelines = docs[1]._.ucca_guidelines = "v1"
    for doc in docs:
        doc._.ucca_punct = doc._.ucca.punct
    docs.insert(1, Doc(docs[0].vocab))
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # spaCy's would print the records
        joined = Doc.from_docs(docs, ensure_whitespace=ensure_whitespace)
    assert plain(joined._.ucca) == plain(Graph.join(graphs))
    assert joined._.ucca is joined._.ucca
    assert joined._.ucca_punct == Graph.join(graphs).punct
    assert Doc.from_docs(docs[:2])._.ucca_guidelines == "v1"
    again = Doc(joined.vocab).from_bytes(joined.to_bytes())
    assert plain(again._.ucca) == plain(joined._.ucca)
    joined._.ucca = None
    assert joined._.ucca is None


def test_docs_without_graphs_among_them(graphs: list[Graph]) -> None:
    docs = make_docs(graphs)
    bare = Doc(docs[0].vocab, words=["No", "graph", "."])
    for order in itertools.permutations([bare, docs[0], docs[1]]):
        joined = Doc.from_docs(list(order))
        graph, at = joined._.ucca, 0
        assert graph.words == words(joined) and joined._.ucca_punct is None
        for doc in order:
            own = range(at, at + len(doc))
            attached = {i for i in own if graph.unit_of(i) is not None}
            assert attached == (set() if doc is bare else set(own))
            at += len(doc)
        assert len(graph.roots) == 2


def test_every_part(graphs: list[Graph]) -> None:
    """Of one sentence, the part that `split_passage` of the `ucca` package cuts out."""
    for graph, doc in zip(graphs, make_docs(graphs)):
        doc._.ucca_punct = graph.punct
        for a, b in itertools.combinations(range(len(doc) + 1), 2):
            part = doc[a:b].as_doc(copy_user_data=True)
            expected = graph
            if b - a < len(doc):
                expected = SubgraphBuilder(PassageIndex(graph), a, b).build("")
            assert plain(part._.ucca) == plain(expected)
            assert part._.ucca_punct == graph.punct[a:b]
            once_more = part[:].as_doc(copy_user_data=True)
            assert once_more._.ucca == part._.ucca


def test_parts_of_joined_docs(graphs: list[Graph]) -> None:
    joined = Doc.from_docs(make_docs(graphs))
    whole = graph_to_doc(Graph.join(graphs), joined.vocab)
    at = 0
    for graph in graphs:
        for doc in (joined, whole):
            part = doc[at : at + len(graph.words)].as_doc(copy_user_data=True)
            assert plain(part._.ucca) == plain(graph)
        at += len(graph.words)
    for a, b in itertools.combinations(range(at + 1), 2):
        part = joined[a:b].as_doc(copy_user_data=True)
        assert part._.ucca.words == words(part)
        same = whole[a:b].as_doc(copy_user_data=True)
        assert plain(same._.ucca) == plain(part._.ucca)


@pytest.mark.parametrize("seed", range(20))
def test_parts_are_joined(graphs: list[Graph], seed: int) -> None:
    """Sentences of several Docs, in any order, also those of which only the first characters of the Doc tell them apart."""
    draw = random.Random(seed)
    vocab = Vocab()
    originals = [
        graph_to_doc(Graph.join(draw.sample(graphs, len(graphs))), vocab) for _ in range(3)
    ]
    for _ in range(10):
        parts = []
        for doc in draw.choices(originals, k=3):
            sents = [*doc.sents]
            a, b = sorted(draw.sample(range(len(sents) + 1), 2))
            part = doc[sents[a].start : sents[b - 1].end].as_doc(copy_user_data=True)
            parts.append(part)
        if seed % 2:
            bare = Doc(vocab, words=["No", "graph"], sent_starts=[True, False])
            parts.insert(draw.randint(0, 3), bare)
        joined = Doc.from_docs(parts)
        expected = Graph.join([part._.ucca or Graph(words(part), [], []) for part in parts])
        assert joined._.ucca.same_structure(expected)
        again = Doc(vocab).from_bytes(joined.to_bytes())
        assert again._.ucca == joined._.ucca


def test_entries_of_other_texts_are_told_apart(graphs: list[Graph]) -> None:
    """The second sentence is cut so that the first character of its Doc is that of the first."""
    vocab = Vocab()
    a, b = (read_brackets(text)[0] for text in ("[H [P Go]] [U .]", "[H [A We] [P ran]]"))
    first = graph_to_doc(Graph.join([a, b]), vocab)
    other = graph_to_doc(Graph.join([read_brackets("[H [P No]] [U !]")[0], graphs[0]]), vocab)
    parts = [first[:2], other[2:]]
    joined = Doc.from_docs([part.as_doc(copy_user_data=True) for part in parts])
    assert plain(joined._.ucca) == plain(Graph.join([a, graphs[0]]))


def test_merged_tokens(graphs: list[Graph]) -> None:
    for i, graph in enumerate(graphs):
        for a, b in itertools.combinations(range(len(graph.words) + 1), 2):
            doc = make_docs(graphs)[i]
            doc._.ucca_punct = graph.punct
            with doc.retokenize() as retokenizer:
                retokenizer.merge(doc[a:b])
            expected = project(graph, words(doc))[0] if b - a > 1 else graph
            assert doc._.ucca == expected
            for unit in doc._.ucca.units:
                assert unit.span(doc) is None or unit.span(doc).text  # type: ignore[union-attr]
            assert doc._.ucca_punct == (
                *graph.punct[:a],
                all(graph.punct[a:b]),
                *graph.punct[b:],
            )


def test_split_tokens(graphs: list[Graph]) -> None:
    doc = make_docs(graphs)[0]
    with doc.retokenize() as retokenizer:
        retokenizer.split(doc[1], ["mov", "ed"], heads=[(doc[1], 0), (doc[1], 0)])
    assert doc._.ucca == project(graphs[0], words(doc))[0]
    assert doc[1]._.ucca == doc[2]._.ucca and doc[2]._.ucca.label == "P"
    with doc.retokenize() as retokenizer:  # back again: nothing is lost
        retokenizer.merge(doc[1:3])
    assert doc._.ucca == graphs[0]


def test_merge_entities_after_the_parser(graphs: list[Graph]) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("entity_ruler").add_patterns([{"label": "GPE", "pattern": "New York"}])  # type: ignore[attr-defined]
    nlp.add_pipe("merge_entities")
    doc = nlp(graph_to_doc(graphs[0], nlp.vocab))
    assert doc[3].text == "New York"
    assert doc[3]._.ucca.label == "C" and doc[2:4]._.ucca.label == "A"


def test_json(graphs: list[Graph]) -> None:
    for doc in [*make_docs(graphs), Doc(Vocab(), words=["x"])]:
        doc._.ucca_guidelines = "v1"
        names = ["ucca", "ucca_guidelines", "ucca_punct"]
        data = doc.to_json(underscore=names)
        assert set(data["_"]) == set(names) and "underscore_token" not in data
        for plain_data in (data, srsly.json_loads(srsly.json_dumps(data))):
            again = Doc(doc.vocab).from_json(plain_data)
            assert again._.ucca == doc._.ucca
            assert again._.ucca_guidelines == "v1"


def test_other_docs_are_refused(graphs: list[Graph]) -> None:
    """User data that were copied to a Doc of other tokens."""
    doc = make_docs(graphs)[0]
    for others in (["Jane", *graphs[0].words[1:]], ["Something", "else"], [*graphs[0].words, "x"]):
        other = Doc(doc.vocab, words=others, user_data=dict(doc.user_data))
        with pytest.raises(UccaError, match="UC203"):
            other._.ucca  # noqa: B018


def test_what_0_1_stored(graphs: list[Graph]) -> None:
    doc = make_docs(graphs)[0]
    doc.user_data = {"ucca": doc.user_data[find_key(doc, "ucca")]}
    with pytest.raises(UccaError, match="UC327"):
        doc._.ucca  # noqa: B018
    doc._.ucca = None
    assert not doc.user_data
