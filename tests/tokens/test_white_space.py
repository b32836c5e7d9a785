"""White space inside a sentence says nothing: components predict as if tokens of white space were not there."""

import copy
import pickle
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import pytest
import spacy
from serving import parse_text
from spacy.language import Language
from spacy.pipeline import TrainablePipe
from spacy.tokens import Doc, Span, SpanGroup, Token
from spacy.training import Example
from spacy.util import fix_random_seed, registry
from util import make_doc, make_examples, tiny_config

from spacy_ucca.conversion.graph import ROOT, Arc, BilexicalGraph
from spacy_ucca.conversion.graph import Token as Word
from spacy_ucca.errors import UccaError
from spacy_ucca.graph import Graph, GraphBuilder
from spacy_ucca.tokens.white_space import ignore_white_space, pipeline_steps
from spacy_ucca.tokens.without_spaces import with_spaces, without_spaces

ROOM = Path(__file__).parents[1]
LINES = (ROOM / "data" / "golden.txt").read_text("utf8").splitlines()
CLEAN = [line for line in LINES if " " in line and not re.search(r"\s\s|[^\S ]", line)]
MODEL = ROOM.parent / "models" / "en_ucca_sm"
KINDS = {
    "double space": "  ",
    "five spaces": " " * 5,
    "no-break space": "\u00a0",
    "narrow no-break space": "\u202f",
    "em space": "\u2003",
    "ideographic space": "\u3000",
    "tab": "\t",
    "line break": "\n",
    "space and line break": " \n",
    "CRLF": "\r\n",
    "line separator": "\u2028",
}


@pytest.fixture(scope="module")
def nlp() -> Language:
    return spacy.load(MODEL)


def noisy(text: str, space: str, rng: random.Random) -> str:
    """RETURNS (str): The text with other white space at a random place between two words."""
    at = rng.choice([match.start() for match in re.finditer(" ", text)])
    return text[:at] + space + text[at + 1 :]


def view(doc: Doc) -> Any:
    """RETURNS (Any): What is said of the words, by their numbers. White space is the head of none, and has no unit."""
    words = [token.i for token in doc if not token.is_space]
    number = {i: n for n, i in enumerate(words)}
    graph = doc._.ucca
    assert all(graph.unit_of(token.i) is None for token in doc if token.is_space)
    sents = [[number[token.i] for token in sent if not token.is_space] for sent in doc.sents]
    tokens = [
        (t.text, t.tag_, t.pos_, str(t.morph), t.lemma_, t.norm_, number[t.head.i], t.dep_)
        for t in (doc[i] for i in words)
    ]
    return tokens, [sent for sent in sents if sent], graph.only(words)


def check(nlp: Language, kinds: dict[str, str], texts: list[str]) -> None:
    """Each text says the same with other white space in it."""
    expected = [view(doc) for doc in nlp.pipe(texts)]
    rng = random.Random(0)
    for kind, space in kinds.items():
        changed = [noisy(text, space, rng) for text in texts]
        for text, doc, wanted in zip(changed, nlp.pipe(changed), expected, strict=True):
            assert doc.text == text
            assert view(doc) == wanted, (kind, text)


def test_white_space_changes_nothing(nlp: Language) -> None:
    check(nlp, KINDS, random.Random(1).sample(CLEAN, 30))


@pytest.mark.slow
def test_white_space_changes_nothing_in_more_texts(nlp: Language, corpora: Path) -> None:
    lines = (corpora / "UD_English-EWT" / "en_ewt-ud-dev.conllu").read_text("utf8").splitlines()
    texts = [line[9:] for line in lines if line.startswith("# text = ")]
    texts = [text for text in texts if " " in text and not re.search(r"\s\s|[^\S ]", text)]
    check(nlp, KINDS, random.Random(0).sample(texts, 600))


@pytest.mark.parametrize("excluded", [[], ["sentence_boundaries"]])
def test_blank_lines_end_sentences(excluded: list[str]) -> None:
    nlp = spacy.load(MODEL, exclude=excluded)
    rng = random.Random(0)
    for break_ in ("\n\n", "\r\n\r\n", "\n \n", "\n\n\n\t"):
        for text in rng.sample(CLEAN, 15):
            changed = noisy(text, break_, rng)
            start = len(re.split(r"\s*\n\s*\n\s*", changed)[0] + break_)
            sents = [sent for sent in nlp(changed).sents if not sent.text.isspace()]
            starts = [next(t.idx for t in sent if not t.is_space) for sent in sents]
            assert start in starts, changed


