"""`ucca_span_parser` in spaCy: its life cycle, what it learns and predicts, odd Docs."""

import pickle
import re
import warnings

import numpy
import pytest
import spacy
import srsly
from cli_runs import run
from damage import check_damage_is_refused, check_scores_are_finite, check_weights_are_finite
from odd_texts import check_odd_texts
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import fix_random_seed
from spacy.vocab import Vocab
from thinc.api import Config
from util import ODD_TEXTS, TINY, make_doc, make_examples, same_graphs

from spacy_ucca.cli.calibrate import calibrate
from spacy_ucca.cli.evaluate import evaluate
from spacy_ucca.conversion.bounds import score_brackets
from spacy_ucca.conversion.constituency import (
    count_moves,
    from_constituency,
    remote_edges,
    to_constituency,
)
from spacy_ucca.conversion.tree import first_steps
from spacy_ucca.errors import UccaError
from spacy_ucca.factories import DEFAULT_SPAN_MODEL
from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.graph import Graph
from spacy_ucca.parser.settings import DECODERS, SPAN_LOSSES
from spacy_ucca.rules.validate import validate_graph
from spacy_ucca.span_parser.component import UccaSpanParser
from spacy_ucca.span_parser.training import TrainingBatch
from spacy_ucca.training.corpus import graph_to_doc, read_docbin, write_docbin

NAME = "ucca_span_parser"
SIZES = {"hidden_width": 32, "label_width": 24, "pair_width": 12, "unit_width": 12}
SMALL = {**SIZES, "tok2vec": TINY["tok2vec"]}


def small_config(label_width=SIZES["label_width"], **settings) -> dict:
    model = Config(DEFAULT_SPAN_MODEL).merge(Config({**SMALL, "label_width": label_width}))
    return {"model": dict(model), **settings}


def make(graphs, *, seed=0, **settings) -> Language:
    fix_random_seed(seed)
    nlp = spacy.blank("en")
    nlp.add_pipe(NAME, config=small_config(**settings))
    nlp.initialize(lambda: make_examples(nlp.vocab, graphs))
    return nlp


def parse(nlp, graphs):
    docs = [make_doc(nlp.vocab, graph, gold=False) for graph in graphs]
    return [doc._.ucca for doc in nlp.pipe(docs)]


def train(nlp, graphs, steps) -> float:
    optimizer = nlp.create_optimizer()
    optimizer.learn_rate = 0.01
    losses: dict[str, float] = {}
    for _ in range(steps):
        losses = nlp.update(make_examples(nlp.vocab, graphs), sgd=optimizer)
    return losses[NAME]


@pytest.fixture(scope="module")
def known(graphs) -> list[Graph]:
    """What trees, remote edges and bags of implicit units can say."""
    return [graph.without(linkage=True) for graph in graphs]


@pytest.fixture(scope="module")
def trained(known) -> Language:
    nlp = make(known, repair=False)
    train(nlp, known, 80)
    return nlp


@pytest.mark.parametrize("decoder", DECODERS)
@pytest.mark.parametrize("loss", SPAN_LOSSES)
def test_it_learns_a_handful_of_sentences(known, decoder, loss):
    nlp = make(known, decoder=decoder, loss=loss, repair=False)
    last = train(nlp, known, 120 if loss == "margin" else 80)
    found = parse(nlp, known)
    assert all(same_graphs(found, known)), last
    assert any(edge.remote for graph in found for edge in graph.edges)
    assert any(unit.is_discontinuous for graph in found for unit in graph)
    assert any(unit.is_implicit for graph in found for unit in graph)


