"""`Token._.ucca_label`, `Token._.ucca_scene` and `set_spans`: what the graph says, as plain values of spaCy."""

from pathlib import Path

import pytest
import spacy
from hypothesis import given, settings
from spacy import displacy
from spacy.matcher import Matcher
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab
from strategies import graphs
from util import VOCAB

import spacy_ucca
from spacy_ucca.errors import UccaError
from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.graph import Graph
from spacy_ucca.tokens import extension
from spacy_ucca.training.corpus import graph_to_doc

MODEL = Path(__file__).parents[2] / "models" / "en_ucca_sm"
TEXT = (
    "[L After] [H [P graduation] [A* =j]] [U ,] [H [A#j John] [P moved] [A [R to] [C Paris]]] [U .]"
)


@pytest.fixture
def doc() -> Doc:
    return graph_to_doc(read_brackets(TEXT)[0], VOCAB)


def check_values(doc: Doc) -> None:
    graph = doc._.ucca
    for token in doc:
        unit = graph.unit_of(token.i)
        scene = graph.scene_of(token.i)
        number = graph.scenes.index(scene) + 1 if scene else 0
        assert token._.ucca_label == (unit.label if unit else "")
        assert token._.ucca_scene == number


@settings(max_examples=60)
@given(graph=graphs(max_roots=3))
def test_values_are_those_of_the_graph(graph: Graph) -> None:
    check_values(graph_to_doc(graph, Vocab()))


def test_values_are_plain_for_matchers(doc: Doc) -> None:
    assert [token._.ucca_label for token in doc] == ["L", "P", "U", "A", "P", "R", "C", "U"]
    assert [token._.ucca_scene for token in doc] == [0, 1, 0, 2, 2, 2, 2, 0]
    for pattern, found in [
        ([{"_": {"ucca_label": "A"}}, {"_": {"ucca_label": "P"}}], ["John moved"]),
        ([{"_": {"ucca_label": {"IN": ["R", "C"]}}, "OP": "+"}], ["to", "to Paris", "Paris"]),
        ([{"_": {"ucca_scene": 1}}], ["graduation"]),
        ([{"_": {"ucca_scene": {">": 0}}, "LOWER": "john"}], ["John"]),
        ([{"_": {"ucca_scene": 0}, "IS_ALPHA": True}], ["After"]),
    ]:
        matcher = Matcher(doc.vocab)
        matcher.add("x", [pattern])
        assert sorted(doc[a:b].text for _, a, b in matcher(doc)) == sorted(found)


def test_values_follow_the_annotation(doc: Doc) -> None:
    check_values(doc)
    doc._.ucca = doc._.ucca.without(remotes=True)
    check_values(doc)
    doc._.ucca = read_brackets("[H [A After graduation , John] [S moved to Paris .]]")[0]
    check_values(doc)
    assert doc[3]._.ucca_label == "A"
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[5:7])
    check_values(doc)
    with doc.retokenize() as retokenizer:  # as many tokens as before
        retokenizer.merge(doc[0:2])
        retokenizer.split(doc[4], ["mov", "ed"], heads=[(doc[4], 1), (doc[4], 0)])
    check_values(doc)
    doc._.ucca = None
    assert [(t._.ucca_label, t._.ucca_scene) for t in doc] == [("", 0)] * len(doc)


def test_values_of_copies_and_joined_docs(doc: Doc) -> None:
    check_values(doc)
    (loaded,) = DocBin(docs=[doc], store_user_data=True).get_docs(doc.vocab)
    joined = Doc.from_docs([doc, doc])
    for copy in (doc.copy(), Doc(doc.vocab).from_bytes(doc.to_bytes()), loaded, joined):
        check_values(copy)
    assert [token._.ucca_scene for token in joined[8:]] == [0, 3, 0, 4, 4, 4, 4, 0]


