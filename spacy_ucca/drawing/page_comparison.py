"""An HTML page that compares two graphs, or many pairs of them: pictures with errors marked, scores, lists of errors."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from ..errors import Errors, UccaError
from ..graph import Graph
from ..graph.categories import CATEGORY_NAMES, join_categories
from ..metric.compare import LABEL, ONLY, Comparison, Difference, Mark, compare
from ..metric.counts import ALL, CONSTRUCTIONS, COUNTED, DISCONTINUOUS, Counts
from .html import direction, fill, text_of
from .picture import COLORS, lang_of
from .render import graph_of, items_of, render_svg
from .tree import shown

MAX_WORDS = 90  # characters of a sentence in the list of all
MAX_ERROR_WORDS = 200  # about as many characters of a unit in the list of errors


@dataclass
class _Pair:
    """A compared pair of graphs, its number from 1, and its name."""

    number: int
    name: str
    comparison: Comparison

    @property
    def f1(self) -> float:
        return self.comparison.counts.tally(ALL).f1

    @property
    def errors(self) -> int:
        return len(self.comparison.differences)


def render_comparison(
    gold: Any,
    predicted: Any,
    *,
    names: Sequence[str] | None = None,
    worst: bool = False,
    limit: int | None = None,
    mapping: Mapping[str, str] | None = None,
    title: str = "Gold and predicted graphs",
    options: Mapping[str, Any] | None = None,
) -> str:
    """Compare gold and predicted graphs on an HTML page that needs no other files. Both pictures stand under each other, with
    the edges that only one graph has marked, and the scores of each pair and of all.

    gold (Union[Graph, Doc, Iterable]): The reference, or several.
    predicted (Union[Graph, Doc, Iterable]): As many graphs over the same tokens.
    names (Optional[Sequence[str]]): The names of the pairs; their numbers if None.
    worst (bool): Sort pairs by F1, the lowest first.
    limit (Optional[int]): Maximum number of pairs to draw. The scores are those of all.
    mapping (Optional[Mapping[str, str]]): Categories to replace on both sides before scoring.
    title (str): The heading.
    options (Optional[Mapping]): Arguments of `render_svg`.
    RETURNS (str): The page.
    RAISES (UccaError): If a graph is missing, or two graphs are over different tokens.
    """
    pairs = [
        _Pair(i, names[i - 1] if names else f"Sentence {i}", compare(g, p, mapping=mapping))
        for i, (g, p) in enumerate(_paired(gold, predicted), start=1)
    ]
    if not pairs:
        raise UccaError(Errors.UC611.format())
    total = sum((pair.comparison.counts for pair in pairs), Counts())
    ordered = sorted(pairs, key=lambda p: (p.f1, -p.errors)) if worst else pairs
    drawn = ordered[:limit]
    return fill(
        "comparison.html",
        title=title,
        counted=_summary(pairs, len(drawn), worst),
        scores=[(name, _numbers(total, name)) for name in (*CONSTRUCTIONS, ALL, DISCONTINUOUS)],
        categories=[
            (c, CATEGORY_NAMES.get(c, c), COLORS.get(c, "#475569")) for c in _categories(pairs)
        ],
        index=[_index_row(pair, i < len(drawn)) for i, pair in enumerate(ordered)],
        sections=[_section(pair, options or {}) for pair in drawn],
    )


def _paired(gold: Any, predicted: Any) -> Iterator[tuple[Graph, Graph]]:
    sides = (map(graph_of, items_of(side)) for side in (gold, predicted))
    for i, (theirs, ours) in enumerate(zip_longest(*sides), start=1):
        if theirs is None or ours is None:
            missing = "gold" if theirs is None else "predicted"
            raise UccaError(Errors.UC610.format(side=missing, number=i))
        yield theirs, ours


def _summary(pairs: Sequence[_Pair], n_drawn: int, worst: bool) -> str:
    """RETURNS (str): What was counted, and which pairs are drawn."""
    tokens = sum(len(pair.comparison.gold.graph.words) for pair in pairs)
    wrong = sum(pair.errors > 0 for pair in pairs)
    errors = _many(sum(pair.errors for pair in pairs), "error")
    counted = f"{_many(len(pairs), 'sentence')}, {_many(tokens, 'token')}; "
    counted += f"{errors} in {_many(wrong, 'sentence')}."
    if n_drawn < len(pairs):
        return f"{counted} Drawn are the {'worst' if worst else 'first'} {n_drawn}."
    return f"{counted} The worst come first." if worst else counted


def _categories(pairs: Sequence[_Pair]) -> list[str]:
    """RETURNS (List[str]): The categories of edges between units, in order."""
    sides = [side for pair in pairs for side in (pair.comparison.gold, pair.comparison.predicted)]
    edges = [edge for side in sides for edge in side.graph.edge_tuples if edge.child >= 0]
    return sorted({category for edge in edges for category in edge.categories})


def _numbers(counts: Counts, name: str) -> list[Any]:
    tally = counts.tally(name)
    return [*map(percent, tally.to_dict().values()), tally.matches, tally.guessed, tally.ref]


def _index_row(pair: _Pair, drawn: bool) -> dict[str, Any]:
    text = text_of(pair.comparison.gold.graph)
    if len(text) > MAX_WORDS:
        text = text[: MAX_WORDS - 1] + "…"
    return {
        "number": pair.number,
        "drawn": drawn,
        "text": text or pair.name,
        "lang": lang_of(pair.comparison.gold.graph),
        "f1": percent(pair.comparison.counts.tally().to_dict()["f"]),
        "errors": pair.errors,
    }


def _section(pair: _Pair, options: Mapping[str, Any]) -> dict[str, Any]:
    comparison = pair.comparison
    unseen = {*comparison.gold.unseen, *comparison.predicted.unseen}
    sides = ("Gold", comparison.gold), ("Predicted", comparison.predicted)
    return {
        "number": pair.number,
        "name": pair.name,
        "direction": direction(comparison.gold.graph),
        "lang": lang_of(comparison.gold.graph),
        "text": text_of(comparison.gold.graph),
        "scores": describe_scores(comparison.counts),
        "figures": [_figure(name, side.graph, side.marks, options) for name, side in sides],
        "counted": _many(pair.errors, "error"),
        "errors": [
            _error(item, comparison.gold.graph, item in unseen) for item in comparison.differences
        ],
    }


def _figure(
    name: str, graph: Graph, marks: Mapping[int, Mark], options: Mapping[str, Any]
) -> dict[str, str]:
    statuses = [mark.status for mark in marks.values()]
    only, other = statuses.count(ONLY), statuses.count(LABEL)
    marked = f"{_many(only, 'edge')} only here, {other} with another category there"
    return {
        "name": name,
        "marked": marked if only or other else "nothing marked",
        "direction": direction(graph),
        "svg": render_svg(graph, marks=marks, **{"legend": False, **options}),
    }


def _error(item: Difference, graph: Graph, unseen: bool) -> dict[str, str]:
    words, previous, length = [], None, 0
    for token in item.tokens:
        if length > MAX_ERROR_WORDS:
            words.append("…")
            break
        if previous is not None and any(
            not graph.punct[i] and not graph.words[i].isspace() for i in range(previous + 1, token)
        ):
            words.append("...")
        words.append(shown(graph.words[token]))
        length += len(words[-1]) + 1
        previous = token
    return {
        "kind": item.construction + (" (made by normalization, not drawn)" if unseen else ""),
        "words": " ".join(words) or "(no words)",
        "gold": join_categories(item.gold) or "–",
        "predicted": join_categories(item.predicted) or "–",
    }


def describe_scores(counts: Counts) -> str:
    """RETURNS (str): The labeled scores of a pair in one line."""
    tally = counts.tally(ALL)
    p, r, f = map(percent, tally.to_dict().values())
    parts = [f"F1 {f} (precision {p}, recall {r})"]
    for name in COUNTED:
        part = counts.tally(name)
        if part.guessed or part.ref:
            parts.append(
                f"{name}: {part.matches} matched of {part.guessed} predicted and {part.ref} gold"
            )
    return "; ".join(parts)


def percent(value: float | None) -> str:
    """RETURNS (str): A share in percent; a dash where there was nothing to score."""
    return "–" if value is None else f"{100 * value:.1f}"


def _many(n: int, what: str) -> str:
    return f"{n:,} {what}" if n == 1 else f"{n:,} {what}s"
