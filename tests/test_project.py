"""`project.yml` and those in `projects/`: what they say fits together, and they run on small data."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import spacy
import srsly
import tiny_bert
from small_corpora import write_corpora
from spacy.cli.package import generate_readme
from spacy.tokens import DocBin
from weasel.schemas import ProjectConfigSchema, validate
from weasel.util.config import substitute_project_variables

from spacy_ucca.errors import UccaError
from spacy_ucca.formats.xml import read_xml
from spacy_ucca.graph import Graph
from spacy_ucca.link_grammar.link_grammar import LinkGrammar

ROOT = Path(__file__).parent.parent
PARTS = ("project.yml", "projects", "configs", "scripts", "splits", "tests", "spacy_ucca")
PROJECTS = ["", *sorted(f"projects/{path.parent.name}" for path in ROOT.glob("projects/*/*.yml"))]
LAYOUT = {
    "UCCA_English-EWT",
    "UCCA_English-Wiki-1.2",
    "UCCA_English-20K",
    "UCCA_German-20K",
    "UCCA_German-LPP",
    "UCCA_French-20K",
    "UD_English-EWT",
    "UD_German-GSD",
    "UD_French-GSD",
}


def load(folder: str, **variables: str) -> dict:
    """RETURNS (dict): A project.yml, with variables in place of its own. Its folders are not made."""
    config = srsly.read_yaml(ROOT / folder / "project.yml")
    config.pop("directories", None)
    return substitute_project_variables(config, {f"vars.{k}": v for k, v in variables.items()})


@pytest.fixture(scope="module")
def project() -> dict:
    return load("", corpora="elsewhere")


@pytest.mark.parametrize("folder", PROJECTS)
def test_schema(folder):
    config = srsly.read_yaml(ROOT / folder / "project.yml")
    assert not validate(ProjectConfigSchema, config)


def test_the_card_of_the_multilingual_pipeline_names_its_languages():
    meta = srsly.read_json(ROOT / "configs" / "meta_xx.json")
    project = load("projects/multilingual")
    treebanks = {Path(asset["dest"]) for asset in project["assets"]}
    languages = {path.name for path in treebanks if path.parent.name == "UD_PUD"}
    (line,) = (line for line in meta["notes"].splitlines() if "dependencies" in line)
    assert languages == set(re.findall(r"[A-Z]\w+", line.partition("from")[2]))
    n = project["vars"]["pud_limit"]
    assert f"The last {1000 - int(n)} sentences" in meta["notes"]
    assert any(f"first {n} sentences of {len(languages)}" in s["name"] for s in meta["sources"])
    defaults = {
        "lang": "xx",
        "name": "ucca_trf",
        "version": "1",
        "spacy_version": ">=3",
        "labels": {},
    }
    assert meta["notes"] in generate_readme({**defaults, "performance": {}, **meta})


def test_it_can_be_read_in_a_minute(project):
    assert len(project["commands"]) <= 12
    assert len(list(ROOT.glob("configs/*.cfg"))) <= 10


def test_one_workflow_of_few_commands_makes_the_shipped_pipeline():
    *before, evaluate, package = load("projects/languages")["workflows"]["ship"]
    assert len(before) <= 10 and (evaluate, package) == ("evaluate", "package")


@pytest.mark.parametrize("folder", PROJECTS)
def test_every_command_has_help_and_is_used(folder):
    project = load(folder)
    used = {name for workflow in project["workflows"].values() for name in workflow}
    for lang in ("en", "de", "fr"):
        scripts = [" ".join(c["script"]) for c in load(folder, lang=lang)["commands"]]
        used.update(name for text in scripts for name in re.findall(r"weasel run (\S+) ", text))
    for command in project["commands"]:
        assert command["help"].strip()
        assert command["name"] in used | {"ci", "small", "release", "weights"}


def test_assets_are_pinned_and_laid_out_like_the_corpora(project):
    assert {Path(asset["dest"]).name for asset in project["assets"]} == LAYOUT
    for asset in project["assets"]:
        assert asset["git"]["branch"] not in ("master", "main")
        assert asset["dest"].startswith("assets/")


def test_packages_are_named_by_name_and_version():
    """No file gives the address of a package index, which `pip` knows."""
    for path in (
        *ROOT.glob("**/project.yml"),
        *ROOT.glob("configs/*"),
        ROOT / "models/en_ucca_sm/meta.json",
    ):
        text = path.read_text("utf8")
        assert "pypi.org" not in text and "pythonhosted" not in text, path
    lines = [line for folder in PROJECTS for c in load(folder)["commands"] for line in c["script"]]
    for line in (line for line in lines if " pip " in line):
        assert "pip download --no-deps" in line and "==" in line


@pytest.mark.parametrize(
    "folder, workflow",
    [(folder, name) for folder in PROJECTS for name in load(folder)["workflows"]],
)
def test_what_a_command_needs_is_there_or_made_before(folder, workflow):
    root = load("", corpora="elsewhere", run="unheard-of")
    made: list[str] = []
    if folder:
        commands = {command["name"]: command for command in root["commands"]}
        made = [
            f"../../{out}"
            for name in root["workflows"]["data"]
            for out in commands[name]["outputs"]
        ]
    project = load(folder, corpora="elsewhere", run="unheard-of")
    commands = {command["name"]: command for command in project["commands"]}
    for name in project["workflows"][workflow]:
        command = commands[name]
        for text in (*command["script"], *command.get("deps", []), *command.get("outputs", [])):
            # An item that ends with a variable and one after it that begins with one become one item.
            assert ", " not in text
        for dep in command.get("deps", []):
            there = (
                dep.removeprefix("../../").startswith("elsewhere/")
                or (ROOT / folder / dep).exists()
            )
            assert there or any(dep == out or dep.startswith(out + "/") for out in made), dep
        made += command.get("outputs", []) + command.get("outputs_no_cache", [])


@pytest.mark.parametrize("folder", PROJECTS)
def test_one_variable_says_where_the_corpora_are(folder):
    project = load(folder, corpora="elsewhere")
    commands = [c for c in project["commands"] if c["name"] not in ("ci", "small")]
    text = " ".join(
        line for command in commands for line in command["script"] + command.get("deps", [])
    )
    assert "assets" not in text.replace("assets/texts", "")  # no corpus
    assert folder or "elsewhere/UCCA_English-EWT" in text


@pytest.mark.parametrize("folder", PROJECTS)
def test_long_steps_show_progress(folder):
    for command in load(folder)["commands"]:
        for line in command["script"]:
            if any(
                f"spacy_ucca {name} " in line
                for name in (
                    "bilexical",
                    "convert",
                    "dependencies",
                    "evaluate",
                    "label",
                    "links",
                    "orient",
                    "parse",
                )
            ):
                assert "--progress" in line


@pytest.mark.parametrize(
    "corpus", sorted(p.name for p in (ROOT / "splits").iterdir() if p.is_dir())
)
def test_splits_do_not_overlap(corpus):
    lists = {
        path.stem: path.read_text("utf8").split() for path in (ROOT / "splits" / corpus).iterdir()
    }
    expected = {"dev"} if corpus == "UCCA_English-20K" else {"dev", "train"}
    assert set(lists) == expected and all(lists.values())
    passages = [name for names in lists.values() for name in names]
    assert len(set(passages)) == len(passages)


def test_small_corpora(tmp_path, sample):
    write_corpora(tmp_path)
    for corpus in ("UCCA_English-EWT", "UCCA_English-Wiki-1.2"):
        graphs = [read_xml(path) for path in sorted((tmp_path / corpus / "xml").glob("*.xml"))]
        assert sum(len(graph.words) for graph in graphs) == sum(len(g.words) for g in sample)
    ids = (tmp_path / "UCCA_English-EWT" / "train.txt").read_text("utf8").split()
    dev = (tmp_path / "UCCA_English-EWT" / "dev.txt").read_text("utf8").split()
    assert len(ids) + len(dev) == len(sample)


def weasel(*arguments: str, cwd: Path) -> str:
    result = subprocess.run(
        [sys.executable, "-m", "weasel", *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        encoding="utf8",
        env={
            **os.environ,
            "PYTHONUTF8": "1",
            "PYTHONPATH": os.pathsep.join((str(cwd), str(cwd.parents[1]))),
        },
    )
    assert result.returncode == 0, (result.stdout + result.stderr)[-3000:]
    return result.stdout + result.stderr


def ucca(*arguments: str | Path, cwd: Path) -> None:
    """Run a command of `spacy-ucca`."""
    command = [sys.executable, "-m", "spacy_ucca", *map(str, arguments)]
    subprocess.run(command, cwd=cwd, check=True, capture_output=True)


SMALL = {"run": "ci", "max_steps": "20"}
CORPORA = {"corpora": "corpus/ci/corpora", "splits": "corpus/ci/corpora", "syntax_max_steps": "40"}


def run(folder: Path, workflow: str, **variables: str) -> str:
    """RETURNS (str): What a workflow prints."""
    overrides = [f"--vars.{name}={value}" for name, value in variables.items()]
    return weasel("run", workflow, ".", *overrides, cwd=folder)


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project, after its workflow `ci`."""
    path = copy_parts(tmp_path_factory.mktemp("project"))
    run(path, "ci")
    return path


