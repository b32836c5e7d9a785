"""`spacy-ucca finetune`: options, messages, and mistakes, which cost no file."""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import spacy
from cli_runs import run
from spacy.tokens import DocBin
from spacy.vocab import Vocab
from thinc.api import Config
from util import make_doc, make_nlp, tiny_config

from spacy_ucca.cli.finetune import override
from spacy_ucca.errors import UccaError
from spacy_ucca.graph import Graph
from spacy_ucca.training.corpus import write_docbin


@pytest.fixture(scope="module")
def folder(graphs: list[Graph], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pipeline `model`, and `data.spacy`."""
    path = tmp_path_factory.mktemp("folder")
    scorer = {"@scorers": "spacy-ucca.ucca_scorer.v1"}
    make_nlp(graphs, config={**tiny_config(), "scorer": scorer}).to_disk(path / "model")
    write_docbin([make_doc(Vocab(), graph) for graph in graphs], path / "data.spacy")
    return path


@pytest.fixture
def args(folder: Path) -> list:
    return ["finetune", folder / "model", folder / "data.spacy", folder / "data.spacy"]


def test_it_trains_and_says_so(args: list, tmp_path: Path) -> None:
    output, code = tmp_path / "new" / "output", tmp_path / "code.py"
    code.write_text("import spacy\nspacy.registry.misc('test_finetune.v1')(lambda: 1)\n", "utf8")
    options = ["--max-steps", 12, "--seed", 3, "--code", code, "--training.dropout", "0.1"]
    options += ["--name", "ucca_mine", "--description", "What I made."]
    result = run(*args, "-o", output, *options)
    assert f"{output / 'model-best'}: labeled F1" in result.stderr and "before" in result.stderr
    assert len((output / "scores.jsonl").read_text("utf8").splitlines()) == 13
    nlp = spacy.load(output / "model-best")
    assert (nlp.meta["name"], nlp.meta["description"]) == ("ucca_mine", "What I made.")
    assert "10 sentences: gains below " in result.stderr
    training = nlp.config["training"]
    assert (training["max_steps"], training["dropout"]) == (12, 0.1)
    assert nlp.config["system"]["seed"] == 3
    assert nlp("John left .")._.ucca.words == ("John", "left", ".")
    assert spacy.registry.has("misc", "test_finetune.v1")
    # What is there is replaced only if that is wanted.
    result = run(*args, "-o", output, "--max-steps", 1, code=1)
    assert "not empty" in result.stderr and "--force" in result.stderr
    run(
        *args,
        "-o",
        output,
        "--max-steps",
        1,
        "--training.optimizer.learn_rate.initial_rate",
        "0",
        "-f",
    )
    assert len((output / "scores.jsonl").read_text("utf8").splitlines()) == 2


def test_the_configuration_is_printed(args: list, folder: Path, tmp_path: Path) -> None:
    before = sorted(folder.rglob("*"))
    result = run(*args, "--print-config", "--seed", 7, "-o", tmp_path / "output")
    config = Config().from_str(result.stdout)
    assert config["components"] == {"ucca_parser": {"source": str(folder / "model")}}
    assert config["training"]["seed"] == 7
    assert sorted(folder.rglob("*")) == before and not any(tmp_path.iterdir())


def test_every_setting_can_be_overridden_and_none_mistyped(args: list) -> None:
    config = Config().from_str(run(*args, "--print-config").stdout, interpolate=False)
    keys = [
        *("training.accumulate_gradient", "training.optimizer.beta1", "corpora.dev.limit"),
        *("components.ucca_parser.replace_listeners", "training.score_weights.ucca_p"),
        *leaves(config, ""),
    ]
    assert len(keys) > 40
    for key in keys:
        changed = override(config, {key: "new"})
        for name in key.split("."):
            changed = changed[name]
        assert changed == "new"
        section, _, name = key.rpartition(".")
        for wrong in (name + name[-1], name[:-1] if len(name) > 2 else name + "x"):
            with pytest.raises(UccaError, match=re.escape(f"no setting --{section}.{wrong}. ")):
                override(config, {key: 1, f"{section}.{wrong}": 1})
        if len(name) > 3:
            with pytest.raises(UccaError, match=re.escape(f"mean --{key}?")):
                override(config, {f"{section}.{name[:2]}{name[3:]}": 1})


def leaves(section: dict, prefix: str) -> Iterator[str]:
    """YIELDS (str): The name of each setting but those of the functions' names."""
    for key, value in section.items():
        if isinstance(value, dict):
            yield from leaves(value, f"{prefix}{key}.")
        elif not key.startswith("@"):
            yield prefix + key


def test_another_function_has_other_settings(args: list) -> None:
    config = Config().from_str(run(*args, "--print-config").stdout, interpolate=False)
    rate = "training.optimizer.learn_rate"
    with pytest.raises(UccaError, match="no setting"):
        override(config, {f"{rate}.power": 2})
    override(config, {f"{rate}.@schedules": "warmup_linear.v1", f"{rate}.initial_rate": 2})
    schedule = {f"{rate}.@schedules": "compounding.v1", f"{rate}.compound": 2}
    assert override(config, schedule)["training"]["optimizer"]["learn_rate"]["compound"] == 2


def test_the_learn_rate_follows_the_steps(args: list) -> None:
    steps, total = "--training.max_steps", "--training.optimizer.learn_rate.total_steps"
    for options, expected in (
        (["--max-steps", 3], (3, 3, 1, 1)),
        (["--max-steps", 3, steps, 1200], (1200, 1200, 50, 100)),
        ([steps, 12], (12, 12, 1, 1)),
        ([steps, 12, total, 24], (12, 24, 1, 1)),
    ):
        text = run(*args, "--print-config", *options).stdout
        training = Config().from_str(text).interpolate()["training"]
        rate = training["optimizer"]["learn_rate"]
        result = (rate["total_steps"], rate["warmup_steps"], training["eval_frequency"])
        assert (training["max_steps"], *result) == expected
    # spacy train --training.max_steps
    text = run(*args, "--print-config", "--max-steps", 3).stdout
    config = Config().from_str(text, overrides={"training.max_steps": 9})
    assert config["training"]["optimizer"]["learn_rate"]["total_steps"] == 9


def test_labeled_f1_is_said_whatever_is_weighted(args: list, tmp_path: Path) -> None:
    weights = ["--training.score_weights.ucca_f", "0.0", "--training.score_weights.ucca_p", "9.0"]
    rate = ["--training.optimizer.learn_rate.initial_rate", "0.0"]
    for options in ([], rate):
        result = run(*args, "-o", tmp_path, "-f", "--max-steps", 4, *weights, *options)
        rows = [json.loads(row) for row in (tmp_path / "scores.jsonl").open()]
        best = max(rows, key=lambda row: (row["score"], row["step"]))
        f1 = f"{(best if best['score'] > rows[0]['score'] else rows[0])['scores']['ucca_f']:.1f}"
        (said,) = (line for line in result.stderr.splitlines() if "labeled F1" in line)
        assert f"labeled F1 {f1}" in said and f"{100 * best['score']:.1f}" not in said


def test_nothing_better(args: list, tmp_path: Path) -> None:
    rate = ["--training.optimizer.learn_rate.initial_rate", "0.0"]
    result = run(*args, "-o", tmp_path / "output", "--max-steps", 3, *rate)
    assert "nothing was better" in result.stderr


BAD = {
    **{"nlp.lang": ("de", "x", "[]", "null"), "nlp.batch_size": ("-1", "null")},
    **{"nlp.pipeline": ("[]", "1"), "components.ucca_parser.source": ("[]", "1")},
    **{"training.seed": ("x", "1.5"), "training.dropout": ("0", "-1", "1.5")},
    **{"training.eval_frequency": ("0", "-1", "1.5"), "training.accumulate_gradient": ("0",)},
    **{"training.batcher.size": ("[]", "0"), "training.optimizer.L2": ("x", "[]")},
    **{"training.optimizer.beta1": ("0", "x"), "training.optimizer.grad_clip": ("-1",)},
    **{"training.optimizer.learn_rate": ("x",), "training.train_corpus": ("x",)},
    **{"training.logger.progress_bar": ("x",), "training.logger.output_file": ("null", "x")},
    **{"training.score_weights.ucca_f": ("x", "null"), "training.dev_corpus": ("x",)},
    **{"training.score_weights.ucca_per_type": ("0.0",)},
    **{"initialize.after_init.component": ("sentencizer", "no")},
}


@pytest.mark.parametrize("key", BAD)
def test_bad_values_are_named(key: str, args: list, folder: Path, tmp_path: Path) -> None:
    nlp = spacy.load(folder / "model")
    nlp.add_pipe("sentencizer")
    nlp.to_disk(tmp_path / "model")
    command, _, *data = args
    for value in BAD[key]:
        options = ["-o", tmp_path / "out", "-f", "--max-steps", 1, f"--{key}", value]
        result = run(command, tmp_path / "model", *data, *options, code=1)
        assert isinstance(result.exception, SystemExit)
        message = result.stderr.strip().splitlines()[-1]
        # spaCy and Thinc name some by the value, or by the argument alone.
        names = {key.rpartition(".")[2], value, "b1", "language", "component"}
        assert message.startswith("Error: [UC5") and any(name in message for name in names)
        assert len(message) < 400 and "{" not in message


def test_mistakes(args: list, folder: Path, tmp_path: Path, graphs: list[Graph]) -> None:
    command, model, data, _ = args
    spacy.blank("en").to_disk(tmp_path / "blank")
    DocBin().to_disk(tmp_path / "empty.spacy")
    doc = make_doc(Vocab(), graphs[0], gold=False)
    DocBin(docs=[doc], store_user_data=True).to_disk(tmp_path / "bare.spacy")
    (tmp_path / "broken.spacy").write_bytes(b"?")
    (tmp_path / "nothing").mkdir()
    (tmp_path / "file").write_text("")
    (tmp_path / "bad.py").write_text("1 / 0")
    (tmp_path / "inner").mkdir()
    spacy.load(model).to_disk(tmp_path / "inner" / "model")
    best = tmp_path / "trained" / "model-best"
    best.mkdir(parents=True)
    shutil.copy(data, best / "own.spacy")
    before = sorted(tmp_path.rglob("*"))
    good, out = (model, data, data), tmp_path / "out"
    for arguments, code, message in (
        (good, 2, "--output"),
        ((*good, "-o", tmp_path / "file"), 1, "cannot be used as a directory"),
        ((*good, "-o", tmp_path), 1, "not empty"),
        ((tmp_path / "inner" / "model", data, data, "-o", tmp_path / "inner", "-f"), 1, "is in"),
        ((model, best / "own.spacy", data, "-o", best.parent, "-f"), 1, "UC526"),
        ((model, data, best, "-o", best.parent, "-f"), 1, "UC526"),
        ((tmp_path / "blank", data, data, "-o", out), 1, "no `ucca_parser`"),
        ((tmp_path / "no_model", data, data, "-o", out), 1, "no_model"),
        ((model, tmp_path / "no.spacy", data, "-o", out), 2, "no.spacy"),
        ((model, data, tmp_path / "no.spacy", "-o", out), 2, "no.spacy"),
        ((model, tmp_path / "nothing", data, "-o", out), 1, "no files of graphs"),
        ((model, tmp_path / "empty.spacy", data, "-o", out), 1, "no Docs"),
        ((model, data, tmp_path / "bare.spacy", "-o", out), 1, "Doc 1 of"),
        ((model, tmp_path / "broken.spacy", data, "-o", out), 1, "not a .spacy file"),
        ((*good, "-o", out, "--code", tmp_path / "bad.py"), 1, "ZeroDivisionError"),
        ((*good, "-o", out, "--code", tmp_path / "no.py"), 2, "no.py"),
        ((*good, "-o", out, "--training.dropout", "many"), 1, "dropout"),
        ((*good, "-o", out, "--training.droput", "0.1"), 1, "mean --training.dropout?"),
        ((*good, "-o", out, "--training.optimizr.L2", "1"), 1, "mean --training.optimizer.L2?"),
        ((*good, "-o", out, "--components.ucca_parser.beam_width", "4"), 1, "no setting"),
        ((*good, "-o", out, "--training.batcher.@batchers", "no.v1"), 1, "no.v1"),
        ((*good, "-o", out, "--training.optimizer.learn_rate", "-1"), 1, "at least 0"),
        ((*good, "-o", out, "--training.optimizer.learn_rate", "1e999"), 1, "a finite number"),
        (
            (*good, "-o", out, "--training.optimizer.learn_rate.initial_rate", "1e999"),
            1,
            "finite number",
        ),
        ((*good, "-o", out, "--training.optimizer.grad_clip", "1e999"), 1, "a finite number"),
        ((*good, "-o", out, "--corpora.train.max_length", "-1"), 1, "max_length"),
        ((*good, "-o", out, "--wrong", "1"), 2, "--wrong"),
        ((*good, "-o", out, "--max-steps", "-1"), 2, "--max-steps"),
    ):
        result = run(command, *arguments, code=code)
        assert message in " ".join(result.output.split()), result.output
        assert "Traceback" not in result.output
        assert [path for path in sorted(tmp_path.rglob("*")) if path != out] == before


def test_a_training_that_fails_says_why(args: list, tmp_path: Path) -> None:
    for i, rate in enumerate(("1e30", "1e38")):
        options = ("--max-steps", 24, "--training.optimizer.learn_rate", rate)
        result = run(*args, "-o", tmp_path / str(i), *options, code=1)
        assert "Error: [UC34" in result.stderr and "learn_rate" in result.stderr
