"""`ucca_from_bilexical`, and `sdp_parser` where its graphs are trees with remote edges: UCCA graphs there and back."""

import itertools

import pytest
import spacy
from odd_texts import check_odd_texts
from spacy.tokens import Doc
from spacy.training import Example
from util import VOCAB

from spacy_ucca.by_conversion.components import graph_from_sdp
from spacy_ucca.conversion.bilexical import from_bilexical, to_bilexical
from spacy_ucca.conversion.graph import ROOT, TOP, Arc, BilexicalGraph, Token
from spacy_ucca.errors import UccaError
from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.rules.validate import validate_graph
from spacy_ucca.sdp_parser.extension import get_arcs, set_sdp
from spacy_ucca.training.corpus import bare_copy, graph_to_doc

GRADUATION = (
    "[L After] [H [P graduation] [A* =1]] [U ,] [H [A#1 John] [P moved] [A [R to] [C Paris]]] [U .]"
)
WARNINGS = "ignore:.*UW301"


def docs_of(graphs, vocab):
    for graph in graphs:
        doc = graph_to_doc(graph, vocab)
        set_sdp(doc, to_bilexical(graph))
        yield doc


def test_there_and_back(sample):
    vocab = VOCAB
    graphs = [graph for graph in sample if graph.words and len(graph.roots) == 1]
    assert len(graphs) > 5
    nlp = spacy.blank("en")
    as_said = nlp.add_pipe("ucca_from_bilexical", "as_said", config={"repair": False})
    mended = nlp.add_pipe("ucca_from_bilexical", "mended")
    for doc, graph in zip(docs_of(graphs, vocab), graphs):
        expected = from_bilexical(to_bilexical(graph))
        assert as_said(doc)._.ucca.same_structure(expected)
        found = mended(doc)._.ucca
        assert not list(validate_graph(found))
        assert found.same_structure(expected) or list(validate_graph(expected))


def test_merged_and_cut_tokens(sample):
    """Whatever is merged or cut, arcs of a tree stay a tree, of which a graph can be made."""
    vocab = VOCAB
    graphs = [graph for graph in sample if len(graph.roots) == 1 and len(graph.words) < 15]
    graphs += read_brackets(GRADUATION)
    n_several = 0
    for doc in docs_of(graphs, vocab):
        for a, b in itertools.combinations(range(len(doc) + 1), 2):
            merged, cut = doc.copy(), doc[a:b].as_doc(copy_user_data=True)
            with merged.retokenize() as retokenizer:
                retokenizer.merge(merged[a:b])
            for other in (merged, cut):
                found = graph_from_sdp(other)
                assert found.words == tuple(token.text for token in other)
                primary = [arc.dependent for arc in get_arcs(other) if not arc.remote]
                assert len(primary) == len(set(primary))
            heads = [arc.head for arc in get_arcs(doc) if a <= arc.dependent < b and not arc.remote]
            n_several += sum(not a <= head < b for head in heads) > 1
    assert n_several > 20  # such a token would have several primary heads


def test_sentences_of_a_doc():
    (graph,) = read_brackets(GRADUATION)
    vocab = VOCAB
    words = [*graph.words, "\n", *graph.words]
    n = len(graph.words)
    doc = Doc(vocab, words=words, sent_starts=[i in (0, n + 1) for i in range(len(words))])
    arcs = to_bilexical(graph).arcs
    second = [
        arc._replace(
            head=arc.head if arc.head == ROOT else arc.head + n + 1, dependent=arc.dependent + n + 1
        )
        for arc in arcs
    ]
    punct = (*graph.punct, False, *graph.punct)
    doc._.sdp = BilexicalGraph(tuple(map(Token, words)), (*arcs, *second), punct)
    found = graph_from_sdp(doc)
    assert len(found.roots) == 2 and found.unit_of(n) is None
    for _, part in found.sentences():
        assert len(part.roots) == 1
        assert [scene.text for scene in part.scenes][-1] == "John moved to Paris"
    assert graph_from_sdp(doc, levels=False).words == found.words