def copy_parts(path: Path) -> Path:
    """RETURNS (Path): A folder with what projects need, but nothing that they make."""
    for name in PARTS:
        if (ROOT / name).is_dir():
            made = shutil.ignore_patterns("corpus", "training", "metrics", "assets", "__pycache__")
            shutil.copytree(ROOT / name, path / name, ignore=made if name == "projects" else None)
        else:
            shutil.copy(ROOT / name, path)
    return path


@pytest.mark.slow
def test_ci(copy):
    scored = {}
    for corpus in ("wiki", "ewt"):
        scored[corpus] = srsly.read_json(copy / "metrics" / "ci" / f"{corpus}.json")
        assert 0.1 < scored[corpus]["ucca_f"] < 1 and scored[corpus]["docs"] > 10
    (wheel,) = (copy / "packages" / "ci").glob("*/dist/*.whl")
    assert wheel.name == "en_ucca_sm-0.2.0-py3-none-any.whl"
    (packed,) = (copy / "packages" / "ci" / "en_ucca_sm-0.2.0").glob("en_ucca_sm/en_ucca_sm-*")
    nlp = spacy.load(packed)
    syntax = ["tok2vec", "tagger", "parser", "morphologizer", "lemmatizer"]
    assert nlp.pipe_names == ["sentence_boundaries", *syntax, "ucca_parser", "attribute_ruler"]
    meta = srsly.read_json(ROOT / "configs" / "meta_en.json")
    assert nlp.meta["license"].startswith("CC BY-SA") and nlp.meta["sources"] == meta["sources"]
    scores = nlp.meta["performance"]
    assert scores["ucca_f"] > 0.1 and scores["dep_las"] < 1  # of its own training, not of this one
    for corpus, inside in scored.items():
        # Rounded once more, as srsly reads some decimals a little wrong: 0.3318 as 0.33180000000000004.
        assert round(scores[f"{corpus}_ucca_f"], 4) == round(inside["ucca_f"], 4)
    assert any(r.startswith("spacy-ucca>=") for r in nlp.meta["requirements"])
    doc = nlp("After graduation, John moved to Paris.")
    assert doc._.ucca.words == tuple(token.text for token in doc)