@pytest.mark.parametrize("decoder", DECODERS)
def test_the_system_of_the_notes(decoder):
    """Labels have no steps and are chosen with the spans."""
    texts = (
        "[H [A#1 Ann] [P#2 gave] [A it] [P#2- up]] [L and] [H [P left] [A* =1]]",
        "[H [P#1 [C#2 gave]] [A it] [P#1- [C#2- up]]]",
    )
    gold = [read_brackets(text)[0] for text in texts]
    assert {"down1", "down2"} <= {move for graph in gold for move in count_moves(graph)}
    trees = [first_steps(to_constituency(graph)) for graph in gold]
    expected = [
        from_constituency(tree, remote_edges(graph))
        for tree, graph in zip(trees, gold, strict=True)
    ]
    settings = {"decoder": decoder, "loss": "margin", "one_step": True, "repair": False}
    nlp = make(gold, label_width=0, **settings)
    pipe = nlp.get_pipe(NAME)
    assert "A-down1" in pipe.labels and not [x for x in pipe.labels if re.search("[2-9]$", x)]
    train(nlp, gold, 120)
    assert all(same_graphs(parse(nlp, gold), expected)) and not all(same_graphs(expected, gold))
    again = pickle.loads(pickle.dumps(nlp))
    assert again.get_pipe(NAME).settings == pipe.settings
    check_same(nlp, again, gold)
    with pytest.raises(ValueError, match="UC352"):
        pipe.one_step = 2


def test_edges_have_scores(trained, known):
    for graph in parse(trained, known):
        assert graph.edges
        assert all(0 <= edge.score <= 1 for edge in graph.edges)
    assert numpy.mean([edge.score for graph in parse(trained, known) for edge in graph.edges]) > 0.8


def test_what_it_predicts_can_follow_the_rules(sample):
    """Also when it has learned little."""
    nlp = make(sample, repair=True)
    train(nlp, sample, 5)
    for graph in parse(nlp, sample):
        rules = {found.rule for found in validate_graph(graph)}
        assert rules <= {"token-attached", "word-has-space", "function-childless"}


@pytest.mark.parametrize(
    "decoder, loss", [("chart", "crf"), ("chart", "margin"), ("topdown", "crf")]
)
def test_labels_that_follow_the_rules_stay(sample, decoder, loss):
    nlp = make(sample, decoder=decoder, loss=loss, repair=False)
    train(nlp, sample, 40)
    alone = parse(nlp, sample)
    nlp.get_pipe(NAME).repair = True
    by_rules = parse(nlp, sample)
    same = same_graphs(alone, by_rules)
    # What the search does not see
    seen = [
        not any(unit.is_discontinuous for unit in graph) and not any(e.remote for e in graph.edges)
        for graph in alone
    ]
    right = [not list(validate_graph(graph)) for graph in alone]
    assert all(s for s, *rest in zip(same, seen, right, strict=True) if all(rest))
    assert sum(map(all, zip(seen, right, strict=True))) > 3
    assert not all(right) and not all(same)


@pytest.mark.parametrize("name", ODD_TEXTS)
@pytest.mark.filterwarnings("ignore:.*UW301")
def test_odd_texts(trained, name):
    doc = trained(ODD_TEXTS[name])
    assert doc._.ucca.words == tuple(token.text for token in doc)
    for token in doc:
        assert (doc._.ucca.unit_of(token.i) is None) == token.is_space
    assert len(doc._.ucca.roots) == int(any(not token.is_space for token in doc))
    together = list(trained.pipe([*ODD_TEXTS.values(), ODD_TEXTS[name]], batch_size=4))
    assert together[-1]._.ucca.same_structure(doc._.ucca)


@pytest.mark.filterwarnings("ignore:.*UW301")
@pytest.mark.parametrize("decoder", DECODERS)
def test_a_thousand_tokens(known, decoder):
    nlp = make(known, decoder=decoder)
    doc = nlp.get_pipe(NAME)(Doc(nlp.vocab, words=["The", "cat", "slept", ",", "and"] * 200))
    assert len(doc._.ucca.root.tokens()) == 1000


@pytest.mark.parametrize("decoder", DECODERS)
def test_longer_sentences_are_parsed_in_parts(known, decoder):
    nlp = make(known, decoder=decoder, max_length=3)
    with pytest.warns(UserWarning, match="UC842"):
        train(nlp, known, 5)
    for graph, gold in zip(parse(nlp, known), known, strict=True):
        (root,) = graph.roots
        assert root.tokens() == gold.root.tokens()
        inner = [unit for unit in graph if not unit.is_root and len(unit.tokens()) > 3]
        assert not [unit for unit in inner if not unit.is_discontinuous]
    whole = make(known, decoder=decoder, max_length=1000)
    cut = make(known, decoder=decoder, max_length=40)
    assert all(same_graphs(parse(whole, known), parse(cut, known)))