def test_a_matcher_reads_the_graph_once(doc: Doc, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever else is in `user_data`: the Doc is not looked at for each token."""
    long = Doc.from_docs([doc] * 50)
    long._.ucca = long._.ucca
    for token in long:
        long.user_data["._.", "mine", token.idx, None] = 1
    calls = []
    monkeypatch.setattr(
        "spacy_ucca.tokens.plain.get_graph", lambda d: calls.append(d) or extension.get_graph(d)
    )
    matcher = Matcher(doc.vocab)
    matcher.add("x", [[{"_": {"ucca_label": "A"}}, {"_": {"ucca_scene": {">": 0}}}]])
    assert len(matcher(long)) == 50 and len(calls) == 1


@pytest.mark.parametrize("words", [[], ["a"], [" ", "\n"], ["😀", "שלום"]])
def test_docs_without_graphs(words: list[str]) -> None:
    doc = Doc(Vocab(), words=words)
    assert [(t._.ucca_label, t._.ucca_scene) for t in doc] == [("", 0)] * len(words)
    with pytest.raises(UccaError, match="UC602"):
        spacy_ucca.set_spans(doc)
    assert not len(doc.spans)


def test_values_cannot_be_set(doc: Doc) -> None:
    for name in ("ucca_label", "ucca_scene"):
        with pytest.raises(UccaError, match="UC205"):
            setattr(doc[0]._, name, 1)


# Spans


def spans_of(doc: Doc, key: str = "sc") -> list[tuple[str, str, str]]:
    return [(span.text, span.label_, span.id_) for span in doc.spans[key]]


def test_scenes_are_spans_if_asked(doc: Doc) -> None:
    assert not len(doc.spans)
    spacy_ucca.set_spans(doc)
    scenes = [("graduation", "Scene", "0"), ("John moved to Paris", "Scene", "1")]
    assert spans_of(doc) == scenes
    spacy_ucca.set_spans(doc, "mine", participants=True)
    more = [("John", "A", "0"), ("John", "A", "1"), ("to Paris", "A", "1")]
    assert sorted(spans_of(doc, "mine")) == sorted(scenes + more) and spans_of(doc) == scenes
    html = displacy.render(doc, style="span", jupyter=False)
    assert html.count("Scene") == 2
    again = Doc(doc.vocab).from_bytes(doc.to_bytes())
    assert spans_of(again, "mine") == spans_of(doc, "mine")


def test_a_discontinuous_unit_has_a_span_for_each_stretch() -> None:
    (graph,) = read_brackets("[H#h [A Ann] [P came]] [G surely] [H#h- [D home]] [U .]")
    doc = graph_to_doc(graph, Vocab())
    spacy_ucca.set_spans(doc)
    assert spans_of(doc) == [("Ann came", "Scene", "0"), ("home", "Scene", "0")]
    # White space that hangs on nothing divides no unit
    (graph,) = read_brackets("[H [A Ann] ~\\n [P came]]")
    doc = graph_to_doc(graph, Vocab())
    spacy_ucca.set_spans(doc)
    assert [span.end - span.start for span in doc.spans["sc"]] == [3]


@settings(max_examples=60)
@given(graph=graphs(max_roots=2))
def test_spans_have_the_tokens_of_the_scenes(graph: Graph) -> None:
    doc = graph_to_doc(graph, Vocab())
    spacy_ucca.set_spans(doc)
    found: dict[int, set[int]] = {}
    for span in doc.spans["sc"]:
        found.setdefault(int(span.id_), set()).update(range(span.start, span.end))
    for i, scene in enumerate(graph.scenes):
        own = found.pop(i, set())
        assert own == {*scene.tokens()}
    assert not found


@pytest.mark.skipif(not MODEL.exists(), reason="no pipeline ships yet")
def test_shipped() -> None:
    doc = spacy.load(MODEL)("John, who left, gave it up.")
    check_values(doc)
    spacy_ucca.set_spans(doc, participants=True)
    assert len(doc.spans["sc"]) > 2
