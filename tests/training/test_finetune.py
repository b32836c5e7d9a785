"""Finetuning: 50 sentences by other guidelines improve a small pipeline, and nothing else of it changes."""

import itertools
import random
from pathlib import Path

import numpy
import pytest
import spacy
import srsly
from spacy.cli.train import train as spacy_train
from spacy.language import Language
from spacy.training import Example
from spacy.util import fix_random_seed
from spacy.vocab import Vocab
from thinc.api import Config
from util import CNN, make_doc, make_examples, make_listening_nlp, overfit, parse, tiny_config

from spacy_ucca.errors import UccaError
from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.graph import Graph
from spacy_ucca.tokens.extension import set_guidelines
from spacy_ucca.training.corpus import write_docbin
from spacy_ucca.training.finetune import (
    N_EVALUATIONS,
    Finetuned,
    finetune,
    finetune_config,
    n_steps,
)

NOUNS = ("dog", "teacher", "child", "queen", "river", "letter", "friend", "doctor")
VERBS = ("saw", "followed", "liked", "painted", "forgot", "found")
TIMES = ("today", "yesterday", "often", "twice")
OLD = "[H [A [E the] [C {}]] [P {}] [A [E a] [C {}]] [D {}]] [U .]"
# Articles and times by other guidelines, and a remote edge, which the old sentences do not have
NEW = "[H [A#b [F the] [C {}]] [P {}] [A [F a] [C {}]]] [L and] [H [A* =b] [P left] [T {}]] [U .]"
META = {
    **{"license": "CC BY-SA 4.0", "author": "Somebody", "description": "What it is for"},
    "sources": [{"name": "A corpus", "url": "", "author": "", "license": "CC BY-SA 4.0"}],
}
SCORER = {"@scorers": "spacy-ucca.ucca_scorer.v1"}
STEPS = 36
RATE = "learn_rate"


def sentences(pattern: str, n: int, seed: int) -> list[Graph]:
    """RETURNS (List[Graph]): Different sentences by some guidelines."""
    words = [*itertools.product(NOUNS, VERBS, NOUNS, TIMES)]
    chosen = random.Random(seed).sample(words, n)
    return read_brackets("\n\n".join(pattern.format(*four) for four in chosen))


def write(graphs: list[Graph], path: Path, *guidelines: str) -> Path:
    """Write sentences that name guidelines in turn."""
    docs = [make_doc(Vocab(), graph) for graph in graphs]
    for doc, name in zip(docs, itertools.cycle(guidelines or [""])):
        set_guidelines(doc, name)
    write_docbin(docs, path)
    return path


def make_pipeline() -> Language:
    """RETURNS (Language): A tagger over a tok2vec, and a parser that has learned the old guidelines."""
    fix_random_seed(0)
    nlp = spacy.blank("en")
    nlp.vocab.set_vector("dog", numpy.ones((4,), dtype="float32"))
    nlp.add_pipe("tok2vec", config={"model": {"@architectures": "spacy.HashEmbedCNN.v2", **CNN}})
    listener = {"@architectures": "spacy.Tok2VecListener.v1", "width": 16}
    nlp.add_pipe(
        "tagger", config={"model": {"@architectures": "spacy.Tagger.v2", "tok2vec": listener}}
    )
    config = {**tiny_config(), "scorer": SCORER}
    embed = config["model"]["tok2vec"]["embed"]
    for key, value in (("attrs", "GUIDELINES"), ("rows", 16), ("widths", 4)):
        embed[key] = [*embed[key], value]
    nlp.add_pipe("ucca_parser", config=config)
    graphs = sentences(OLD, 30, 1)
    nlp.initialize(lambda: make_examples(nlp.vocab, graphs))
    overfit(nlp, graphs, steps=20)
    nlp.add_pipe("sentencizer", first=True)
    nlp.disable_pipe("sentencizer")
    nlp.meta.update({**META, "performance": {"tag_acc": 0.5, "ucca_f": 0.1, "ewt_ucca_f": 0.1}})
    return nlp


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model")
    make_pipeline().to_disk(path)
    return path


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("data")
    write(sentences(NEW, 50, 2), path / "train.spacy", "mine")
    write(sentences(NEW, 20, 3), path / "dev.spacy", "mine")
    return path


