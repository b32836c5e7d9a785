"""What mkdocs calls when it builds the guide (see mkdocs.yml): pages and links that lead out of docs/.

In the repository pages link to files beside docs/, such as the README. On the site examples/README.md is a page of its
own; links to other files become plain text, as the site has none of them.
"""

import re
from pathlib import Path
from posixpath import normpath
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parent.parent
# Files of the repository that are pages of the site.
PAGES = {"examples/README.md": "examples.md"}
_LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)#\s:]+)(#[^)\s]*)?\)")


def on_files(files: Files, config: Any, **kwargs: Any) -> Files:
    """RETURNS (Files): The files of the site, with the pages from elsewhere."""
    for path, page in PAGES.items():
        files.append(File.generated(config, page, content=(ROOT / path).read_text("utf8")))
    return files


def on_page_markdown(markdown: str, page: Any, **kwargs: Any) -> str:
    """RETURNS (str): The text of a page, with links that hold on the site."""
    sources = {name: path for path, name in PAGES.items()}
    source = sources.get(page.file.src_uri, f"docs/{page.file.src_uri}")

    def mend(match: re.Match) -> str:
        text, target, anchor = match.groups()
        path = normpath(f"{source}/../{target}")
        if path in PAGES:
            return f"[{text}]({PAGES[path]}{anchor or ''})"
        if path.startswith("docs/"):
            return f"[{text}]({path.removeprefix('docs/')}{anchor or ''})"
        return text

    return _LINK.sub(mend, markdown)