@pytest.mark.slow
def test_scores_in_spacy_are_those_of_the_xml_it_writes(copy, tmp_path):
    corpora = copy / "corpus" / "ci" / "corpora"
    model = copy / "training" / "ci" / "ucca" / "model-best"
    for corpus, name in (("wiki", "UCCA_English-Wiki-1.2"), ("ewt", "UCCA_English-EWT")):
        gold, predicted = tmp_path / f"{corpus}-gold", tmp_path / corpus
        treebank = corpora / "UD_English-EWT" / "en_ewt-ud-dev.conllu"
        options = ["--ud", treebank] if corpus == "ewt" else []
        ucca(
            "convert",
            corpora / name,
            gold,
            "--list",
            corpora / name / "dev.txt",
            *options,
            cwd=copy,
        )
        guidelines = "v1" if corpus == "wiki" else "v2"
        options = ["--to", "xml", "--sentences", "file", "--guidelines", guidelines]
        ucca("parse", gold, "--model", model, "--output", predicted, *options, cwd=copy)
        ucca("score", gold, predicted, "--json", tmp_path / f"{corpus}.json", cwd=copy)
        inside = srsly.read_json(copy / "metrics" / "ci" / f"{corpus}.json")
        written = srsly.read_json(tmp_path / f"{corpus}.json")
        same = {key for key in inside.keys() & written.keys() if key.startswith("ucca_")}
        assert {key: inside[key] for key in same} == {key: written[key] for key in same}
        assert inside["docs"] == written["files"] > 10