@pytest.mark.filterwarnings(WARNINGS)
def test_learns_ucca_by_heart():
    graphs = read_brackets(GRADUATION + "\n\n[H [A John] [P slept]] [U .]\n")
    nlp = spacy.blank("en")
    model = {"@architectures": "spacy-ucca.LogitEdge.v1", "hash_bits": 12, "learn_rate": 0.3}
    nlp.add_pipe("sdp_parser", config={"model": model, "tree": True, "both_directions": True})
    nlp.add_pipe("ucca_from_bilexical", config={"linkage": False})
    examples = [Example(bare_copy(doc, False), doc) for doc in docs_of(graphs, nlp.vocab)]
    optimizer = nlp.initialize(lambda: examples)
    for _ in range(40):
        nlp.update(examples, sgd=optimizer)
    for eg, graph in zip(examples, graphs):
        doc = nlp(bare_copy(eg.reference, False))
        assert set(get_arcs(doc)) == {
            arc._replace(label=TOP) if arc.head == ROOT else arc for arc in get_arcs(eg.reference)
        }
        assert doc._.ucca.same_structure(graph)
    scores = nlp.evaluate(examples)
    assert scores["ucca_f"] == scores["sdp_lf"] == scores["ucca_remote_f"] == 1


@pytest.mark.filterwarnings(WARNINGS)
@pytest.mark.parametrize(
    "words", [[], [" "], ["a"], ["w"] * 700], ids=lambda words: str(len(words))
)
def test_trees_of_odd_input(words):
    (graph,) = read_brackets(GRADUATION)
    nlp = spacy.blank("en")
    model = {"@architectures": "spacy-ucca.LogitEdge.v1", "hash_bits": 12}
    nlp.add_pipe("sdp_parser", config={"model": model, "tree": True, "max_distance": 3})
    nlp.add_pipe("ucca_from_bilexical")
    examples = [Example(bare_copy(doc, False), doc) for doc in docs_of([graph], nlp.vocab)]
    nlp.update(examples, sgd=nlp.initialize(lambda: examples))
    doc = nlp(Doc(nlp.vocab, words=words))
    assert list(doc._.ucca.words) == words
    for i, word in enumerate(words):
        assert (doc._.ucca.unit_of(i) is None) == word.isspace()
    primary = [arc for arc in get_arcs(doc) if not arc.remote]
    assert len(primary) == sum(not word.isspace() for word in words)


def test_what_is_no_ucca_is_refused():
    vocab = VOCAB
    doc = Doc(vocab, words=["a", "b", "c"], sent_starts=[True, False, True])
    with pytest.raises(UccaError, match=r"UC832.*sdp_parser"):
        graph_from_sdp(doc)
    tokens = tuple(map(Token, "abc"))
    for arcs, reason in (
        ((Arc(0, 1, "ARG1"),), "'ARG1' is no category"),
        ((Arc(0, 1, "A"), Arc(1, 0, "A")), "circle"),
        ((Arc(0, 2, "A"),), "An arc leads from"),
        ((Arc(2, 0, "A"),), "An arc leads from"),
    ):
        set_sdp(doc, BilexicalGraph(tokens, arcs))
        with pytest.raises(UccaError, match=rf"UC885(.|\n)*{reason}(.|\n)*tree = true"):
            graph_from_sdp(doc)
    empty = Doc(vocab)
    set_sdp(empty, BilexicalGraph(()))
    assert graph_from_sdp(empty).words == ()


@pytest.mark.filterwarnings(WARNINGS)
def test_graphs_of_odd_texts_are_valid(sample):
    graphs = [graph for graph in sample if graph.words and len(graph.roots) == 1]
    nlp = spacy.blank("en")
    model = {"@architectures": "spacy-ucca.LogitEdge.v1", "hash_bits": 12, "learn_rate": 0.3}
    nlp.add_pipe("sdp_parser", config={"model": model, "tree": True})
    nlp.add_pipe("ucca_from_bilexical")
    examples = [Example(bare_copy(doc, False), doc) for doc in docs_of(graphs, nlp.vocab)]
    nlp.update(examples, sgd=nlp.initialize(lambda: examples))
    check_odd_texts(nlp)
