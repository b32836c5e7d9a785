"""Hooks of mkdocs: adapt links to files outside docs/, and add such files as pages.

examples/README.md becomes a page of the site. Links to other files outside docs/ become plain text.
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

    return _LINK.sub(adapt, markdown)