def test_tokens_of_white_space(nlp: Language) -> None:
    """They get what spaCy gives them, and hang on the word before."""
    doc = nlp("\tThe  cat\u00a0slept.\n\nIt woke \n up. \n")
    spaces = [token for token in doc if token.is_space]
    assert [token.text for token in spaces] == ["\t", " ", "\u00a0", "\n\n", "\n ", "\n"]
    assert {(t.tag_, t.pos_, str(t.morph), t.dep_) for t in spaces} == {("_SP", "SPACE", "", "dep")}
    assert all(token.lemma_ == token.text for token in spaces)
    assert [token.head.i for token in spaces] == [1] + [token.i - 1 for token in spaces[1:]]
    assert [sent.text for sent in doc.sents] == ["\tThe  cat\u00a0slept.\n\n", "It woke \n up. \n"]
    assert doc.char_span(1, 9).text == "The  cat" and doc.tensor.shape[0] == len(doc)


@pytest.mark.parametrize("text", ["", " ", "\n\n", " \t\u00a0 "])
def test_texts_without_words(nlp: Language, text: str) -> None:
    doc = nlp(text)
    assert doc.text == text and not doc._.ucca.roots
    assert [sent.text for sent in doc.sents] == [text] * bool(text)


TEXTS = ["He said \u00a0that\tshe  left.", "Ann  slept", " \n ", "", "They left.\n\n\nWe  came."]


def test_all_ways_lead_there(nlp: Language, tmp_path: Path) -> None:
    """Each way to run the pipeline, and each copy of it."""
    expected = [nlp(text) for text in TEXTS]

    def same(docs: list[Doc]) -> bool:
        rows = [(doc.text, doc.to_json(), doc._.ucca) for doc in docs]
        return rows == [(doc.text, doc.to_json(), doc._.ucca) for doc in expected]

    assert same(list(nlp.pipe(TEXTS)))
    assert same(list(nlp.pipe(TEXTS, n_process=2, batch_size=1)))
    pairs = list(nlp.pipe([(text, n) for n, text in enumerate(TEXTS)], as_tuples=True))
    assert same([doc for doc, _ in pairs]) and [n for _, n in pairs] == [0, 1, 2, 3, 4]
    pairs = list(nlp.pipe([(t, {"t": t}) for t in TEXTS], as_tuples=True, n_process=2))
    assert same([doc for doc, _ in pairs]) and [c["t"] for _, c in pairs] == TEXTS
    given = [nlp.make_doc(text) for text in TEXTS]
    assert [nlp(doc) is doc for doc in given] == [True] * 5 and same(given)
    given = [nlp.make_doc(text) for text in TEXTS]
    assert all(map(lambda a, b: a is b, nlp.pipe(given), given)) and same(given)
    assert same([nlp(nlp.make_doc(text).to_bytes()) for text in TEXTS])
    nlp.to_disk(tmp_path)
    for other in (
        spacy.load(tmp_path),
        pickle.loads(pickle.dumps(nlp)),
        copy.deepcopy(nlp),
        type(nlp).from_config(nlp.config).from_bytes(nlp.to_bytes()),
    ):
        assert same(list(other.pipe(TEXTS))) and type(other).__name__ == "English"
        assert other.pipe_names == nlp.pipe_names == [name for name, _ in nlp.pipeline]
    assert pickle.loads(pickle.dumps(nlp.steps)).pipeline  # as processes are started by "spawn"


def test_the_server_goes_the_same_way(nlp: Language) -> None:
    for text in random.Random(2).sample(CLEAN, 10):
        changed = noisy(text, "  ", random.Random(0))
        assert view(parse_text(nlp, changed, max_tokens=99)) == view(nlp(text))


def test_the_pipeline_may_change(nlp: Language) -> None:
    nlp = copy.deepcopy(nlp)
    clean, changed = "He said that she left.", "He said \u00a0that\tshe  left."
    nlp.add_pipe("entity_ruler").add_patterns([{"label": "X", "pattern": [{"IS_SPACE": True}]}])
    assert len(nlp(changed).ents) == 3  # what has no `predict` sees white space
    nlp.remove_pipe("entity_ruler")
    with nlp.select_pipes(enable=["encoder", "tagger"]):
        tags = [token.tag_ for token in nlp(changed) if not token.is_space]
        assert tags == [token.tag_ for token in nlp(clean)]
        assert not nlp(changed).has_annotation("DEP")
    assert view(nlp(changed)) == view(nlp(clean))
    doc = nlp(changed, disable=["ucca_parser"])
    assert doc._.ucca is None and doc.has_annotation("DEP")
    assert (
        "".join(name[0] for name, _ in pipeline_steps(nlp)) == "s" + "tsetmp" + "l" + "tpup" + "a"
    )


def test_callbacks_can_be_joined() -> None:
    called: list[Language] = []

    def first(nlp: Language) -> Language:
        called.append(nlp)
        return nlp

    create = registry.callbacks.get("spacy-ucca.ignore_white_space.v1")
    nlp = spacy.blank("en")
    assert create(callback=first)(nlp) is nlp and called == [nlp]
    kind = type(nlp)
    assert create()(nlp) is nlp and type(nlp) is kind and isinstance(nlp, spacy.lang.en.English)