def test_one_root_for_each_sentence(trained, known):
    together = Doc.from_docs([make_doc(trained.vocab, graph, gold=False) for graph in known])
    assert together is not None
    found = trained.get_pipe(NAME)(together)._.ucca
    assert found.same_structure(Graph.join(parse(trained, known)))
    assert len(found.roots) == len(known)


def test_pipe_equals_single_calls(trained, known):
    pipe = trained.get_pipe(NAME)
    single = [pipe(make_doc(trained.vocab, graph, gold=False))._.ucca for graph in known]
    assert all(same_graphs(parse(trained, known), single))
    doc = make_doc(trained.vocab, known[0], gold=False)
    before = doc.to_bytes()
    first, second = pipe.predict([doc, doc])
    assert first.same_structure(second) and doc.to_bytes() == before
    assert pipe.predict([]) == []


def test_missing_annotation_is_warned_of_once(known):
    nlp = make(known[:2])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for text in ("One", "", "Two words", "Three more words"):
            assert nlp(text)._.ucca is not None
    messages = [str(w.message) for w in caught if "UW301" in str(w.message)]
    assert len(messages) == 3


# Training


def test_the_loss_is_what_update_minimizes(known):
    nlp = make(known)
    pipe = nlp.get_pipe(NAME)
    examples = make_examples(nlp.vocab, known)
    labels = pipe.span_labels
    pairs = pipe._find_targets(examples)
    batch = TrainingBatch(pairs, labels, pipe.settings)
    scorers = pipe.model.predict([eg.predicted for eg in examples])
    placed = batch.span_batch.place(scorers["spans"])
    spans = placed.predict(batch.span_batch.rows)
    trees = batch.trees(spans)
    assert set(batch.labeled) <= set(trees.rows)
    vectors = placed.vectors(batch.span_batch.rows[trees.rows])
    scores = {
        "spans": spans,
        "labels": scorers["labels"]((vectors, trees.relatives))[0]
        + placed.scores_of(vectors)[:, :-1],
        "pairs": scorers["pairs"].predict_parts(batch.parts),
        "implicit": scorers["implicit"].predict(batch.implicit.rows),
    }
    loss, gradients = batch.losses(pipe.model.ops, scores)
    assert loss == pytest.approx(pipe.update(examples)[NAME], rel=1e-4)
    for name, gradient in gradients.items():
        assert gradient.shape == scores[name].shape
        numpy.testing.assert_allclose(gradient.sum(axis=1), 0, atol=1e-4)


def test_losses_are_added_up_and_weights_stay_without_an_optimizer(known):
    nlp = make(known)
    pipe = nlp.get_pipe(NAME)
    examples = make_examples(nlp.vocab, known)
    before = pipe.model.to_bytes()
    once = pipe.update(examples)[NAME]
    losses = {NAME: 1.0, "other": 2.0}
    assert pipe.update(examples, losses=losses) is losses
    assert losses == {NAME: pytest.approx(1.0 + once), "other": 2.0}
    assert pipe.model.to_bytes() == before
    pipe.finish_update(nlp.create_optimizer())
    assert pipe.model.to_bytes() != before


def test_odd_examples(known):
    nlp = make(known)
    pipe = nlp.get_pipe(NAME)
    empty = Doc(nlp.vocab)
    assert pipe.update([Example(empty, empty.copy())])[NAME] == 0
    bare = make_doc(nlp.vocab, known[0], gold=False)
    assert pipe.update([Example(bare, bare.copy())])[NAME] == 0
    one = read_brackets("[H [P Go]]")[0]
    with pytest.warns(UserWarning, match="UC841"):
        assert pipe.update(make_examples(nlp.vocab, [one, read_brackets("[ZZ x]")[0]]))[NAME] >= 0
    spaced = Graph([*one.words, "\n"], one.kinds, one.edge_tuples)
    assert make([spaced]).get_pipe(NAME).update(make_examples(nlp.vocab, [spaced]))[NAME] > 0
    joined = Graph.join(known)
    assert pipe.update(make_examples(nlp.vocab, [joined]))[NAME] > 0
    other = make_examples(nlp.vocab, known[:1])[0]
    other.predicted = Doc(nlp.vocab, words=["x"] * len(other.reference))
    with pytest.warns(UserWarning, match="UW350"):
        assert pipe.update([other])[NAME] == 0  # another text: nothing to learn
    with pytest.raises(NotImplementedError, match="UC313"):
        pipe.rehearse([other])


