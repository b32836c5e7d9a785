"""Check the docs: code runs and has the stated values, links and commands exist, pictures are up to date, the site
builds without warnings."""

import ast
import pkgutil
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import unquote, urldefrag

import catalogue
import draw_docs
import pytest
import srsly
from commands import COMMANDS
from spacy.tokens import Doc
from spacy.util import get_words_and_spaces

import spacy_ucca
from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.graph.categories import CATEGORY_NAMES, TERMINAL
from spacy_ucca.rules.validate import ERROR, validate_graph
from spacy_ucca.transitions.systems import systems

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = {path.name: path.read_text("utf8") for path in sorted(DOCS.glob("*.md"))}
# Minimum number of compared values in the code of a page
STATED = {
    "api.md": 19,
    "ask.md": 9,
    "conversion.md": 6,
    "data.md": 12,
    "extend.md": 6,
    "formats.md": 4,
    "graphs.md": 22,
    "languages.md": 3,
    "links.md": 5,
    "match.md": 4,
    "metric.md": 22,
    "parse.md": 10,
    "scale.md": 1,
    "sdp.md": 3,
    "streams.md": 2,
    "train.md": 3,
}


def run_blocks(text: str) -> int:
    """Run the Python blocks of a page as one program. The value of an expression is compared with the comment behind
    it, except for calls of `print`.

    text (str): The page.
    RETURNS (int): The number of compared values.
    """
    scope: dict = {}
    compared = 0
    for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        for statement in ast.parse(block).body:
            code = ast.get_source_segment(block, statement)
            line = block.splitlines()[statement.end_lineno - 1].encode()
            _, _, comment = line[statement.end_col_offset :].decode().partition("#")
            if isinstance(statement, ast.Expr) and comment and not code.startswith("print("):
                assert repr(eval(code, scope)) == comment.strip(), code
                compared += 1
            else:
                exec(compile(ast.Module([statement], []), block, "exec"), scope)  # with decorators
    return compared


@pytest.mark.parametrize("name", [name for name, text in PAGES.items() if "```python" in text])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_code_runs_and_has_the_stated_values(name, monkeypatch):
    monkeypatch.chdir(ROOT)
    if "models/" in "".join(re.findall(r"```python\n(.*?)```", PAGES[name], re.DOTALL)):
        if not (ROOT / "models").exists():
            pytest.skip("no pipeline ships yet")
    try:
        assert run_blocks(PAGES[name]) >= STATED.get(name, 0)
    finally:
        catalogue.REGISTRY.pop((*systems.namespace, "short"), None)  # a page registers it


def test_values_are_compared():
    assert run_blocks("```python\nx = 1\nx + 1  # 2\n```\n\n```python\nx  # 1\n```") == 2
    with pytest.raises(AssertionError):
        run_blocks("```python\n1 + 1  # 3\n```")


@pytest.mark.parametrize("name", PAGES)
def test_links_and_files_are_there(name):
    for target in re.findall(r"\]\(([^)]+)\)", PAGES[name]):
        path = urldefrag(target).url
        assert path.startswith("http") or (DOCS / path).exists(), target
    folders = "spacy_ucca|tests|benchmarks|configs|projects|scripts|examples|docs"
    for path in re.findall(rf"`((?:{folders})/[\w./-]+\.\w+)`", PAGES[name]):
        assert (ROOT / path).exists() or path.endswith("/NAME.cfg"), path


@pytest.mark.parametrize("name", PAGES)
def test_imports_and_modules_in_the_text_are_there(name):
    for statement in re.findall(r"`(from spacy_ucca[\w.]* import [^`]+)`", PAGES[name]):
        exec(statement, {})
    for path in re.findall(r"`(spacy_ucca(?:\.\w+)+)`", PAGES[name]):
        pkgutil.resolve_name(path)


@pytest.mark.parametrize("name", PAGES)
def test_commands_and_options_are_there(name):
    blocks = "".join(re.findall(r"```bash\n(.*?)```", PAGES[name], re.DOTALL)).replace("\\\n", " ")
    lines = [line for line in blocks.splitlines() if line.startswith("spacy-ucca ")]
    for line in [*lines, *re.findall(r"`(spacy-ucca [^`\n]+)`", PAGES[name])]:
        _, command, *rest = line.partition("#")[0].split()
        assert command in COMMANDS, line
        found = COMMANDS[command]
        if hasattr(found, "commands"):  # a group, such as `annotate`
            found = found.commands[rest[0]]
        options = [(*param.opts, *param.secondary_opts) for param in found.params]
        known = {name for names in options for name in names}
        assert {word for word in rest if word.startswith("--")} <= known, line


@pytest.mark.parametrize("name", PAGES)
def test_workflows_and_configs_are_there(name):
    text = PAGES[name].replace("\\\n", " ")
    assert not re.search(r'--vars\.\w+ "?--', text)  # Weasel takes it for one without a value
    for workflow, folder, rest in re.findall(r"spacy project run (\S+) ([\w./]+)(.*)", text):
        project = srsly.read_yaml(ROOT / folder / "project.yml")
        assert workflow in project["workflows"] or workflow in {
            command["name"] for command in project["commands"]
        }
        assert set(re.findall(r"--vars\.(\w+)", rest)) <= set(project["vars"])
    for path in re.findall(r"spacy train (\S+\.cfg)", text):
        assert (ROOT / path).exists(), path


def test_every_command_has_a_section():
    sections = re.findall(r"^## (\w+)$", PAGES["cli.md"], re.MULTILINE)
    assert sorted(sections) == sorted(COMMANDS)
    assert all(f"[{name}](#{name})" in PAGES["cli.md"] for name in sections)