class Recorder(TrainablePipe):
    """Writes all that a component can write; remembers what it has seen."""

    def __init__(self, retokenize: bool = False) -> None:
        self.seen: list[Doc] = []
        self.retokenize = retokenize

    def predict(self, docs: Any) -> None:
        self.seen += docs

    def set_annotations(self, docs: Any, scores: Any) -> None:
        for doc in docs:
            doc.set_ents([Span(doc, 0, 2, label="NAME", kb_id="Q1")])
            doc.spans["found"] = SpanGroup(
                doc, attrs={"a": 1}, spans=[Span(doc, 1, 3, label="X", kb_id="Q", span_id=2)]
            )
            doc.cats["c"] = 0.5
            doc.user_data["key"] = 7
            doc.tensor = numpy.arange(1, len(doc) + 1, dtype="f").reshape((-1, 1))
            doc[1]._.number, doc[1:3]._.number = 3, 4
            arcs = (Arc(ROOT, 0, "top"), Arc(0, 2, "R"))
            doc._.sdp = BilexicalGraph(tuple(map(Word, [t.text for t in doc])), arcs)
            if self.retokenize:
                with doc.retokenize() as retokenizer:
                    retokenizer.merge(doc[0:2])


@pytest.fixture
def recording() -> Any:
    for owner in (Token, Span):
        owner.set_extension("number", default=0, force=True)
    nlp = ignore_white_space(spacy.blank("en"))
    recorder = Recorder()
    Language.factory("recorder", func=lambda nlp, name: recorder)
    nlp.add_pipe("recorder")
    yield nlp, recorder
    for owner in (Token, Span):
        owner.remove_extension("number")


def test_all_that_is_written_comes_back(recording: Any) -> None:
    nlp, recorder = recording
    given = nlp.make_doc(" Ann\u00a0Smith  left")
    given.spans["own"] = [Span(given, 0, 1, "SPACE"), Span(given, 1, 5, "ALL")]
    given.user_data["mine"], given[4]._.number = object(), 9
    given._.ucca_punct, given._.ucca_guidelines = [False] * 5 + [True], "v1"
    mine, own = given.user_data["mine"], [str(span) for span in given.spans["own"]]
    doc = nlp(given)
    (seen,) = recorder.seen
    assert doc is given and [token.text for token in seen] == ["Ann", "Smith", "left"]
    assert [str(span) for span in seen.spans["own"]] == ["Ann Smith"]
    assert seen._.ucca_punct == (False, False, True) and seen._.ucca_guidelines == "v1"
    assert seen.text == "Ann Smith left"
    (entity,) = doc.ents
    assert (entity.text, entity.label_, entity.kb_id_) == ("Ann\u00a0Smith", "NAME", "Q1")
    (found,), group = doc.spans["found"], doc.spans["found"]
    assert (found.text, found.label_, found.kb_id_, found.id) == ("Smith  left", "X", "Q", 2)
    assert group.attrs == {"a": 1}
    assert [str(span) for span in doc.spans["own"]] == own
    assert doc.cats == {"c": 0.5} and doc.user_data["key"] == 7 and doc.user_data["mine"] is mine
    assert doc.tensor.tolist() == [[0], [1], [0], [2], [0], [3]]
    assert [token._.number for token in doc] == [0, 0, 0, 3, 9, 0] and doc[3:6]._.number == 4
    assert doc._.sdp.arcs == (Arc(ROOT, 1, "top"), Arc(1, 5, "R"))
    assert doc._.ucca_punct == (*[False] * 5, True) and doc._.ucca is None
    again = nlp(doc)  # a Doc that has all that already
    assert recorder.seen[1]._.sdp.arcs == (Arc(ROOT, 0, "top"), Arc(0, 2, "R"))
    assert again.to_json(["number"]) == doc.to_json(["number"]) and again.ents == doc.ents


def test_components_that_predict_change_no_tokens(recording: Any) -> None:
    nlp, recorder = recording
    recorder.retokenize = True
    assert len(nlp("Ann Smith left")) == 2
    with pytest.raises(UccaError, match="UC207"):
        nlp("Ann  Smith left")


def put_spaces(doc: Doc, rng: random.Random) -> Doc:
    """RETURNS (Doc): The same Doc with tokens of white space, which hang on the word before."""
    places: list[int] = []
    words: list[str] = []
    for token in doc:
        words += ["\n"] * (rng.random() < 0.4)
        places.append(len(words))
        words.append(token.text)
    heads = [max(i - 1, 0) if i else places[0] for i in range(len(words))]
    tags, deps = ["_SP"] * len(words), ["dep"] * len(words)
    for token, place in zip(doc, places, strict=True):
        heads[place], tags[place] = places[token.head.i], token.tag_
        deps[place] = token.dep_
    changed = Doc(doc.vocab, words, tags=tags, heads=heads, deps=deps)
    if doc._.ucca is not None:
        builder = GraphBuilder(words)
        builder.add_graph(doc._.ucca, places)
        changed._.ucca = builder.build()
    return changed