@pytest.mark.parametrize(
    "settings, code",
    [({"decoder": "best"}, "UC352"), ({"loss": "none"}, "UC352"), ({"max_length": 0}, "UC352")],
)
def test_wrong_settings_are_clear_errors(settings, code):
    with pytest.raises(ValueError, match=code):
        spacy.blank("en").add_pipe(NAME, config=small_config(**settings))


@pytest.mark.filterwarnings("ignore:.*UW301")
def test_not_initialized_is_a_clear_error():
    nlp = spacy.blank("en")
    nlp.add_pipe(NAME, config=small_config())
    with pytest.raises(ValueError, match="E109"):
        nlp("Some words")
    with pytest.raises(ValueError, match="UC312"):
        nlp.initialize(lambda: [Example(nlp.make_doc("a"), nlp.make_doc("a"))])


# Labels


def test_label_data(known, tmp_path):
    nlp = make(known)
    pipe = nlp.get_pipe(NAME)
    assert "ROOT" in pipe.labels and any("remote" in label for label in pipe.labels)
    assert pipe.label_data["implicit"]
    srsly.write_json(tmp_path / "labels.json", pipe.label_data)
    data = srsly.read_json(tmp_path / "labels.json")
    assert data == pipe.label_data
    again = spacy.blank("en")
    new = again.add_pipe(NAME, config=small_config())
    assert new.label_data is None
    new.initialize(lambda: make_examples(again.vocab, known), nlp=again, labels=data)
    assert new.label_data == data


@pytest.mark.filterwarnings("ignore:.*UW301")
def test_add_label(trained, known):
    nlp = spacy.blank("en")
    pipe = nlp.add_pipe(NAME, config=small_config())
    assert pipe.add_label("X-remote") == 1 and pipe.add_label("X-remote") == 0
    with pytest.raises(ValueError, match="E187"):
        pipe.add_label("")
    nlp.initialize(lambda: make_examples(nlp.vocab, known))
    assert "X-remote" in pipe.labels and "ROOT" in pipe.labels
    alone = spacy.blank("en")
    alone.add_pipe(NAME, config=small_config()).add_label("A")
    alone.initialize()
    assert alone("Any words")._.ucca is not None
    copy = pickle.loads(pickle.dumps(trained))
    own = copy.get_pipe(NAME)
    before = parse(copy, known)
    assert own.add_label("P+A") == 1
    assert sum(same_graphs(before, parse(copy, known))) >= len(known) - 1
    overfit_copy = train(copy, known, 3)
    assert numpy.isfinite(overfit_copy)
    with pytest.raises(ValueError, match="UC843"):
        own.add_label("Y")


# Serialization


def check_same(nlp, other, graphs):
    assert [g.to_record() for g in parse(nlp, graphs)] == [
        g.to_record() for g in parse(other, graphs)
    ]
    assert nlp.get_pipe(NAME).label_data == other.get_pipe(NAME).label_data


def test_disk_bytes_pickle(trained, known, sample, tmp_path):
    trained.to_disk(tmp_path / "pipeline")
    loaded = spacy.load(tmp_path / "pipeline")
    check_same(trained, loaded, sample)
    assert loaded.config.to_str() == trained.config.to_str()
    other = spacy.blank("en")
    other.add_pipe(NAME, config=small_config(repair=False))
    other.from_bytes(trained.to_bytes())
    check_same(trained, other, sample)
    check_same(trained, pickle.loads(pickle.dumps(trained)), sample)
    pipe: UccaSpanParser = trained.get_pipe(NAME)
    fresh = make(known, repair=False, seed=3)
    fresh.get_pipe(NAME).from_bytes(pipe.to_bytes(exclude=["vocab"]), exclude=["vocab"])
    check_same(trained, fresh, sample)


def test_training_goes_on_after_loading(known, tmp_path):
    nlp = make(known)
    train(nlp, known, 3)
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    losses = []
    for one in (nlp, loaded):
        fix_random_seed(1)
        losses.append(train(one, known, 3))
    assert losses[0] == pytest.approx(losses[1], rel=1e-3)