@pytest.mark.slow
def test_nothing_is_done_again(copy):
    again = run(copy, "all", **CORPORA, run="ci", config="ci", max_steps="40")
    assert again.count("nothing changed") == 6


@pytest.mark.slow
def test_another_language(copy):
    """In English, which is there: a treebank and one UCCA corpus."""
    other = {"treebank": "UD_English-EWT/en_ewt", "ucca": "UCCA_English-Wiki-1.2", "run": "other"}
    run(copy, "other", **CORPORA, **other, config="ci", max_steps="20")
    scores = srsly.read_json(copy / "metrics" / "other" / "ucca.json")
    assert 0.05 < scores["ucca_f"] < 1
    assert (copy / "packages" / "other" / "en_ucca_sm-0.2.0" / "dist").exists()


def count_implicit(graph: Graph) -> int:
    return sum(unit.is_implicit for unit in graph.units)


def small(copy: Path, name: str) -> dict[str, dict[str, dict]]:
    """RETURNS (Dict[str, Dict[str, dict]]): `our_tables` of a project after `small`."""
    run(copy / "projects" / name, "small")
    return our_tables(copy / "projects" / name)


def our_tables(folder: Path) -> dict[str, dict[str, dict]]:
    """RETURNS (Dict[str, Dict[str, dict]]): Our values in the tables of a project, by title and row."""
    tables = srsly.read_json(folder / "metrics" / "ci" / "tables.json")
    return {t["title"]: {row["name"]: row["ours"] for row in t["rows"]} for t in tables}


@pytest.mark.slow
def test_conversion(copy):
    """All tables of the draft: each value that the small run measures is there, and those of gold trees are in order."""
    tables = small(copy, "bilexical")
    sentences = tables["Table 2, Wiki dev, over sentences"]
    passages = tables["Table 2, Wiki dev, over passages"]
    ewt = tables["Table 2, EWT dev, over passages"]
    biaffine = ewt["trees, biaffine parser"]
    for row in (*sentences.values(), *passages.values(), biaffine):
        values = list(row.values())
        if None not in values:
            assert row["LAS"] <= row["UAS"]
            assert row["labeled"] <= row["weakly labeled"] <= row["unlabeled"]
    for measured in (sentences, passages):
        assert None not in measured["trees, spaCy's transition parser"].values()
        assert None not in measured["`tree`, with remote edges"].values()
        assert set(measured["span parser"].values()) == {None}
        exact = measured["bound: constituency trees, gold remote edges"]
        assert set(exact.values()) == {100.0}
    assert None not in biaffine.values()
    gold = [*tables["Algorithm 2, Wiki dev, over sentences"].values()]
    assert all(None not in row.values() for row in gold)
    assert all(ours["unlabeled"] > theirs["unlabeled"] for ours, theirs in zip(gold, gold[3:]))
    nodes, *_ = tables["Table 1, Wiki, passages of all sets that are there"].values()
    assert nodes["count"] > 100 > nodes["% multiple parents"] > 0