def test_heads_that_are_white_space(nlp: Language, sample: list[Graph]) -> None:
    """What hangs on white space hangs on the head of this; under a root of white space, on the first word."""
    words, deps = ["a", "\n", "b", "\n", "c", "d"], ["x", "dep", "x", "ROOT", "x", "x"]
    doc = Doc(nlp.vocab, words, heads=[1, 3, 1, 3, 3, 4], deps=deps)
    found = without_spaces(doc)
    assert [token.head.i for token in found] == [0, 0, 0, 2]
    before = doc.to_json()
    assert with_spaces(found) is doc and doc.to_json() == before
    for graph in sample[:20]:
        gold = make_doc(nlp.vocab, graph)
        found = without_spaces(put_spaces(gold, random.Random(0)))
        assert [(t.text, t.tag_, t.head.i, t.dep_, t.is_sent_start) for t in found] == [
            (t.text, t.tag_, t.head.i, t.dep_, t.is_sent_start) for t in gold
        ]
        assert found._.ucca == graph.replace(details=found._.ucca.details)


def small(graphs: list[Graph]) -> Language:
    """RETURNS (Language): An untrained pipeline of four components that ignore white space."""
    fix_random_seed(0)
    nlp = ignore_white_space(spacy.blank("en"))
    nlp.add_pipe("tagger")
    nlp.add_pipe("parser", config={"min_action_freq": 1})
    nlp.add_pipe("ucca_parser", config=tiny_config())
    nlp.initialize(lambda: make_examples(nlp.vocab, graphs))
    return nlp


def spaced(examples: list[Example]) -> list[Example]:
    rng = random.Random(1)
    return [
        Example(put_spaces(eg.predicted, rng), put_spaces(eg.reference, rng)) for eg in examples
    ]


@pytest.mark.parametrize("annotates", [[], ["tagger", "parser"]])
def test_training_is_the_same(sample: list[Graph], annotates: list[str]) -> None:
    graphs = [graph for graph in sample if len(graph.roots) == 1][:8]
    weights, losses = [], []
    for change in (lambda examples: examples, spaced):
        nlp = small(graphs)
        fix_random_seed(0)
        examples = change(make_examples(nlp.vocab, graphs))
        for _ in range(3):
            found = nlp.update(examples, annotates=annotates)
        losses.append(found)
        weights.append([pipe.model.to_bytes() for _, pipe in nlp.pipeline])
    assert losses[0] == losses[1] and weights[0] == weights[1]


def test_labels_are_the_same(sample: list[Graph]) -> None:
    nlp = small(sample[:8])
    other = copy.deepcopy(nlp)
    other.initialize(lambda: spaced(make_examples(other.vocab, sample[:8])))
    for name, pipe in nlp.pipeline:
        assert other.get_pipe(name).labels == pipe.labels
    with pytest.raises(TypeError, match="E930"):
        other.initialize(lambda: [])
    with pytest.raises(TypeError, match="E978"):
        other.update([nlp.make_doc("no  example")])


def test_evaluation_is_over_all_tokens(nlp: Language) -> None:
    doc = nlp("He  left.\n\nWe\u00a0came.")
    scores = nlp.evaluate([Example(nlp.make_doc(doc.text), doc)])
    assert scores["sents_f"] == scores["ucca_f"] == 1


def test_gold_units_of_white_space_are_learned(sample: list[Graph]) -> None:
    """Some corpora have words of white space. Their examples stay as they are."""
    nlp = small(sample[:4])
    builder = GraphBuilder(["a", "\u00a0", "b"])
    root = builder.add_unit()
    scene = builder.add_unit()
    builder.add_edge(root, scene, "H")
    for token in range(3):
        builder.add_terminal(scene, token)
    doc = Doc(nlp.vocab, builder.words, tags=["X"] * 3, heads=[0, 0, 0], deps=["ROOT", "x", "x"])
    doc._.ucca = builder.build()
    seen: list[int] = []
    pipe: Any = nlp.get_pipe("ucca_parser")
    update: Callable = pipe.update
    pipe.update = lambda egs, **kwargs: (
        seen.extend(len(eg.reference) for eg in egs) or update(egs, **kwargs)
    )
    nlp.update([Example(doc.copy(), doc), Example(nlp.make_doc("a  b"), nlp.make_doc("a  b"))])
    assert seen == [3, 2]
