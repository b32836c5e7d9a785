"""Each benchmark runs, on a pipeline and a corpus so small that figures say nothing, and its sums are right."""

import json
import statistics
import subprocess
import sys
from pathlib import Path
from unittest import mock

import ablations
import annotation
import bench_blas
import bench_latency
import bench_matcher
import bench_pipeline
import bench_processes
import bench_scorer
import bench_startup
import bench_stream
import bench_training
import errors
import measuring
import noise
import pytest
import runs
import spacy
import syntax
import typer
from benchmark_runs import LISTENER, TINY, corpus, model, pipeline, run  # noqa: F401
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from thinc.api import NumpyOps
from threadpoolctl import threadpool_info, threadpool_limits
from util import tiny_config

from spacy_ucca.formats.xml import write_xml
from spacy_ucca.graph import Graph
from spacy_ucca.layers.numpy_products import NumpyProducts, one_blas_thread
from spacy_ucca.matcher import parse_pattern
from spacy_ucca.training.corpus import read_docbin

ROOT = Path(__file__).parent.parent
SCRIPTS = sorted(path.name for path in (ROOT / "benchmarks").glob("*.py"))
HELPERS = {"bracketed.py", "constructions.py", "measuring.py", "runs.py", "scheme_labels.py"}


@pytest.fixture(autouse=True)
def one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in measuring.THREADS:
        monkeypatch.setenv(name, "1")


# What all share


def test_more_threads_are_refused(monkeypatch, capsys):
    measuring.one_thread()
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "2")
    with pytest.raises(typer.Exit):
        measuring.one_thread()
    message = capsys.readouterr().err
    assert "Set OPENBLAS_NUM_THREADS to 1" in message and "OMP_NUM_THREADS=1 OPENBLAS" in message


def test_rounds_are_interleaved_and_warm_up_does_not_count():
    order: list[str] = []
    tasks = {name: lambda name=name: order.append(name) for name in "ab"}
    ticks = iter(range(100))
    seconds = measuring.interleave(tasks, 2, warm_up=1, clock=lambda: next(ticks))
    assert order == ["a", "b", "b", "a", "a", "b"]
    assert seconds == {"a": [1, 1], "b": [1, 1]}


@pytest.mark.parametrize("name", sorted(set(SCRIPTS) - HELPERS))
def test_every_script_says_how_it_is_run_and_what_for(name):
    text = (ROOT / "benchmarks" / name).read_text("utf8")
    assert f"    python benchmarks/{name} " in text.split('"""')[1]
    assert f"`{name}`" in (ROOT / "benchmarks" / "README.md").read_text("utf8")


def test_matcher(tmp_path):
    model = ROOT / "models" / "en_ucca_sm"
    if not model.exists():
        pytest.skip("no pipeline ships yet")
    texts = tmp_path / "texts.conllu"
    texts.write_text("# text = He often gets letters.\n\n# text = She buys a big house.\n", "utf8")
    found = run(bench_matcher, model, texts, "--sentences", 3, "--repeat", 1, folder=tmp_path)
    assert found["docs"] == 2 and found["sentences"] == 3
    assert [*found["patterns"]] == [*bench_matcher.PAIRS]
    for name, (tree, text) in bench_matcher.PAIRS.items():
        assert len(parse_pattern(text)) == len(tree) == int(name[0])
        assert 0 < found["patterns"][name]["ratio"]["median"]
    assert all(n > 0 for n in found["patterns"]["3 nodes: who gets what"]["matches"])


def test_noise(model, corpus, tmp_path):
    found = run(noise, model, corpus, folder=tmp_path)
    (sets,) = (found[name] for name in found if name == Path(corpus).stem)
    assert set(sets) == set(noise.KINDS)
    assert all(0 <= scores["ucca_f"] <= 1 for scores in sets.values())
    assert f"{100 * sets['upper']['ucca_f']:.1f}" in found["output"]


# Speed and cost