@pytest.mark.slow
def test_sdp(copy):
    folder = copy / "projects" / "sdp"
    run(folder, "small")
    metrics = folder / "metrics" / "ci"
    task, others, statistics = srsly.read_json(metrics / "tables.json")
    dm, pas, pcedt, average = (row["ours"] for row in task["rows"][:4])
    for column in ("LP", "LR", "LF"):
        values = [row[column] for row in (dm, pas, pcedt)]
        assert all(0 < value < 100 for value in values)
        assert average[column] == pytest.approx(sum(values) / 3, abs=0.1)
    arcs = srsly.read_json(metrics / "sdp-ucca-ewt.json")
    assert 0.1 < arcs["ucca_f"] < 1
    assert [row["ours"]["LF"] is None for row in others["rows"]] == [False, True, False, True]
    assert others["rows"][2]["ours"]["LF"] == round(100 * arcs["sdp_lf"], 1)
    shares = {row["name"].partition(",")[0]: row["ours"] for row in statistics["rows"]}
    # What the small data is made to have
    assert shares["several tops"]["PCEDT"] > shares["several tops"]["DM"] == 0
    assert shares["a label twice below a token"]["PAS"] == 0 < shares["singletons"]["PAS"]
    assert (
        shares["singletons"]["DM"] > shares["singletons"]["PAS"] > shares["singletons"]["enhanced"]
    )
    for column, sentences in shares["sentences"].items():
        assert sentences and shares["edges"][column] < shares["candidate edges"][column]


@pytest.mark.slow
def test_span(copy):
    tables = small(copy, "span")
    assert all(row for rows in tables.values() for row in rows.values())
    for row in tables["Sentences"].values():
        assert 0 < row["dev"] < row["train"]
    chart, topdown, ours = tables["The parsers, Wiki dev"].values()
    for row in (chart, topdown, ours):
        assert 0 < row["bracket F1"] < 100 and row["primary"] is not None
    assert chart != topdown


@pytest.mark.slow
def test_tupa(copy, sample):
    scores, units, transitions = small(copy, "tupa").values()
    assert all(0 < scores[name]["all"] < 100 for name in ("sparse", "MLP", "BiLSTM"))
    assert scores["bound: constituency trees"]["primary"] == 100
    implicit = units["implicit nodes"]
    assert implicit["train"] + implicit["dev"] == sum(map(count_implicit, sample)) > 0
    assert 1 < transitions["tree"]["dev"] < transitions["tupa"]["dev"] < 20


@pytest.mark.slow
def test_links(tmp_path):
    pytest.importorskip("highspy", reason="no HiGHS")
    try:
        LinkGrammar("ru").close()
    except UccaError as err:
        pytest.skip(str(err))
    folder = copy_parts(tmp_path) / "projects" / "links"
    printed = run(folder, "small")
    counted, *directions, agreement, _, _ = our_tables(folder).values()
    assert counted["sentences"] == {"English": 40, "Russian": 9}
    assert all(0 < counted["of these complete"][k] <= n for k, n in counted["sentences"].items())
    for found in directions:
        whole = found["acyclic, connected, reachable and planar graphs, %"]
        assert whole["program"] == whole["depth-first"] == 100 > whole["rightward"]
        assert found["cost"]["program"] <= found["cost"]["depth-first"]
    matched = agreement["arcs with a link, %"]
    assert 50 < matched["UD"] < matched["CoNLL-like"] < 90
    assert "| relations_conll |" in printed
    assert (folder / "corpus/ci/en/program/pictures/001.svg").exists()


