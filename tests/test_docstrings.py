"""The reference of the site: docstrings in spaCy's form become sections, and all pages are in the site."""

import re
from pathlib import Path
from pkgutil import resolve_name

import pytest
import srsly

pytest.importorskip("griffe", reason="mkdocstrings is not installed: spacy-ucca[docs]")
from docstrings import to_sections
from griffe import Docstring, DocstringSectionKind, parse_google

ROOT = Path(__file__).parent.parent
PAGES = sorted((ROOT / "docs" / "reference").glob("*.md"))


def sections(text: str, names: set[str] | None) -> dict[str, list[tuple[str, str]]]:
    """RETURNS (Dict[str, List[Tuple[str, str]]]): What griffe reads of a docstring: type or name, and text, of each item."""
    found = {}
    options = {"returns_multiple_items": False, "returns_named_value": False, "warnings": False}
    docstring = Docstring("")
    docstring.value = to_sections(text, names)  # the constructor would move what is indented
    for section in parse_google(docstring, **options):
        if section.kind is DocstringSectionKind.text:
            found["text"] = [("", section.value)]
        else:
            items = [(getattr(i, "name", "") or i.annotation, i.description) for i in section.value]
            found[section.kind.value] = items
    return found


FULL = """Load a pipeline.

Note: this is text, as no argument has this name.

name (Union[str, Path]): The name of a pipeline,
    or a directory.
limit (Optional[Tuple[int, ...]]): The limit (in tokens).
config, **options: Arguments of `spacy.load`.
RETURNS (Dict[str, Any]): The pipeline: loaded. RAISES (OSError): If it is missing,
    or damaged.
"""


def test_a_docstring_has_all_sections() -> None:
    found = sections(FULL, {"name", "limit", "config", "options"})
    assert found["text"] == [
        ("", "Load a pipeline.\n\nNote: this is text, as no argument has this name.")
    ]
    assert found["parameters"] == [
        ("name", "The name of a pipeline,\nor a directory."),
        ("limit", "The limit (in tokens)."),
        ("config", "Arguments of `spacy.load`."),
        ("**options", "Arguments of `spacy.load`."),
    ]
    assert found["returns"] == [("Dict[str, Any]", "The pipeline: loaded.")]
    assert found["raises"] == [("OSError", "If it is missing,\nor damaged.")]


@pytest.mark.parametrize(
    "text, kind, item",
    [
        ("RETURNS (str): The text.", "returns", ("str", "The text.")),
        ("Connect. RETURNS (int): Its index.", "returns", ("int", "Its index.")),
        ("YIELDS (Tuple[str, int]): Both.", "yields", ("Tuple[str, int]", "Both.")),
        ("A class.\n\nsize (int): Its size.", "parameters", ("size", "Its size.")),
    ],
)
def test_short_docstrings(text: str, kind: str, item: tuple[str, str]) -> None:
    assert sections(text, None)[kind] == [item]


@pytest.mark.parametrize("text", ["", "Text.", "One.\n\n    code: x\n\nTwo.", "Use: this."])
def test_text_alone_stays(text: str) -> None:
    assert to_sections(text, set()) == text
    assert to_sections(text, None) == text


def test_pages_are_in_the_site_and_name_what_there_is() -> None:
    """No name is twice in the reference."""
    plain = re.sub(r"!!python\S*", "", (ROOT / "mkdocs.yml").read_text("utf8"))
    (reference,) = (
        part["Reference"] for part in srsly.yaml_loads(plain)["nav"] if "Reference" in part
    )
    listed = {page for entry in reference for page in entry.values()}
    assert {f"reference/{page.name}" for page in PAGES} <= listed
    names = [
        name for page in PAGES for name in re.findall(r"^::: (\S+)$", page.read_text("utf8"), re.M)
    ]
    assert len(names) == len(set(names)) > 50
    for name in names:
        assert resolve_name(name).__doc__, name