def test_pipeline(model, corpus, tmp_path):
    found = run(bench_pipeline, model, corpus, "--repeat", 2, folder=tmp_path)
    assert found["sides"] == {
        "ucca_parser": ["ucca_parser"],
        "tagger + parser": ["tok2vec", "tagger", "parser"],
    }
    seconds, sides = found["seconds"], found["seconds_of_sides"]
    lowest = sum(seconds[name]["min"] for name in found["sides"]["tagger + parser"])
    assert sides["tagger + parser"]["min"] >= lowest - 1e-9
    ratio = sides["ucca_parser"]["min"] / sides["tagger + parser"]["min"]
    assert found["ratio"]["min"] == pytest.approx(ratio, abs=1e-3)
    speed = found["words"] / seconds["ucca_parser"]["min"]
    assert found["words_per_second"]["ucca_parser"]["min"] == pytest.approx(speed, abs=1)
    assert "(ucca_parser) / (tok2vec + tagger + parser) =" in found["output"]
    assert found["machine"]["cores"]


def test_blas(model, corpus, tmp_path):
    found = run(bench_blas, model, corpus, "--repeat", 1, "--n-busy", 1, folder=tmp_path)
    for kind in ("idle", "busy"):
        (shipped,) = found[kind]["seconds"][bench_blas.SHIPPED]
        for side, ratio in found[kind]["ratios"].items():
            (seconds,) = found[kind]["seconds"][side]
            assert ratio == pytest.approx(seconds / shipped)


def test_sides_of_the_blas_benchmark_differ_in_layers_and_threads():
    nlp = spacy.blank("en")
    nlp.add_pipe("tagger")
    kinds = {}
    with mock.patch.object(nlp, "pipe", return_value=[]):
        for name, task in bench_blas.tasks(nlp, []).items():
            task()
            kinds[name] = {type(layer.ops) for layer in nlp.get_pipe("tagger").model.walk()}
    assert kinds[bench_blas.SHIPPED] == kinds[bench_blas.THREADS] == {NumpyProducts}
    assert kinds[bench_blas.THINC] == {NumpyOps}
    with threadpool_limits(2, user_api="blas"), bench_blas.many_threads():
        before = threadpool_info()
        with one_blas_thread():
            assert threadpool_info() == before


def test_components_that_only_can_be_called_are_timed():
    nlp = spacy.blank("en")
    nlp.add_pipe("sentence_boundaries")
    nlp.add_pipe("ucca_parser", config=tiny_config())
    seconds = bench_pipeline.time_components(nlp, [], 8)
    assert {"sentence_boundaries", "ucca_parser"} <= set(seconds)


def test_a_shared_tok2vec_is_counted_on_both_sides(graphs):
    nlp = spacy.blank("en")
    nlp.add_pipe("tok2vec", config={"model": TINY})
    nlp.add_pipe("tagger", config={"model": {"tok2vec": LISTENER}})
    nlp.add_pipe("ucca_parser", config=tiny_config(tok2vec=LISTENER))
    assert bench_pipeline.listened(nlp, ("ucca_parser",)) == ["tok2vec"]
    assert bench_pipeline.listened(nlp, ("tagger", "parser")) == ["tok2vec"]
    assert bench_pipeline.listened(nlp, ("parser",)) == []


@pytest.mark.parametrize("length", [1, 2, 7, 60])
def test_sentences_of_exact_length(pipeline, corpus, length):
    parsed = [doc for doc in read_docbin(corpus, pipeline.vocab)]
    docs = bench_latency.long_sentences(pipeline.vocab, parsed, length, 100)
    assert sum(map(len, docs)) >= 100 > sum(map(len, docs[1:]))
    words = [t.text for _ in range(20) for doc in parsed for t in doc]
    assert [t.text for doc in docs for t in doc] == words[: length * len(docs)]
    for doc in docs:
        assert len(doc) == length and len(list(doc.sents)) == 1
        assert doc.has_annotation("TAG") and doc.has_annotation("DEP")
    # What was not cut has its own heads.
    if length == 60:
        pairs = [(t.i, t.head.i) for t in docs[0][: len(parsed[0])] if t.head.i]
        assert pairs == [(t.i, t.head.i) for t in parsed[0] if t.head.i and t.dep_ != "ROOT"]


