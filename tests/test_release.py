"""What a release is made of, as far as seconds allow: `scripts/release.py` does the rest."""

import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import release
import spacy
import srsly
import write_cards
from spacy.language import Language
from typer.testing import CliRunner

import spacy_ucca
from spacy_ucca.cli.download import KEYS, choose

ROOT = Path(__file__).parent.parent
MODELS = sorted(path.parent for path in (ROOT / "models").glob("*/meta.json"))
WORKFLOW = ROOT / ".github" / "workflows" / "release.yml"
JOBS = srsly.read_yaml(WORKFLOW)["jobs"]


def test_the_workflow_follows_the_schema() -> None:
    pytest.importorskip("check_jsonschema", reason="not installed: spacy-ucca[release]")
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema"]
    result = subprocess.run(
        [*command, "vendor.github-workflows", str(WORKFLOW)], capture_output=True, text=True
    )
    assert result.returncode == 0, result.stdout + result.stderr


def test_nothing_is_uploaded_before_all_is_tested() -> None:
    uploads = {name for name, job in JOBS.items() if "permissions" in job}
    assert uploads == {"upload", "pipelines", "site"}
    for name in uploads:
        assert JOBS[name]["if"] == "github.ref_type == 'tag'"
    assert {*JOBS["upload"]["needs"]} == {*JOBS} - uploads
    assert JOBS["pipelines"]["needs"] == JOBS["site"]["needs"] == "upload"


def test_wheels_are_built_for_the_pythons_that_the_package_names() -> None:
    text = (ROOT / "pyproject.toml").read_text("utf8")
    (build,) = re.findall(r'^build = "(.*)"', text, re.MULTILINE)
    assert {f"cp{python.replace('.', '')}-*" for python in release.PYTHONS} <= {*build.split()}
    assert "scripts/check_install.py" in text


@pytest.fixture
def pipelines(tmp_path: Path) -> Path:
    """A folder with a file for the wheel of each pipeline, and the table of them."""
    for model in MODELS:
        version = srsly.read_json(model / "meta.json")["version"]
        (tmp_path / f"{model.name}-{version}-py3-none-any.whl").write_text(model.name)
    srsly.write_json(tmp_path / release.TABLE, release.make_table(tmp_path))
    return tmp_path


def test_the_table_is_what_download_reads(pipelines: Path) -> None:
    entries = srsly.read_json(pipelines / release.TABLE)["pipelines"]
    assert [entry["name"] for entry in entries] == [model.name for model in MODELS]
    for entry in entries:
        assert {*entry} == {*KEYS}
        chosen = choose(entry["name"], pipelines.as_uri())
        assert chosen == entry  # so it fits this release
        data = (pipelines / entry["file"]).read_bytes()
        assert hashlib.sha256(data).hexdigest() == entry["sha256"]


def test_what_is_left_is_said(tmp_path: Path) -> None:
    lines = "\n".join(release.left_to_do(tmp_path))
    assert f"git tag v{spacy_ucca.__version__}" in lines and "twine upload" in lines
    setup = (ROOT / "setup.cfg").read_text("utf8")
    assert ("give `url`" in lines) == ("\nurl =\n" in setup)


def test_a_step_that_fails_ends_the_release(monkeypatch, tmp_path: Path) -> None:
    """And what was there is still there."""
    output = tmp_path / "dist"
    output.mkdir()
    app = release.typer.Typer()
    app.command()(release.main)
    monkeypatch.setattr(release, "find_python", {"3.11": sys.executable}.get)
    monkeypatch.setattr(release, "module", lambda *args: release.run(sys.executable, "-c", "1/0"))
    result = CliRunner().invoke(app, ["--output", str(output)])
    assert result.exit_code == 1 and output.is_dir()
    result = CliRunner().invoke(app, ["--output", str(output), "--python", "2.0"])
    assert result.exit_code == 1 and output.is_dir()


def test_links_of_the_readme_lead_to_the_project_from_an_index(tmp_path: Path) -> None:
    for name in ("setup.py", "README.md", "LICENSE", "spacy_ucca/__init__.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    (tmp_path / "spacy_ucca" / "encoder").mkdir()
    (tmp_path / "spacy_ucca" / "encoder" / "int8.c").touch()
    setup = re.sub(
        r"^url =.*",
        "url = https://example.org/x",
        (ROOT / "setup.cfg").read_text("utf8"),
        flags=re.M,
    )
    (tmp_path / "setup.cfg").write_text(setup, "utf8")
    printed = subprocess.run(
        [sys.executable, "setup.py", "--quiet", "--long-description"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        encoding="utf8",
        check=True,
    ).stdout
    targets = re.findall(r"\]\(([^)]+)\)", printed)
    assert len(targets) > 20 and all(target.startswith("https://") for target in targets)
    tag = f"v{spacy_ucca.__version__}"
    assert f"https://example.org/x/raw/{tag}/docs/example.svg" in targets
    assert f"https://example.org/x/blob/{tag}/docs/ucca.md" in targets


@pytest.mark.parametrize("model", MODELS, ids=lambda path: path.name)
def test_cards_are_up_to_date_and_what_the_hub_reads(model: Path) -> None:
    meta = srsly.read_json(model / "meta.json")
    card = (model / "README.md").read_text("utf8")
    assert card == write_cards.make_card(meta), "run scripts/write_cards.py models/*"
    head = srsly.yaml_loads(card.split("---\n")[1])
    assert head["library_name"] == "spacy" and head["license"] == "cc-by-sa-4.0"
    (index,) = head["model-index"]
    scores = {key for key in meta["performance"] if re.match(r"\w+_ucca_f$", key)}
    graphs = [r for r in index["results"] if r["task"]["type"] == "graph-parsing"]
    assert len(graphs) == len(scores) and all(r["dataset"]["name"] for r in graphs)
    hub = pytest.importorskip("huggingface_hub", reason="not installed: spacy-ucca[release]")
    read = hub.ModelCard(card, ignore_metadata_errors=False).data
    assert read.model_name == model.name
    assert len(read.eval_results) == sum(len(r["metrics"]) for r in index["results"])


def test_the_universe_entry_runs(nlp: Language, monkeypatch, capsys) -> None:
    entry = json.loads((ROOT / "docs" / "universe.json").read_text("utf8"))
    assert {"id", "title", "slogan", "description", "pip", "author", "tags"} <= {*entry}
    assert {"pipeline", "models"} <= {*entry["category"]}
    monkeypatch.setattr(spacy, "load", {"en_ucca_sm": nlp}.__getitem__)
    exec("\n".join(entry["code_example"]), {})
    assert "moved John ['to Paris']" in capsys.readouterr().out
