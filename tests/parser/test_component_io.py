"""`ucca_parser` through disk, bytes, pickle and processes; with other encoders; as spaCy's commands
train and score it."""

import copy
import json
import pickle
import subprocess
import sys
import warnings
from pathlib import Path

import numpy
import pytest
import spacy
import srsly
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.training import Example
from spacy.training.initialize import init_nlp
from spacy.training.loop import train
from spacy.util import fix_random_seed, load_config_from_str, load_model_from_config
from util import make_doc, make_examples, make_nlp, overfit, parse, same_graphs, tiny_config

from spacy_ucca.component import DEFAULT_UCCA_MODEL
from spacy_ucca.graph import Graph

SYSTEMS = ("tree", "tupa")
SHARED = {
    "@architectures": "spacy.HashEmbedCNN.v2",
    **{"pretrained_vectors": None, "width": 24, "depth": 1, "embed_size": 300},
    **{"window_size": 1, "maxout_pieces": 2, "subword_features": True},
}
LISTENER = {"@architectures": "spacy.Tok2VecListener.v1", "width": 24, "upstream": "*"}


@pytest.fixture(scope="module")
def graphs(sample: list[Graph]) -> list[Graph]:
    return sample[:8]


@pytest.fixture(scope="module", params=SYSTEMS)
def trained(request: pytest.FixtureRequest, graphs: list[Graph]) -> Language:
    nlp = make_nlp(graphs, config={**tiny_config(request.param), "scorer": SCORER})
    overfit(nlp, graphs, steps=20)
    return nlp


SCORER = {"@scorers": "spacy-ucca.ucca_scorer.v1"}


def check_same(nlp: Language, other: Language, graphs: list[Graph]) -> None:
    """Identical graphs for whatever words, to the last unit's number."""
    assert [g.to_record() for g in parse(nlp, graphs)] == [
        g.to_record() for g in parse(other, graphs)
    ]
    pipe, copy = nlp.get_pipe("ucca_parser"), other.get_pipe("ucca_parser")
    assert pipe.label_data == copy.label_data and pipe.move_names == copy.move_names
    assert len(params(nlp)) == len(params(other)) > 6
    for a, b in zip(params(nlp), params(other)):
        numpy.testing.assert_array_equal(a, b)


def params(nlp: Language) -> list[numpy.ndarray]:
    model = nlp.get_pipe("ucca_parser").model
    return [n.get_param(p) for n in model.walk() for p in n.param_names if n.has_param(p)]


# Serialization


def test_to_disk_and_load(trained: Language, sample: list[Graph], tmp_path: Path) -> None:
    trained.to_disk(tmp_path / "pipeline")
    loaded = spacy.load(tmp_path / "pipeline")
    check_same(trained, loaded, sample)
    assert loaded.config.to_str() == trained.config.to_str()
    assert loaded.meta["labels"]["ucca_parser"] == list(trained.get_pipe("ucca_parser").labels)


def test_loads_where_nothing_was_imported(trained: Language, tmp_path: Path) -> None:
    """Through the entry points, in a new process."""
    trained.to_disk(tmp_path / "pipeline")
    code = (
        "import sys, warnings, spacy; warnings.simplefilter('ignore')\n"
        "doc = spacy.load(sys.argv[1])('The cat slept .'); print(len(doc._.ucca.roots))"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "pipeline")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "1", done.stderr


def test_bytes(trained: Language, sample: list[Graph]) -> None:
    system = trained.get_pipe("ucca_parser").model.attrs["system"]
    other = spacy.blank("en")
    other.add_pipe("ucca_parser", config={**tiny_config(system), "scorer": SCORER})
    other.from_bytes(trained.to_bytes())
    check_same(trained, other, sample)


def test_component_alone(trained: Language, sample: list[Graph], tmp_path: Path) -> None:
    pipe = trained.get_pipe("ucca_parser")
    config = tiny_config(pipe.model.attrs["system"])
    pipe.to_disk(tmp_path / "pipe")
    for load in (
        lambda new: new.from_disk(tmp_path / "pipe"),
        lambda new: new.from_bytes(pipe.to_bytes()),
        lambda new: new.from_bytes(pipe.to_bytes(exclude=["vocab"]), exclude=["vocab"]),
    ):
        nlp = spacy.blank("en")
        new = nlp.add_pipe("ucca_parser", config=config)
        assert load(new) is new
        check_same(trained, nlp, sample)