def test_latency(model, corpus, tmp_path):
    options = ("--n-tokens", 4, "--lengths", "3,9", "--size", 18, "--repeat", 1, "--rounds", 1)
    found = run(bench_latency, model, corpus, *options, folder=tmp_path)
    assert found["tokens_per_length"] == {"3": 18, "9": 18}
    times = [value["min"] for value in found["microseconds_per_token"]["batches"].values()]
    ratio = found["longest_to_shortest_time"]["batches"]
    assert ratio == pytest.approx(max(times) / min(times), rel=0.01)
    assert found["milliseconds"]["with"] > 0


def test_growth_is_that_of_the_line_after_warm_up():
    mib = 2**20
    jump = [(n * 1000, 50 * mib if n < 4 else 90 * mib, 100 * mib) for n in range(1, 11)]
    found = bench_stream.growth(jump)
    assert found["grown_mib"] == found["highest_share"] == 0
    leak = [(n * 1000, (80 + n) * mib, (90 + n) * mib) for n in range(1, 11)]
    found = bench_stream.growth(leak)
    assert found["mib_per_million_tokens"] == pytest.approx(1000)
    assert found["grown_mib"] == pytest.approx(6)
    assert found["grown_share"] == pytest.approx(6 / 87, abs=1e-4)
    assert found["highest_share"] == pytest.approx(1 / 99, abs=1e-4)


def test_memory_is_seen():
    before = bench_stream.resident_memory()
    held = bytearray(b"x" * 2**26)
    assert bench_stream.resident_memory() - before > 2**25
    del held


def test_stream(model, corpus, tmp_path):
    found = run(
        *(bench_stream, model, corpus, "--tokens", 60, "--n-sentences", 2),
        *("--sentences", 6, "--repeat", 1),
        folder=tmp_path,
    )
    points = [point["tokens"] for point in found["stream"]["points"]]
    assert len(points) == 10 and points == sorted(points) and points[-1] >= 60
    assert all(p["lowest_mib"] <= p["highest_mib"] for p in found["stream"]["points"])
    counts = [times["texts"] for times in found["processes"].values()]
    assert counts == [6, 6, 3]
    for times in found["processes"].values():
        one, two = (times["seconds"][f"n_process={n}"]["min"] for n in (1, 2))
        assert times["ratio"] == pytest.approx(one / two, abs=1e-3)
        assert times["start_seconds"] > 0


@pytest.mark.slow
def test_processes(model, corpus, tmp_path):
    options = ("--words", 1, "--n-sentences", 2, "--repeat", 1)
    found = run(bench_processes, model, corpus, *options, folder=tmp_path)
    for name in ("parse_texts", "spacy-ucca parse"):
        for figures in found[name].values():
            for kind, ratio in figures["ratio"].items():
                (separate,), (together,) = figures[kind].values()
                assert ratio == pytest.approx(separate / together, abs=1e-3)
    assert bench_processes.divide("abcde") == (["a", "c", "e"], ["b", "d"])


def test_a_side_that_fails_is_no_figure(tmp_path):
    fails = [sys.executable, "-c", "raise SystemExit(3)"]
    with pytest.raises(subprocess.CalledProcessError):
        bench_processes.run_all([fails])
    empty = [sys.executable, "-c", f"open(r'{tmp_path}/all.jsonl', 'w')"]
    one = [sys.executable, "-c", "import sys; open(sys.argv[1], 'w').write('{}\\n')"]
    with pytest.raises(ValueError, match="1, 1, 0"):
        bench_processes.compare(
            ["a", "b"], (lambda _, output: [*one, str(output)], lambda *_: empty), tmp_path, 1
        )