def test_pictures_are_up_to_date():
    drawn = dict(draw_docs.pictures())
    assert len(drawn) > 15
    for path, svg in drawn.items():
        assert path.read_bytes() == svg.encode(), f"{path.name}: run scripts/draw_docs.py"
    assert {*DOCS.glob("pictures/*.svg")} == {
        path for path in drawn if path.parent.name == "pictures"
    }
    shown = {
        (DOCS / path).resolve()
        for text in PAGES.values()
        for path in re.findall(r"!\[[^\]]+\]\(([^)]+)\)", text)
    }
    # Pictures that no script draws in seconds, such as learning curves, stand in docs/ itself.
    assert shown == {path.resolve() for path in DOCS.rglob("*.svg")}


def test_the_graphs_of_the_pictures_follow_the_rules():
    for graph in read_brackets(draw_docs.GRAPHS.read_text("utf8")):
        problems = [problem for problem in validate_graph(graph) if problem.level == ERROR]
        assert not problems, graph.details["id"]


def test_the_pipeline_predicts_the_graphs_of_ten_languages():
    """Of given words, with the spaces of the text that the picture stands for."""
    model = ROOT / "models" / "xx_ucca_trf"
    if not model.exists():
        pytest.skip("no pipeline ships yet")
    graphs = {
        graph.details["id"]: graph for graph in read_brackets(draw_docs.GRAPHS.read_text("utf8"))
    }
    shown = re.findall(r"!\[Graph: ([^\]]+)\]\(pictures/([\w-]+)\.svg\)", PAGES["languages.md"])
    assert len(shown) == 10
    nlp = spacy_ucca.load(str(model), lang="xx")
    for text, name in shown:
        words, spaces = get_words_and_spaces(list(graphs[name].words), text)
        predicted = nlp(Doc(nlp.vocab, words=words, spaces=spaces))._.ucca
        assert predicted.same_structure(graphs[name]), name


def test_every_category_has_a_picture():
    """The alternative text of a picture names the category that it shows."""
    graphs = {
        graph.details["id"]: graph for graph in read_brackets(draw_docs.GRAPHS.read_text("utf8"))
    }
    shown = set()
    for text, stem in re.findall(r"!\[([^\]]+)\]\(pictures/([\w-]+)\.svg\)", PAGES["ucca.md"]):
        categories = {c for edge in graphs[stem].edges for c in edge.categories}
        named = set(re.findall(r"\b[A-Z]{1,2}\b", text)) & set(CATEGORY_NAMES)
        assert named and named <= categories, text
        for quoted in re.findall(r'"([^"]+)"', text):
            assert set(quoted.split()) <= set(graphs[stem].words), text
        shown |= named
    assert shown == set(CATEGORY_NAMES) - {TERMINAL}
    page = " ".join(PAGES["ucca.md"].split())
    for category, name in CATEGORY_NAMES.items():
        both = f"{name} ({category})" in page or f"{category} ({name})" in page
        assert both or category == TERMINAL


class Page(HTMLParser):
    """The links of an HTML page, the files that it loads, and its anchors (`places`)."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.places: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.places |= {found[name] for name in ("id", "name") if name in found}
        if tag in ("a", "link") and "href" in found:
            self.links.append(found["href"])
        if "src" in found:
            self.loads.append(found["src"])
        if tag == "link" and found.get("rel") != "canonical":
            self.loads.append(found["href"])


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    pytest.importorskip("mkdocs", reason="mkdocs is not installed: spacy-ucca[docs]")
    directory = tmp_path_factory.mktemp("site")
    result = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(directory)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        encoding="utf8",
    )
    assert result.returncode == 0, result.stderr
    assert "WARNING" not in result.stderr
    return {path: Page(path.read_text("utf8")) for path in directory.rglob("*.html")}


def test_the_site_has_all_pages(site):
    assert {path.stem for path in site} >= {name.removesuffix(".md") for name in PAGES}


def test_links_within_the_site_lead_somewhere(site):
    """Links of the theme and anchors included."""
    followed = 0
    for path, page in site.items():
        if path.stem == "404":  # its links begin at the root of a server
            continue
        for link in page.links + page.loads:
            target, anchor = urldefrag(link)
            if re.match(r"\w+:", target):
                continue
            file = (path.parent / unquote(target)).resolve() if target else path
            assert file.exists(), f"{path.name}: {link}"
            if anchor and file in site:
                assert anchor in site[file].places, f"{path.name}: {link}"
            followed += 1
    assert followed > 300


def test_pages_of_the_site_say_what_needs_a_checkout():
    pytest.importorskip("mkdocs", reason="mkdocs is not installed: spacy-ucca[docs]")
    import site_hooks

    def note(name: str) -> str:
        page = SimpleNamespace(file=SimpleNamespace(src_uri=name))
        title, _, text = site_hooks.on_page_markdown(PAGES[name], page).partition("\n\n")
        assert title == PAGES[name].partition("\n")[0]
        return text.partition("\n")[0]

    assert note("train.md") == note("tupa.md") == site_hooks.CHECKOUT
    assert note("parse.md") == site_hooks.MODEL.format("models/en_ucca_sm", "en_ucca_sm")
    assert note("ucca.md") == PAGES["ucca.md"].splitlines()[2]


def test_the_site_loads_nothing_from_elsewhere(site):
    for path, page in site.items():
        assert len(page.loads) > 3
        for link in page.loads:
            assert not re.match(r"(\w+:)?//", link), f"{path.name}: {link}"
