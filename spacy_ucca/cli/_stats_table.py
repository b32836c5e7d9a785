"""The figures of `spacy-ucca stats` as a table."""

from collections import Counter
from typing import Any

from ._util import table

MAX_CATEGORIES = 20


def format_stats(columns: dict[str, dict[str, Any]]) -> str:
    """RETURNS (str): The figures as a table, with a line for each figure and a column for each corpus."""
    from ..text.statistics import RELATIONS

    lines = _Lines(columns)
    sizes = ("sizes", "sentences")
    lines.add("sentences", sizes)
    lines.add("  with discontinuous units", ("sizes", "discontinuous"), sizes)
    lines.add("  with linkage units", ("sizes", "linkage"), sizes)
    lines.add("tokens", ("sizes", "tokens"))
    lines.add("  attached to nothing", ("sizes", "unattached"), ("sizes", "tokens"))
    lines.add("nodes", ("nodes", "all"))
    for name in ("terminals", "non-terminals"):
        lines.add(f"  {name}", ("nodes", name), ("nodes", "all"))
    for name in ("foundational", "punctuation", "implicit", "linkage"):
        lines.add(f"    {name} units", ("nodes", name), ("nodes", "non-terminals"))
    for title, key in (
        ("nodes with several parents", "shared"),
        ("nodes with several parents, linkage too", "linked"),
        ("discontinuous nodes", "discontinuous"),
    ):
        lines.add(title, (key, "all"), ("nodes", "all"))
        for name in ("non-terminals", "foundational"):
            lines.add(f"  of {name}", (key, name), ("nodes", name))
    lines.add("crossing pairs of discontinuous nodes", ("sizes", "crossing"))
    units = ("primary", "remote")
    lines.add("edges between units", *(("edges", name) for name in units), total=True)
    for name in (*units, "several categories"):
        lines.add(f"  {name}", ("edges", name), *(("edges", name) for name in units))
    lines.add("edges of linkage units", ("edges", "linkage"))
    lines.heading("units with remote parents", "remotes")
    for key in sorted(lines.keys("remotes"), key=int):
        lines.add(f"  {key}", ("remotes", key), ("remotes",))
    lines.heading("remote parent, seen from the primary one", "relations")
    for key in RELATIONS:
        lines.add(f"  {key}", ("relations", key), ("relations",))
    lines.heading("moved nodes of constituency trees", "moves")
    for key in sorted(lines.keys("moves"), key=lambda key: (key[:4], int(key[4:]))):
        lines.add(f"  {key}", ("moves", key), ("moves",))
    lines.heading("edges by category", "categories")
    for key in lines.keys("categories")[:MAX_CATEGORIES]:
        lines.add(f"  {key}", ("categories", key), ("categories",))
    if len(lines.keys("categories")) > MAX_CATEGORIES:
        lines.add_text(f"  and {len(lines.keys('categories')) - MAX_CATEGORIES} more (--json)")
    text = lines.text()
    for part in (_format_transitions(columns), _format_bounds(columns)):
        text += f"\n\n{part}" if part else ""
    return text


class _Lines:
    """Lines of a table, with two cells for each corpus: a number and its percentage of another."""

    def __init__(self, columns: dict[str, dict[str, Any]]) -> None:
        self.columns = columns
        self.rows = [["", *(cell for name in columns for cell in (name, "%"))]]

    def keys(self, group: str) -> list[str]:
        """RETURNS (List[str]): The keys of a group in any corpus, the most frequent first."""
        counts: Counter[str] = Counter()
        for column in self.columns.values():
            counts.update(column[group])
        return [key for key, _ in counts.most_common()]

    def add(self, title: str, *what: tuple[str, ...], total: bool = False) -> None:
        """Add a line. The first place in the figures gives the number, the places after it the base of its percentage. With
        `total`, all places are summed.
        """
        row = [title]
        for column in self.columns.values():
            counts = [_find(column, place) for place in what]
            n, base = (sum(counts), 0) if total else (counts[0], sum(counts[1:]))
            row += [f"{n:,}", f"{100 * n / base:.2f}" if base else ""]
        self.rows.append(row)

    def heading(self, title: str, group: str) -> None:
        """Add a line with the sum of a group."""
        self.add(title, (group,))

    def add_text(self, title: str) -> None:
        """Add a line without figures."""
        self.rows.append([title, *[""] * 2 * len(self.columns)])

    def text(self) -> str:
        return table(self.rows, "<" + ">" * 2 * len(self.columns))


def _find(column: dict[str, Any], place: tuple[str, ...]) -> int:
    group, *key = place
    counts: dict[str, int] = column[group]
    return counts.get(key[0], 0) if key else sum(counts.values())


def _format_transitions(columns: dict[str, dict[str, Any]]) -> str:
    rows = [["transitions", "corpus", "rebuilt exactly, %", "per token"]]
    for name, column in columns.items():
        for system, figures in column.get("transitions", {}).items():
            values = [figures["exact_percent"], figures["transitions_per_token"]]
            rows.append([system, name, *(f"{value:.2f}" for value in values)])
    return table(rows, "<<>>") if len(rows) > 1 else ""


def _format_bounds(columns: dict[str, dict[str, Any]]) -> str:
    bounds = {name: column["bounds"] for name, column in columns.items() if "bounds" in column}
    return format_bounds(bounds) if bounds else ""


def format_bounds(columns: dict[str, dict[str, dict[str, float | None]]]) -> str:
    """RETURNS (str): Upper bounds of several corpora as one table, in percent; "-" where there was nothing to
    score."""
    from ..conversion.bounds import MEASURES

    rows = [["upper bounds", "corpus", *MEASURES.values()]]
    for conversion in next(iter(columns.values())):
        for name, bounds in columns.items():
            values = (bounds[conversion][measure] for measure in MEASURES)
            cells = ("-" if value is None else f"{100 * value:.2f}" for value in values)
            rows.append([conversion, name, *cells])
    return table(rows, "<<" + ">" * len(MEASURES))