def test_training(corpus, tmp_path):
    configs = {}
    for name, source in (("ucca", "ci"), ("syntax", "syntax")):
        text = (ROOT / "configs" / f"{source}.cfg").read_text("utf8")
        configs[name] = tmp_path / f"{name}.cfg"
        # No label of so few sentences is frequent.
        text = text.replace('factory = "parser"', 'factory = "parser"\nmin_action_freq = 1')
        configs[name].write_text(text.replace("width = 96", "width = 8"), "utf8")
    found = run(
        *(bench_training, corpus, "--ucca", configs["ucca"], "--syntax", configs["syntax"]),
        *("--limit", 4, "--epochs", 2),
        folder=tmp_path,
    )
    assert found["docs"] == 4
    speed = found["words_per_second"]
    ratio = speed["ucca_parser"]["min"] / speed["parser"]["min"]
    assert found["speed_to_parser"]["min"] == pytest.approx(ratio, abs=1e-3)
    assert all(first > 0 for first, _ in found["losses"].values())
    sparse = ROOT / "configs" / "tupa-sparse.cfg"
    found = run(
        *(bench_training, corpus, "--ucca", sparse, "--than", configs["ucca"]),
        *("--limit", 4, "--epochs", 2),
        folder=tmp_path,
    )
    assert set(found["words_per_second"]) == {"ucca_parser", "ucca"}
    assert found["speed_to_ucca"]["min"] > 0


def test_scorer(graphs, tmp_path):
    pytest.importorskip("ucca", reason="the ucca package is not installed")
    for i, graph in enumerate(graphs[:3]):
        write_xml(graph, tmp_path / f"{i}.xml")
    found = run(bench_scorer, tmp_path, "--files", 2, folder=tmp_path)
    assert found["pairs"] == 2 and found["ratio"] > 0


def test_import_loads_nothing_but_spacy_and_this_package():
    own = "import sys, spacy; before = set(sys.modules); import spacy_ucca\n"
    code = own + "print(*sorted({m.partition('.')[0] for m in set(sys.modules) - before}))"
    assert bench_startup.run(code).stdout.split() == ["spacy_ucca"]


@pytest.mark.slow
def test_startup(model, tmp_path):
    found = run(bench_startup, model, "--repeat", 1, "--modules", folder=tmp_path)
    cpu = {name: found["load_ms"][name]["cpu"]["min"] for name in ("with", "without")}
    assert found["load_ratio"]["cpu"]["min"] == pytest.approx(
        cpu["with"] / cpu["without"], abs=0.01
    )
    assert all(name.startswith("spacy_ucca") for name in found["modules_ms"])


# Accuracy


class Commands:
    """In place of `spacy train` and `spacy-ucca evaluate`: what was asked for, and scores of our own."""

    def __init__(self) -> None:
        self.trained: list[dict[str, str]] = []

    def __call__(self, arguments: list[str], log: Path) -> None:
        if arguments[2] == "train":
            options = dict(zip(arguments[4::2], arguments[5::2], strict=True))
            self.trained.append(options)
            if options.get("--training.dropout") == "0.9":
                raise RuntimeError("too much")
            return
        assert arguments[:3] == ["-m", "spacy_ucca", "evaluate"]
        out = Path(arguments[arguments.index("--json") + 1])
        seed = int(self.trained[-1]["--system.seed"])
        scores = {"ucca_primary_f": 0.7 + 0.02 * seed, "ucca_f": 0.6, "ucca_remote_f": 0.5}
        out.write_text(json.dumps({**scores, "ucca_implicit_f": None}), "utf8")


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch) -> Commands:
    found = Commands()
    monkeypatch.setattr(runs, "call", found)
    return found


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    path = tmp_path / "project" / "benchmarks" / "table.json"
    (tmp_path / "project" / "configs").mkdir(parents=True)
    path.parent.mkdir()
    (tmp_path / "project" / "configs" / "a.cfg").write_text("[a]", "utf8")
    table = {"config": "configs/a.cfg", "runs": {"as it is": {}, "less": {"training.dropout": 0.1}}}
    path.write_text(json.dumps(table), "utf8")
    return path


def test_our_ablations_change_what_the_configurations_have():
    for name, (config, settings) in ablations.read_table(
        ROOT / "benchmarks/ablations.json"
    ).items():
        loaded = spacy.util.load_config(config)
        for key, value in settings.items():
            section = loaded
            *path, last = key.split(".")
            for part in path:
                section = section[part]
            assert last in section and section[last] != value, f"{name}: {key}"


