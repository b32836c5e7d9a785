"""`spacy-ucca annotate`: from texts to training data and a better pipeline, and mistakes on the way."""

import json
import shutil
from pathlib import Path

import pytest
import spacy
from cli_runs import run
from spacy.tokens import DocBin
from util import make_nlp, tiny_config

from spacy_ucca.formats.files import read_graphs
from spacy_ucca.formats.xml import write_xml
from spacy_ucca.graph import Graph

TEXTS = "John left . Mary stayed .\n\nThe cat sat on the mat .\nJohn left .\n"


@pytest.fixture(scope="module")
def folder(graphs: list[Graph], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pipeline `model` that reads no tags, and `own.txt`."""
    path = tmp_path_factory.mktemp("annotate")
    scorer = {"@scorers": "spacy-ucca.ucca_scorer.v1"}
    nlp = make_nlp(graphs, config={**tiny_config(), "scorer": scorer})
    nlp.add_pipe("sentencizer", first=True)
    nlp.to_disk(path / "model")
    (path / "own.txt").write_text(TEXTS, "utf8")
    return path


def test_from_texts_to_a_pipeline(folder: Path, tmp_path: Path) -> None:
    tasks, train = tmp_path / "tasks", tmp_path / "train.spacy"
    given = ["annotate", "export", folder / "own.txt", tasks, "-m", folder / "model", "--lines"]
    result = run(*given, "-n", 3, "--to", "brackets")
    assert f"{tasks / 'tasks.txt'}: 3 of 4 sentences." in result.stderr
    ids = [graph.details["id"] for graph in read_graphs(tasks / "predicted.jsonl")]
    assert set(ids) < {"own-1-000", "own-1-001", "own-3", "own-4"}
    # What is left has the words of one of these
    result = run(*given[:3], tmp_path / "rest", *given[4:], "--done", tasks, code=1)
    assert "all its sentences are done" in result.stderr
    result = run("annotate", "import", tasks, train, "--json", tmp_path / "report.json")
    assert "3 sentences, 3 unchanged. 0 edges corrected" in result.stdout
    report = json.loads((tmp_path / "report.json").read_text("utf8"))
    assert report["sentences"] == 3 and report["scores"][0]["start"] == 0
    docs = list(DocBin().from_disk(train).get_docs(spacy.blank("en").vocab))
    assert [doc._.ucca.details["id"] for doc in docs] == ids
    assert all(doc.text.endswith(" .") for doc in docs)  # as in the text
    assert {doc._.ucca_guidelines for doc in docs} == {"v2"}
    # Nothing that was annotated is lost
    result = run(*given, code=1)
    assert "not empty" in result.stderr


@pytest.mark.parametrize("kind", ["tasks", "uccaapp", "brackets", "xml"])
def test_finetune_takes_what_was_annotated(folder: Path, tmp_path: Path, kind: str) -> None:
    tasks = tmp_path / "tasks"
    to = "uccaapp" if kind == "uccaapp" else "brackets"
    given = ["annotate", "export", folder / "own.txt", tasks, "-m", folder / "model"]
    run(*given, "--to", to)
    graphs = read_graphs(tasks / "predicted.jsonl")
    source = {"uccaapp": tasks / "tasks.json", "brackets": tasks / "tasks.txt"}.get(kind, tasks)
    if kind == "xml":
        source = tmp_path / "xml"
        source.mkdir()
        for graph in graphs:
            write_xml(graph, source / f"{graph.details['id']}.xml")
    output = tmp_path / "out"
    args = ["finetune", folder / "model", source, source]
    result = run(*args, "-o", output, "--max-steps", 12)
    assert f"{source}: {len(graphs)} sentences" in result.stderr
    nlp = spacy.load(output / "model-best")
    assert nlp.config["paths"]["train"] == str(output / "train.spacy")
    docs = list(DocBin().from_disk(output / "train.spacy").get_docs(nlp.vocab))
    assert len(docs) == len(graphs)
    result = run(*args, "--print-config", code=2)
    assert (
        f"{'annotate import' if kind == 'tasks' else 'convert'} {source}"
        in result.stderr.replace("\n", "")
    )


def test_mistakes_have_messages(folder: Path, tmp_path: Path) -> None:
    tasks, model = tmp_path / "tasks", folder / "model"
    export = ["annotate", "export", folder / "own.txt", tasks, "-m", model]
    for options, message in (
        (["--order", "best"], "uncertain, random, text"),
        (["--to", "xml"], "uccaapp, brackets"),
        (["--n", 0], "greater than or equal to 1"),
    ):
        assert message in run(*export, *options, code=2).stderr
    run("annotate", "export", folder / "own.txt", "-m", model, code=2)
    (tmp_path / "empty.txt").write_text("\n \n", "utf8")
    result = run("annotate", "export", tmp_path / "empty.txt", tasks, "-m", model, code=1)
    assert "no sentence to annotate" in result.stderr and not tasks.exists()
    run(*export)
    result = run("annotate", "import", folder, tmp_path / "train.spacy", code=1)
    assert "no folder of tasks" in result.stderr
    run("annotate", "import", tasks, tmp_path / "train.json", code=2)
    # A file that cannot be read, and one sentence that can be used
    data = json.loads((tasks / "tasks.json").read_text("utf8"))
    (tasks / "tasks.json").write_text(json.dumps(data[:1]), "utf8")
    (tasks / "broken.json").write_text('[{"tokens": []}]', "utf8")
    result = run("annotate", "import", tasks, tmp_path / "train.spacy", code=1)
    assert "broken.json" in result.stderr
    assert f"Not annotated: {len(data) - 1} of {len(data)}" in result.stderr
    assert "1 sentences, 1 unchanged" in result.stdout
    shutil.rmtree(tasks)


def test_ids_are_of_one_sentence(folder: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "own.txt").write_text(f"The {name} sat . Ann left {name} .\n", "utf8")
    texts = [tmp_path / name / "own.txt" for name in ("one", "two")]
    tasks = tmp_path / "tasks"
    run("annotate", "export", *texts, tasks, "-m", folder / "model", "--to", "brackets")
    ids = [graph.details["id"] for graph in read_graphs(tasks / "predicted.jsonl")]
    assert len(ids) == len(set(ids)) == 4
    result = run("annotate", "import", tasks, tmp_path / "train.spacy")
    assert "4 sentences" in result.stdout
    # Not into the folder, where `finetune` would find it beside the tasks
    run("annotate", "import", tasks, tasks / "train.spacy", code=2)


def test_wrong_categories_are_an_error(folder: Path, tmp_path: Path) -> None:
    tasks = tmp_path / "tasks"
    run(
        *("annotate", "export", folder / "own.txt", tasks),
        *("-m", folder / "model", "--to", "brackets"),
    )
    first = read_graphs(tasks / "predicted.jsonl")[0]
    (tasks / "tasks.txt").write_text(
        f"# id = {first.details['id']}\n[H [p {' '.join(first.words)}]]\n", "utf8"
    )
    result = run("annotate", "import", tasks, tmp_path / "train.spacy", code=1)
    assert "error known-category" in result.stdout


def test_finetune_leaves_nothing_after_a_mistake(folder: Path, tmp_path: Path) -> None:
    tasks, output = tmp_path / "tasks", tmp_path / "out"
    run("annotate", "export", folder / "own.txt", tasks, "-m", folder / "model")
    (tmp_path / "bad.txt").write_text("[H", "utf8")
    args = ["finetune", folder / "model", tasks, tmp_path / "bad.txt", "-o", output]
    run(*args, code=1)
    assert not output.exists()
    # Training data that were given are never removed
    output.mkdir()
    run("annotate", "import", tasks, output / "train.spacy")
    args = ["finetune", folder / "model", output / "train.spacy", tmp_path / "bad.txt"]
    run(*args, "-o", output, "--force", code=1)
    assert (output / "train.spacy").exists()
    # Nor is what another command has left there
    args = ["finetune", folder / "model", *[tmp_path / "train.spacy"] * 2, "-o", output]
    shutil.copy(output / "train.spacy", tmp_path / "train.spacy")
    run(*args, "--print-config", "--training.no_such", 1, code=1)
    assert (output / "train.spacy").exists()


def test_without_sentence_boundaries_a_text_is_one_sentence(folder: Path, tmp_path: Path) -> None:
    nlp = spacy.load(folder / "model")
    nlp.remove_pipe("sentencizer")
    nlp.to_disk(tmp_path / "model")
    tasks = tmp_path / "tasks"
    run("annotate", "export", folder / "own.txt", tasks, "-m", tmp_path / "model", "--lines")
    assert len(read_graphs(tasks / "predicted.jsonl")) == 3