def test_several_processes(trained, known):
    docs = [make_doc(trained.vocab, graph, gold=False) for graph in known]
    found = [doc._.ucca for doc in trained.pipe(docs, n_process=2, batch_size=2)]
    assert all(same_graphs(found, parse(trained, known)))


def test_listener(known):
    shared = {
        "@architectures": "spacy.HashEmbedCNN.v2",
        **{"pretrained_vectors": None, "width": 24, "depth": 1, "embed_size": 300},
        **{"window_size": 1, "maxout_pieces": 2, "subword_features": True},
    }
    listener = {"@architectures": "spacy.Tok2VecListener.v1", "width": 24, "upstream": "*"}
    fix_random_seed(0)
    nlp = spacy.blank("en")
    nlp.add_pipe("tok2vec", config={"model": shared})
    model = dict(Config(DEFAULT_SPAN_MODEL).merge(Config({"hidden_width": 32, "pair_width": 8})))
    nlp.add_pipe(NAME, config={"model": {**model, "tok2vec": listener}})
    nlp.initialize(lambda: make_examples(nlp.vocab, known))
    first = train(nlp, known, 1)
    assert train(nlp, known, 25) < first / 2
    assert parse(nlp, known)


# The command line


def test_evaluate_and_parse(trained, known, tmp_path):
    docs = [graph_to_doc(graph, trained.vocab) for graph in known]
    write_docbin(docs, tmp_path / "gold.spacy")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scores = evaluate(trained, tmp_path / "gold.spacy")
        assert "ucca_bracket_f" not in scores
        scores = evaluate(trained, tmp_path / "gold.spacy", brackets=True)
        bare = [Doc(trained.vocab, words=graph.words) for graph in known]
        parsed = [doc._.ucca for doc in trained.pipe(bare)]
        tally = score_brackets(zip(parsed, known, strict=True))
        assert 0.3 < scores["ucca_bracket_f"] == tally.f1 < 1
        assert 0 <= scores["ucca_f"] <= 1 and scores["words"] == sum(len(g.words) for g in known)
        text = tmp_path / "text.txt"
        text.write_text("The cat slept.", "utf8")
        trained.to_disk(tmp_path / "pipeline")
        run("parse", text, "-m", tmp_path / "pipeline", "-t", "xml", "-o", tmp_path / "out")
    assert "cat" in (tmp_path / "out" / "text.xml").read_text("utf8")
    with pytest.raises(UccaError, match="UC506"):
        evaluate(spacy.blank("en"), tmp_path / "gold.spacy")


def test_label(trained, known, tmp_path):
    write_docbin([make_doc(trained.vocab, graph) for graph in known], tmp_path / "in.spacy")
    trained.to_disk(tmp_path / "pipeline")
    files = tmp_path / "in.spacy", tmp_path / "out.spacy"
    run("label", *files, "-m", tmp_path / "pipeline")
    labeled = [doc._.ucca for doc in read_docbin(files[1], Vocab())]
    assert all(same_graphs(labeled, parse(trained, known)))


def test_calibrate(known, tmp_path):
    nlp = make(known, repair=False)
    train(nlp, known, 25)
    write_docbin([make_doc(nlp.vocab, graph) for graph in known], tmp_path / "gold.spacy")
    before = parse(nlp, known)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = calibrate(nlp, tmp_path / "gold.spacy")
    assert found["primary"]["edges"] > 20 and found["all"]["ece"] >= 0
    after = parse(nlp, known)
    assert all(same_graphs(before, after))
    scores = [
        [edge.score for graph in graphs for edge in graph.edges] for graphs in (before, after)
    ]
    assert scores[0] != scores[1] and all(0 <= score <= 1 for score in scores[1])
    nlp.to_disk(tmp_path / "pipeline")
    check_same(nlp, spacy.load(tmp_path / "pipeline"), known)


def test_damaged_files(trained, tmp_path):
    check_damage_is_refused(trained, NAME, tmp_path / "settings")
    check_scores_are_finite(trained, NAME)
    check_weights_are_finite(trained, NAME, tmp_path / "weights")


@pytest.mark.parametrize("decoder", DECODERS)
def test_graphs_of_odd_texts_are_valid(known, decoder):
    nlp = make(known, decoder=decoder)
    train(nlp, known, 5)
    check_odd_texts(nlp)