def test_ablations(commands, lines, corpus, tmp_path):
    options = [ablations, "--train", corpus, "--dev", corpus, "--output", tmp_path / "runs"]
    options += ["--table", lines, "--map", "T=D", "--set", "training.max_steps=7"]
    found = run(*options, "--seeds", "0,1", folder=tmp_path)
    # Seed by seed
    asked = [(c["--system.seed"], c.get("--training.dropout")) for c in commands.trained]
    assert asked == [("0", None), ("0", "0.1"), ("1", None), ("1", "0.1")]
    assert all(c["--training.max_steps"] == "7" for c in commands.trained)
    for scores in found["lines"].values():
        primary = scores["sample"]["primary"]
        assert primary["mean"] == pytest.approx(0.71)
        assert primary["sd"] == pytest.approx(statistics.stdev([0.7, 0.72]))
        assert "implicit" not in scores["sample"]
    assert "| less | 71.0 ± 1.4 | 50.0 ± 0.0 | 60.0 ± 0.0 | - |" in found["output"]
    # What is there is not made again, only the new seed ...
    run(*options, "--seeds", "0,1,2", folder=tmp_path)
    assert len(commands.trained) == 6
    # ... and what has changed.
    changed = [*options, "--only", "less", "--set", "training.max_steps=8"]
    run(*changed, "--seeds", "0,1,2", folder=tmp_path)
    assert len(commands.trained) == 9


def test_a_run_that_fails_stops_no_other(commands, lines, corpus, tmp_path):
    table = json.loads(lines.read_text("utf8"))
    table["runs"] = {"bad": {"training.dropout": 0.9}, **table["runs"]}
    lines.write_text(json.dumps(table), "utf8")
    options = ["--train", corpus, "--dev", corpus, "--output", tmp_path / "runs", "--table", lines]
    found = run(ablations, *options, "--seeds", "0", folder=tmp_path, code=1)
    assert found["failed"] == 1 and found["lines"]["bad"] == {}
    assert found["lines"]["less"]["sample"]["all"]["n"] == 1
    assert "| bad | - | - | - | - |" in found["output"] and "too much" in found["output"]


def test_tables_that_are_wrong_are_refused(lines, corpus, tmp_path):
    options = ["--train", corpus, "--dev", corpus, "--output", tmp_path, "--table", lines]
    for table in ({"rows": {}}, {"config": "configs/b.cfg", "runs": {"b": {}}}):
        lines.write_text(json.dumps(table), "utf8")
        run(ablations, *options, folder=tmp_path, code=2)


@pytest.mark.slow
def test_a_run_trains_and_scores(model, corpus, tmp_path):
    short = {"training.max_steps": 2, "training.eval_frequency": 1, "system.seed": 3}
    paths = {"train": corpus, "dev": corpus, "syntax": model}
    overrides = {f"paths.{name}": str(path) for name, path in paths.items()}
    found = runs.Run(
        tmp_path / "run", ROOT / "configs/ci.cfg", {**overrides, **short}, {"dev": corpus}, ("T=D",)
    )
    result = found.make(keep_model=False)
    assert result["scores"]["dev"]["mapping"] == {"T": "D"}
    assert 0 <= result["scores"]["dev"]["ucca_f"] <= 1
    assert found.finished() == json.loads(found.scores_path.read_text("utf8")) == result
    assert not list((tmp_path / "run").glob("model-*"))


def test_commands_that_fail_say_where_to_look(tmp_path):
    with pytest.raises(RuntimeError, match=r"ended with 3; see .*log"):
        runs.call(["-c", "print('why'); raise SystemExit(3)"], tmp_path / "log")
    assert (tmp_path / "log").read_text("utf8") == "why\n"


@pytest.mark.parametrize("text", ["0,x", ""])
def test_seeds_that_are_none(text):
    with pytest.raises(typer.BadParameter):
        runs.parse_seeds(text)


