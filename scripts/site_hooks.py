"""Hooks of mkdocs: adapt links to files outside docs/, and add such files as pages.

examples/README.md becomes a page of the site. Links to other files outside docs/ become plain text. Pages with commands that
need a checkout say so.
"""

import re
from pathlib import Path
from posixpath import normpath
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parent.parent
# Files outside docs/ that become pages
PAGES = {"examples/README.md": "examples.md"}
_LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)#\s:]+)(#[^)\s]*)?\)")
_CODE = re.compile(r"```.*?```", re.DOTALL)
_NEEDS_CHECKOUT = re.compile(
    r"spacy project|make parse|pip install '\.\[|(?<![\w/])(configs|projects|scripts|benchmarks|examples|splits)/"
)
CHECKOUT = "*Commands of this page run in a checkout of the repository.*"
MODEL = "*`{0}` is a folder of the repository. Without a checkout, [install](cli.md#download) the pipeline and write `{1}`.*"


def on_files(files: Files, config: Any, **kwargs: Any) -> Files:
    """RETURNS (Files): The files of the site, with the pages from outside docs/."""
    for path, page in PAGES.items():
        files.append(File.generated(config, page, content=(ROOT / path).read_text("utf8")))
    return files


def on_page_markdown(markdown: str, page: Any, **kwargs: Any) -> str:
    """RETURNS (str): The text of a page, with links that work on the site."""
    sources = {name: path for path, name in PAGES.items()}
    source = sources.get(page.file.src_uri, f"docs/{page.file.src_uri}")

    def adapt(match: re.Match) -> str:
        text, target, anchor = match.groups()
        path = normpath(f"{source}/../{target}")
        if path in PAGES:
            return f"[{text}]({PAGES[path]}{anchor or ''})"
        if path.startswith("docs/"):
            return f"[{text}]({path.removeprefix('docs/')}{anchor or ''})"
        return text

    return _with_note(_LINK.sub(adapt, markdown))


def _with_note(markdown: str) -> str:
    """RETURNS (str): A page that says below its title whether its code needs a checkout."""
    code = "\n".join(_CODE.findall(markdown))
    note = CHECKOUT if _NEEDS_CHECKOUT.search(code) else ""
    if not note and (model := re.search(r"models/(\w+_ucca_\w+)", code)):
        note = MODEL.format(model[0], model[1])
    title, _, rest = markdown.partition("\n")
    return f"{title}\n\n{note}\n{rest}" if note else markdown