def config_of(
    model: Path, data: Path, output: Path, train: str = "train.spacy", **options
) -> Config:
    nlp = spacy.load(model)
    options = {"max_steps": STEPS, **options}
    config = finetune_config(nlp, str(model), data / train, data / "dev.spacy", output, **options)
    config["training"]["optimizer"][RATE]["initial_rate"] = 0.01  # the pipeline is small
    return config


@pytest.fixture(scope="module")
def best(model: Path, data: Path, tmp_path_factory: pytest.TempPathFactory) -> Finetuned:
    output = tmp_path_factory.mktemp("output")
    return finetune(config_of(model, data, output), output)


def files(path: Path) -> dict[str, bytes]:
    """RETURNS (Dict[str, bytes]): The content of each file of a directory and below."""
    return {str(p.relative_to(path)): p.read_bytes() for p in path.rglob("*") if p.is_file()}


def weights(path: Path) -> list[bytes]:
    """RETURNS (List[bytes]): The weights of the parser of a pipeline."""
    model = spacy.load(path).get_pipe("ucca_parser").model
    return [node.get_param(p).tobytes() for node in model.walk() for p in sorted(node.param_names)]


def test_fifty_sentences_improve_a_pipeline(best: Finetuned, model: Path, data: Path) -> None:
    assert best.before < 0.6 and best.score > 0.9 and best.step
    nlp, graphs = spacy.load(best.path), sentences(NEW, 20, 3)
    assert not spacy.load(model).get_pipe("ucca_parser").inventory.remote_labels
    assert any(edge.remote for graph in parse(nlp, graphs) for edge in graph.edges)
    # By default as the training data are annotated
    docs = [make_doc(nlp.vocab, graph, gold=False) for graph in graphs]
    references = [make_doc(nlp.vocab, graph) for graph in graphs]
    scores = nlp.evaluate([Example(*pair) for pair in zip(docs, references)])
    assert scores["ucca_f"] == pytest.approx(best.score)
    assert nlp.get_pipe("ucca_parser").guidelines == "mine"


def test_the_pipeline_can_be_updated(best: Finetuned) -> None:
    """spaCy makes the optimizer of its configuration, without the other sections."""
    nlp = spacy.load(best.path)
    assert nlp.resume_training().learn_rate == 0  # of the first update
    config = nlp.config.interpolate()["training"]
    assert config["optimizer"][RATE]["total_steps"] == config["max_steps"] == STEPS


def test_nothing_else_changes(best: Finetuned, model: Path) -> None:
    for part in ("tok2vec", "tagger", "sentencizer"):
        assert files(best.path / part) == files(model / part)
    before, after = files(model), files(best.path)
    for file in ("tokenizer", "vocab/vectors", "vocab/key2row", "vocab/lookups.bin"):
        assert before[file] == after[file]
    assert weights(best.path) != weights(model)
    old, new = (srsly.read_json(path / "meta.json") for path in (model, best.path))
    assert {key: new[key] for key in META} == META
    for key in ("lang", "pipeline", "components", "disabled", "vectors"):
        assert old[key] == new[key]
    assert new["performance"]["ucca_f"] == pytest.approx(best.score)
    assert new["performance"]["tag_acc"] == 0.5 and "ewt_ucca_f" not in new["performance"]
    assert "_sourced_vectors_hashes" not in new


def test_the_pipeline_stays_if_nothing_is_better(model: Path, data: Path, tmp_path: Path) -> None:
    write(sentences(OLD, 20, 1), tmp_path / "dev.spacy")
    write(sentences(OLD, 20, 4), tmp_path / "train.spacy")
    config = config_of(model, tmp_path, tmp_path / "output")
    config["training"]["optimizer"][RATE]["initial_rate"] = 5.0
    best = finetune(config, tmp_path / "output")
    assert best.step == 0 and best.before == best.score > 0.9
    assert weights(best.path) == weights(model)
    assert weights(tmp_path / "output" / "model-last") != weights(model)