def test_exclude(trained: Language) -> None:
    pipe = trained.get_pipe("ucca_parser")
    whole = srsly.msgpack_loads(pipe.to_bytes())
    assert {"cfg", "model", "vocab"} <= set(whole)
    assert set(srsly.msgpack_loads(pipe.to_bytes(exclude=["cfg"]))) == set(whole) - {"cfg"}
    nlp = spacy.blank("en")
    new = nlp.add_pipe("ucca_parser", config=tiny_config(pipe.model.attrs["system"]))
    new.from_bytes(pipe.to_bytes(), exclude=["model"])
    assert new.labels == pipe.labels
    with pytest.raises(ValueError, match="E109"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        nlp("Some words")


def test_loading_into_a_used_component(
    trained: Language, graphs: list[Graph], sample: list[Graph]
) -> None:
    """What it knew is gone: labels, transition system and what was kept of them."""
    system = trained.get_pipe("ucca_parser").model.attrs["system"]
    other = make_nlp(graphs, config=tiny_config(system), seed=5)
    parse(other, graphs)
    other.get_pipe("ucca_parser").from_bytes(trained.get_pipe("ucca_parser").to_bytes())
    check_same(trained, other, sample)


def test_wrong_widths_are_a_clear_error(trained: Language) -> None:
    system = trained.get_pipe("ucca_parser").model.attrs["system"]
    nlp = spacy.blank("en")
    new = nlp.add_pipe("ucca_parser", config={**tiny_config(system, hidden_width=7)})
    with pytest.raises(ValueError):
        new.from_bytes(trained.get_pipe("ucca_parser").to_bytes())


def test_pickle(trained: Language, sample: list[Graph]) -> None:
    check_same(trained, srsly.pickle_loads(srsly.pickle_dumps(trained)), sample)
    pipe = trained.get_pipe("ucca_parser")
    assert pipe._targets  # kept between epochs, but not in the pickle
    copy = srsly.pickle_loads(srsly.pickle_dumps(pipe))
    assert copy.labels == pipe.labels and not copy._targets and pipe._targets
    docs = [make_doc(trained.vocab, graph, gold=False) for graph in sample]
    assert all(same_graphs(copy.predict(docs), pipe.predict(docs)))


def test_plain_pickle_of_docs(trained: Language, graphs: list[Graph]) -> None:
    docs = list(trained.pipe([make_doc(trained.vocab, g, gold=False) for g in graphs]))
    again = pickle.loads(pickle.dumps(docs))
    assert [d._.ucca.to_record() for d in again] == [d._.ucca.to_record() for d in docs]


def test_training_goes_on_after_loading(graphs: list[Graph], tmp_path: Path) -> None:
    nlp = make_nlp(graphs)
    overfit(nlp, graphs, steps=5)
    nlp.to_disk(tmp_path / "pipeline")
    loaded = spacy.load(tmp_path / "pipeline")
    optimizer = loaded.resume_training()
    optimizer.learn_rate = 0.01
    for _ in range(60):
        loaded.update(make_examples(loaded.vocab, graphs), sgd=optimizer)
    assert all(same_graphs(parse(loaded, graphs), graphs))


def test_several_processes(trained: Language, graphs: list[Graph]) -> None:
    texts = [" ".join(graph.words) for graph in graphs] * 2
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = [doc._.ucca for doc in trained.pipe(texts)]
        found = [doc._.ucca for doc in trained.pipe(texts, n_process=2, batch_size=5)]
    assert [g.to_record() for g in found] == [g.to_record() for g in expected]


def test_docbin_keeps_predicted_graphs(trained: Language, graphs: list[Graph]) -> None:
    docs = list(trained.pipe([make_doc(trained.vocab, g, gold=False) for g in graphs]))
    stored = DocBin(store_user_data=True, docs=docs).to_bytes()
    again = DocBin().from_bytes(stored).get_docs(spacy.blank("en").vocab)
    assert all(same_graphs((d._.ucca for d in again), (d._.ucca for d in docs)))


# Settings


def test_config_round_trip(trained: Language) -> None:
    again = load_model_from_config(load_config_from_str(trained.config.to_str()))
    assert again.config.to_str() == trained.config.to_str()
    settings = again.config["components"]["ucca_parser"]
    assert settings["factory"] == "ucca_parser" and settings["scorer"] == SCORER


def test_config_is_filled_with_the_defaults() -> None:
    config = load_config_from_str(
        """
        [nlp]
        lang = "en"
        pipeline = ["ucca_parser"]

        [components]

        [components.ucca_parser]
        factory = "ucca_parser"
        """
    )
    nlp = load_model_from_config(config, auto_fill=True)
    filled = nlp.config["components"]["ucca_parser"]
    expected = copy.deepcopy(DEFAULT_UCCA_MODEL)
    expected["backward"] = False  # these two are only read
    expected["tok2vec"]["embed"]["guidelines_dropout"] = 0.0
    assert filled["model"] == expected
    assert filled["scorer"] == SCORER
    with pytest.raises(ValueError):
        load_model_from_config(config, auto_fill=False)


def test_files_of_0_1_are_refused(trained: Language, tmp_path: Path) -> None:
    """Their labels have other names, and nothing says which settings hold."""
    trained.to_disk(tmp_path)
    file = tmp_path / "ucca_parser" / "cfg"
    labels = {"labels": ["A"], "elsewhere": ["A"]}
    file.write_text(json.dumps(labels), "utf8")
    with pytest.raises(ValueError, match=r"UC327.*'ucca_parser' is of spacy-ucca 0\.1"):
        spacy.load(tmp_path)
    with pytest.raises(ValueError, match="UC327"):
        spacy.blank("en").add_pipe("ucca_parser", config={"model": {"backward": True}})


def test_score_weights_of_a_config(trained: Language) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("ucca_parser", config=tiny_config())
    score_weights = nlp.config["training"]["score_weights"]
    assert score_weights["ucca_f"] == 1.0
    assert set(score_weights) >= {"ucca_p", "ucca_r", "ucca_remote_f"}


# Encoders


def with_encoder(graphs: list[Graph], tok2vec: dict, shared: bool = False) -> Language:
    fix_random_seed(0)
    nlp = spacy.blank("en")
    if shared:
        nlp.add_pipe("tok2vec", config={"model": SHARED})
    nlp.add_pipe("ucca_parser", config=tiny_config(tok2vec=tok2vec))
    nlp.initialize(lambda: make_examples(nlp.vocab, graphs))
    return nlp


def test_hash_embed_cnn(graphs: list[Graph], tmp_path: Path) -> None:
    nlp = with_encoder(graphs, SHARED)
    overfit(nlp, graphs)
    assert all(same_graphs(parse(nlp, graphs), graphs))
    nlp.to_disk(tmp_path / "pipeline")
    check_same(nlp, spacy.load(tmp_path / "pipeline"), graphs)


def test_listener_and_replacing_it(graphs: list[Graph], tmp_path: Path) -> None:
    nlp = with_encoder(graphs, LISTENER, shared=True)
    assert nlp.get_pipe("tok2vec").listening_components == ["ucca_parser"]
    before = nlp.get_pipe("tok2vec").model.to_bytes()
    overfit(nlp, graphs)
    assert nlp.get_pipe("tok2vec").model.to_bytes() != before  # gradients arrive
    assert all(same_graphs(parse(nlp, graphs), graphs))
    docs = [Doc(nlp.vocab), make_doc(nlp.vocab, graphs[0], gold=False), Doc(nlp.vocab)]
    assert [len(doc._.ucca.roots) for doc in nlp.pipe(docs)] == [0, 1, 0]
    nlp.to_disk(tmp_path / "shared")
    check_same(nlp, spacy.load(tmp_path / "shared"), graphs)
    expected = parse(nlp, graphs)
    nlp.replace_listeners("tok2vec", "ucca_parser", ["model.tok2vec"])
    nlp.remove_pipe("tok2vec")
    assert all(same_graphs(parse(nlp, graphs), expected))
    nlp.to_disk(tmp_path / "own")
    check_same(nlp, spacy.load(tmp_path / "own"), graphs)


def test_sourced_component(trained: Language, graphs: list[Graph]) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("ucca_parser", source=trained)
    assert all(same_graphs(parse(nlp, graphs), parse(trained, graphs)))


# spaCy's commands


def test_evaluate(trained: Language, graphs: list[Graph]) -> None:
    scores = trained.evaluate(make_examples(trained.vocab, graphs))
    found = parse(trained, graphs)
    assert 0 < scores["ucca_f"] <= 1
    if all(same_graphs(found, (g.without(linkage=True) for g in graphs))):
        assert scores["ucca_f"] == 1.0
    bare = [Example(Doc(trained.vocab, words=["a"]), Doc(trained.vocab, words=["a"]))]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        trained.evaluate(bare)


def training_config(tmp_path: Path, graphs: list[Graph]) -> Path:
    nlp = spacy.blank("en")
    docs = [make_doc(nlp.vocab, graph) for graph in graphs]
    DocBin(store_user_data=True, docs=docs).to_disk(tmp_path / "train.spacy")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("ucca_parser", config={**tiny_config(), "scorer": SCORER})
    config = nlp.config.merge(
        load_config_from_str(
            """
            [corpora]

            [corpora.train]
            @readers = "spacy-ucca.Corpus.v1"
            path = "PATH"

            [corpora.dev]
            @readers = "spacy-ucca.Corpus.v1"
            path = "PATH"

            [training]
            max_steps = 6
            eval_frequency = 3
            annotating_components = ["sentencizer"]
            """.replace("PATH", str(tmp_path / "train.spacy")),
            interpolate=False,
        )
    )
    config.to_disk(tmp_path / "config.cfg")
    return tmp_path / "config.cfg"


@pytest.mark.filterwarnings("ignore")
def test_init_labels_and_train(graphs: list[Graph], tmp_path: Path) -> None:
    from spacy.cli.init_pipeline import init_labels_cli

    path = training_config(tmp_path, graphs)

    class Context:
        args: tuple = ()

    init_labels_cli(Context(), path, tmp_path / "labels", None, False, -1)  # type: ignore[arg-type]
    data = srsly.read_json(tmp_path / "labels" / "ucca_parser.json")
    assert set(data) >= {"labels", "deps"} and "A" in data["labels"]
    config = spacy.util.load_config(path)
    config["initialize"]["components"] = {
        "ucca_parser": {
            "labels": {
                "@readers": "spacy.read_labels.v1",
                "path": str(tmp_path / "labels" / "ucca_parser.json"),
                "require": True,
            }
        }
    }
    nlp = init_nlp(config)
    assert nlp.get_pipe("ucca_parser").label_data == data
    (tmp_path / "out").mkdir()
    trained, _ = train(nlp, tmp_path / "out", use_gpu=-1)
    assert (tmp_path / "out" / "model-best").is_dir()
    best = spacy.load(tmp_path / "out" / "model-last")
    assert best.meta["performance"]["ucca_f"] >= 0
    check_same(trained, best, graphs)


@pytest.mark.filterwarnings("ignore")
def test_same_seed_trains_the_same(graphs: list[Graph], tmp_path: Path) -> None:
    path = training_config(tmp_path, graphs)
    found = []
    for _ in range(2):
        nlp = init_nlp(spacy.util.load_config(path))
        trained, _ = train(nlp, None, use_gpu=-1)
        found.append(params(trained))
    for a, b in zip(*found):
        numpy.testing.assert_array_equal(a, b)


@pytest.mark.slow
@pytest.mark.parametrize("system", SYSTEMS)
def test_overfits_the_whole_sample(system: str, sample: list[Graph]) -> None:
    nlp = make_nlp(sample, config=tiny_config(system, hidden_width=64, pair_width=48))
    overfit(nlp, sample, steps=100)
    found = parse(nlp, sample)
    wanted = [g.without(linkage=system == "tree") for g in sample]
    missed = [g.details["id"] for g, ok in zip(sample, same_graphs(found, wanted)) if not ok]
    assert set(missed) <= ({"remote-implicit"} if system == "tree" else set())