def test_overrides_are_json_or_text():
    assert runs.parse_overrides(["a.b=3", "c=tree", 'd=["x"]', "e=null"]) == {
        **{"a.b": 3, "c": "tree", "d": ["x"], "e": None}
    }
    with pytest.raises(typer.BadParameter):
        runs.parse_overrides(["a"])


# Errors


def test_units_by_their_words(graphs: list[Graph]) -> None:
    for graph in graphs:
        found = errors.units(graph)
        primary = [e for e in graph.edge_tuples if e.child >= 0 and not e.remote]
        assert set().union(*found.values()) <= {c for e in primary for c in e.categories} - {"U"}
        assert all(words and not any(graph.punct[i] for i in words) for words in found)


def test_errors_add_up(model: Path, corpus: Path, graphs: list[Graph], tmp_path: Path) -> None:
    found = run(errors, model, corpus, folder=tmp_path)
    assert found["total"] and set(found["missed"]) <= set(found["total"])
    assert all(n <= found["total"][name] for name, n in found["missed"].items())
    assert found["missed"] or found["confused"]  # it has learned nothing


# Tags and dependencies


@Language.component("chain")
def chain(doc: Doc) -> Doc:
    """Each word is a noun with gender, under the word before it."""
    for token in doc:
        token.pos_, token.dep_, token.head = "NOUN", "obj", doc[max(0, token.i - 1)]
        token.set_morph("Number=Sing")
    return doc


def test_universal_dependencies_are_counted(tmp_path: Path) -> None:
    nlp = spacy.blank("xx")
    nlp.add_pipe("chain")
    nlp.to_disk(tmp_path / "model")
    deps, morphs = ["ROOT", "obj", "amod", "punct"], ["Number=Sing", "Number=Plur", "", ""]
    pos, heads = ["VERB", "NOUN", "ADJ", "PUNCT"], [0, 0, 1, 0]
    doc = Doc(nlp.vocab, list("abcd"), pos=pos, heads=heads, deps=deps, morphs=morphs)
    for name in ("xx", "yy"):
        DocBin(docs=[doc]).to_disk(tmp_path / f"{name}.spacy")
    found = run(syntax, tmp_path / "model", *sorted(tmp_path.glob("*.spacy")), folder=tmp_path)
    assert found["xx"] == found["yy"] == found["mean"]
    # Of three words, all heads are right and one relation. The fourth is no punctuation in the parse
    uas, las = 2 * 3 / (3 + 4), 2 * 1 / (3 + 4)
    assert found["xx"] == {
        **{"pos_acc": 25.0, "morph_acc": 25.0},
        **{"dep_uas": round(100 * uas, 1), "dep_las": round(100 * las, 1)},
    }
    assert "mean  25.0" in found["output"]


def test_annotation_refuses_what_it_cannot_do(model, corpus, tmp_path):
    total = len(DocBin().from_disk(corpus))
    given = ["de", corpus, corpus, "--output", tmp_path / "out"]
    for name in ("teacher", "encoder", "texts"):
        given += [f"--{name}", model]
    for args, message in (
        (
            ["--sizes", f"0,{total + 1}"],
            f"sample.spacy has {total} sentences, and 0,{total + 1} are",
        ),
        (["--sizes=-1"], f"Give 0 to {total}"),
        (["--sizes", "a"], "'a' is not of the form"),
        (["--only", "7"], "'7' names no ways"),
        (["--small-steps", "0"], "small-steps"),
    ):
        assert message in run(annotation, *given, *args, folder=tmp_path, code=2)["output"]
    found = run(annotation, "qq", *given[1:], folder=tmp_path, code=1)
    assert "UC591" in found["output"] and not (tmp_path / "out").exists()


def test_annotation_has_few_steps(tmp_path):
    places = [tmp_path / name for name in ("train", "dev", "teacher", "encoder", "texts", "out")]
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "gold-5-0.spacy").touch()
    curve = annotation.Curve("de", *places, steps=1500, small_steps=2, limit=1)
    settings = curve._run("small parser", 5, 0).overrides
    assert settings["training.max_steps"] == 2 and settings["training.eval_frequency"] == 1
    assert settings["components.ucca_parser.exploration_start"] == 1