def test_the_pipeline_stays_if_others_are_as_good(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluate, equal = Language.evaluate, {"ucca_f": 0.5}
    monkeypatch.setattr(Language, "evaluate", lambda *args: {**evaluate(*args), **equal})
    for name in ("train", "dev"):
        write(sentences(OLD, 20, 4), tmp_path / f"{name}.spacy")
    output = tmp_path / "output"
    best = finetune(config_of(model, tmp_path, output, max_steps=4), output)
    assert best.step == 0 and best.before == best.score == 0.5
    assert weights(best.path) == weights(model) != weights(output / "model-last")
    assert sorted(p.name for p in output.iterdir()) == ["model-best", "model-last", "scores.jsonl"]
    first, *_ = srsly.read_jsonl(output / "scores.jsonl")
    performance = srsly.read_json(best.path / "meta.json")["performance"]
    primary = first["scores"]["ucca_primary_f"] / 100
    assert performance["ucca_primary_f"] == pytest.approx(primary) != 0.5
    assert performance["tag_acc"] == 0.5


@pytest.mark.parametrize("interrupted", [False, True])
def test_scores_of_frozen_components_stay(
    interrupted: bool, model: Path, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config, output = config_of(model, data, tmp_path / "output", max_steps=3), tmp_path / "output"
    if interrupted:
        update, calls = Language.update, iter(range(10))

        def interrupt(*args, **kwargs):
            if next(calls) == 2:
                raise KeyboardInterrupt
            return update(*args, **kwargs)

        monkeypatch.setattr(Language, "update", interrupt)
        output.mkdir()
        with pytest.raises(KeyboardInterrupt):
            finetune(config, output)
        assert {p.name for p in output.iterdir()} == {"model-best", "model-last", "scores.jsonl"}
    else:
        config.to_disk(tmp_path / "config.cfg")
        spacy_train(tmp_path / "config.cfg", output)
    for name in ("model-best", "model-last"):
        performance = srsly.read_json(output / name / "meta.json")["performance"]
        assert performance["tag_acc"] == 0.5 and "ewt_ucca_f" not in performance
        assert performance["ucca_f"] != 0.1


def test_earlier_pipelines_stay_until_training_ends(
    model: Path, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whenever the process dies, there is a whole pipeline."""
    config, update, seen = config_of(model, data, tmp_path, max_steps=3), Language.update, []
    finetune(config, tmp_path)
    before = {name: files(tmp_path / name) for name in ("model-best", "model-last")}

    def look(*args, **kwargs):
        now = {name: files(tmp_path / name) for name in before}
        seen.append((now == before, (tmp_path / "unfinished" / "model-best").exists()))
        return update(*args, **kwargs)

    monkeypatch.setattr(Language, "update", look)
    finetune(config_of(model, data, tmp_path, max_steps=4, seed=1), tmp_path)
    assert all(same for same, _ in seen) and seen[-1][1]
    assert files(tmp_path / "model-last") != before["model-last"]


def test_the_seed_decides(model: Path, data: Path, best: Finetuned, tmp_path: Path) -> None:
    found = finetune(config_of(model, data, tmp_path, seed=1), tmp_path)
    assert weights(found.path) != weights(best.path)


def test_spacy_train_does_the_same(
    model: Path, data: Path, best: Finetuned, tmp_path: Path
) -> None:
    config_of(model, data, tmp_path / "output").to_disk(tmp_path / "config.cfg")
    spacy_train(tmp_path / "config.cfg", tmp_path / "output")
    path = tmp_path / "output" / "model-best"
    assert weights(path) == weights(best.path)
    assert srsly.read_json(path / "meta.json")["sources"] == META["sources"]


def test_a_parser_that_listens(graphs: list[Graph], tmp_path: Path) -> None:
    nlp = make_listening_nlp(graphs)
    overfit(nlp, graphs, steps=5)
    nlp.get_pipe_config("ucca_parser")["scorer"] = SCORER
    nlp.to_disk(tmp_path / "model")
    for name in ("train", "dev"):
        write(graphs, tmp_path / f"{name}.spacy")
    output = tmp_path / "output"
    best = finetune(config_of(tmp_path / "model", tmp_path, output), output)
    assert best.step and best.score > best.before
    assert files(best.path / "tok2vec") == files(tmp_path / "model" / "tok2vec")


@pytest.mark.parametrize(
    "names, expected", [(("v1", "v2"), "old"), (("",), "old"), (("v1",), "v1")]
)
def test_default_guidelines(names, expected, model: Path, data: Path, tmp_path: Path) -> None:
    nlp = spacy.load(model)
    parser = nlp.get_pipe("ucca_parser")
    parser.add_guidelines("old")
    parser.guidelines = nlp.get_pipe_config("ucca_parser")["guidelines"] = "old"
    nlp.to_disk(tmp_path / "model")
    for name in ("train", "dev"):
        write(sentences(NEW, 10, 2), tmp_path / f"{name}.spacy", *names)
    output = tmp_path / "output"
    best = finetune(config_of(tmp_path / "model", tmp_path, output, max_steps=2), output)
    tuned = spacy.load(best.path).get_pipe("ucca_parser")
    assert tuned.guidelines == expected
    assert set(tuned.known_guidelines) >= {"old", *names} - {""}


def test_odd_sentences(model: Path, data: Path, tmp_path: Path) -> None:
    texts = ["[H [P Go]]", "[H [A 👩‍👩‍👧] [P 😀]] [U !]", "[H [P a " + "and b " * 500 + "]]"]
    write([graph for text in texts for graph in read_brackets(text)], tmp_path / "train.spacy")
    write(sentences(NEW, 2, 2), tmp_path / "dev.spacy")
    output = tmp_path / "output"
    assert finetune(config_of(model, tmp_path, output, max_steps=3), output).path.is_dir()


def test_steps_follow_the_size(model: Path, data: Path) -> None:
    sizes = [1, 200, 1000, 5000, 20_000, 170_000, 10**6]
    steps = [n_steps(size) for size in sizes]
    assert steps == sorted(steps) and not any(n % N_EVALUATIONS for n in steps)
    epochs = [n * 200 / size for n, size in zip(steps, sizes)][1:]
    assert epochs == sorted(epochs, reverse=True) and epochs[-1] > 1
    for max_steps in (0, 1, 5, 100, 10_000):
        training = config_of(model, data, Path("output"), max_steps=max_steps)["training"]
        assert training["max_steps"] == max_steps or not max_steps
        n_evaluations = training["max_steps"] // training["eval_frequency"]
        assert n_evaluations >= min(training["max_steps"], 10)


def test_what_the_parser_reads_has_to_be_there(model: Path, data: Path, tmp_path: Path) -> None:
    graphs = sentences(NEW, 2, 2)
    docs = [make_doc(Vocab(), graphs[0]), make_doc(Vocab(), graphs[1], syntax=False)]
    write_docbin(docs, tmp_path / "bare.spacy")
    nlp = spacy.load(model)
    for train, dev in (("bare", "dev"), ("dev", "bare")):
        write(graphs, tmp_path / "dev.spacy")
        paths = (tmp_path / f"{name}.spacy" for name in (train, dev))
        with pytest.raises(UccaError, match=r"Doc 2 of .*bare.spacy has no tags.*--model"):
            finetune_config(nlp, str(model), *paths, tmp_path)
    nlp.remove_pipe("tagger")
    finetune_config(nlp, str(model), tmp_path / "bare.spacy", tmp_path / "dev.spacy", tmp_path)


def test_guidelines_to_be_measured_have_to_be_learned(
    model: Path, data: Path, tmp_path: Path
) -> None:
    nlp, dev = spacy.load(model), tmp_path / "dev.spacy"
    for names, known in ((("mine", ""), True), (("mine", "other"), False)):
        write(sentences(NEW, 4, 3), dev, *names)
        if known:
            finetune_config(nlp, str(model), data / "train.spacy", dev, tmp_path)
            continue
        with pytest.raises(UccaError, match=r"dev.spacy names .*'other'.*train.spacy"):
            finetune_config(nlp, str(model), data / "train.spacy", dev, tmp_path)
        nlp.get_pipe("ucca_parser").add_guidelines("other")
        finetune_config(nlp, str(model), data / "train.spacy", dev, tmp_path)