@pytest.fixture(scope="module")
def multilingual(copy: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy after its project for many languages. Without what is fetched: all corpora are the sample, and the encoder is tiny."""
    path = tmp_path_factory.mktemp("multilingual")
    copy = shutil.copytree(copy, path / "project")
    folder, corpora = copy / "projects" / "multilingual", copy / "corpus" / "ci" / "corpora"
    for name in ("UCCA_German-20K", "UCCA_French-20K", "UCCA_English-20K"):
        shutil.copytree(corpora / "UCCA_English-Wiki-1.2", corpora / name, dirs_exist_ok=True)
    names = ("UD_German-GSD/de_gsd-ud", "UD_French-GSD/fr_gsd-ud")
    treebanks = [f"{name}-{part}" for name in names for part in ("test", "dev")]
    for treebank in (*treebanks, "UD_PUD/English/en_pud-ud-test"):
        (corpora / treebank).parent.mkdir(parents=True, exist_ok=True)
        source = corpora / "UD_English-EWT" / "en_ewt-ud-dev.conllu"
        shutil.copy(source, corpora / f"{treebank}.conllu")
    with pytest.MonkeyPatch.context() as patch:
        for size, n in (("LAYERS", 6), ("WIDTH", 384), ("HEADS", 12)):
            patch.setattr(tiny_bert, size, n)
        weights = tiny_bert.make_weights(len(tiny_bert.UNIGRAM), n_bits=4)
        encoder = tiny_bert.write_wheel_file(path / "e5.bin", weights)
    settings = {"encoder": str(encoder), "boundary_steps": "40", "french_steps": "12"}
    settings["heads_steps"] = "40"
    steps = "treebanks boundaries convert train french heads finish evaluate package"
    for command in steps.split():
        run(folder, command, **SMALL, **CORPORA, **settings)
    return copy


@pytest.mark.slow
def test_the_pipeline_of_many_languages(multilingual):
    copy = multilingual
    metrics = {path.stem for path in (copy / "metrics" / "ci").glob("*.json")}
    assert {"ewt", "wiki", "de", "fr", "20k"} <= metrics
    nlp = spacy.load(copy / "training" / "ci" / "ucca" / "model-best")
    boundaries, heads = ["sentence_boundaries", "senter"], ["morphologizer", "parser"]
    assert nlp.pipe_names == [*boundaries, "encoder", *heads, "ucca_parser", "attribute_ruler"]
    assert [(t.pos_, t.tag_) for t in nlp(" ")] == [("SPACE", "")]
    doc = nlp("Ants live.")
    assert doc._.ucca.words == ("Ants", "live", ".") and all(t.pos_ and t.dep_ for t in doc)
    meta = srsly.read_json(copy / "packages" / "ci" / "meta.json")
    assert "French" in str(meta["sources"])
    assert {"sents_f", "pos_acc", "dep_las"} <= meta["performance"].keys()


@pytest.mark.slow
def test_a_small_pipeline_learns_from_that_of_many_languages(multilingual, tmp_path):
    """Without what is fetched: development sets are the texts."""
    copy = shutil.copytree(multilingual, tmp_path / "project")
    folder = copy / "projects" / "languages"
    teacher = shutil.copytree(
        copy / "training" / "ci" / "ucca" / "model-best", tmp_path / "teacher"
    )
    own = {**SMALL, **CORPORA, "run": "small", "teacher": str(teacher), "constructions": "20"}
    own |= {f"{step}_steps": "20" for step in ("finetune", "heads", "boundary")}
    run(folder, "corpora", **own)
    none = {**own, "run": "none", "treebank": "UD_English-EWT/en_ewt", "part": "dev"}
    run(folder, "corpora-none", **none)
    assert len(list((folder / "corpus" / "none" / "gold").rglob("treebank.spacy"))) == 2
    (texts := folder / "corpus" / "small" / "texts").mkdir(parents=True)
    (folder / "assets" / "texts" / "en").mkdir(parents=True)  # where dictionaries would be
    for name in ("wiki", "ewt"):
        shutil.copy(texts.parent / "gold" / "dev" / f"{name}.spacy", texts)
    steps = ("label", "encoder", "train", "finetune", "heads", "finish", "evaluate", "package")
    for command in steps:
        run(folder, command, **own)
    vocab = spacy.blank("en").vocab
    silver = texts.with_name("silver")
    for name, guidelines in (("texts", {"v1", "v2"}), ("treebank", {"v2"})):
        labeled = list(DocBin().from_disk(silver / f"{name}.spacy").get_docs(vocab))
        assert {doc._.ucca.guidelines for doc in labeled} == guidelines
    assert list(silver.with_name("noisy").glob("*/*.spacy"))
    metrics = {path.stem for path in (copy / "metrics" / "small").glob("*.json")}
    assert metrics == {"ewt", "wiki", "20k"}
    scores = srsly.read_json(copy / "packages" / "small" / "meta.json")["performance"]
    assert {f"{name}_ucca_f" for name in metrics} | {"tag_acc", "dep_las"} <= scores.keys()
    nlp = spacy.load(copy / "training" / "small" / "ucca" / "model-best")
    names = ["senter", "encoder", "tagger", "morphologizer", "parser"]
    assert [name for name in nlp.pipe_names if name in names] == names
    assert nlp.get_pipe("encoder").model.attrs["n_layers"] == 3
    doc = nlp("Ants live.")
    assert doc._.ucca.words == ("Ants", "live", ".") and all(t.tag_ and t.dep_ for t in doc)
