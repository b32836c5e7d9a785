"""An HTML page that compares graphs of one system or several with gold graphs: pictures with errors marked, scores, lists of errors."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from ..errors import Errors, UccaError
from ..graph import Graph
from ..graph.categories import CATEGORY_NAMES, join_categories
from ..metric.compare import LABEL, ONLY, Difference, Mark
from ..metric.counts import ALL, CONSTRUCTIONS, COUNTED, DISCONTINUOUS, Counts
from ..metric.systems import ComparedSentence, SystemComparison, SystemScore, compare_systems
from .html import direction, fill, text_of
from .picture import lang_of
from .render import WRAP, fits, graph_of, items_of, render_fitting
from .theme import COLORS, DARK, SOFT
from .tree import join_words, shorten

MAX_WORDS = 90  # characters of a sentence in the list of all
MAX_ERROR_WORDS = 200  # about as many characters of a unit in the list of errors
PREDICTED = "Predicted"
ORDERS = ("text", "worst", "different")


def render_comparison(
    gold: Any,
    predicted: Any,
    *,
    names: Sequence[str] | None = None,
    order: str = "text",
    limit: int | None = None,
    mapping: Mapping[str, str] | None = None,
    title: str = "Gold and predicted graphs",
    options: Mapping[str, Any] | None = None,
) -> str:
    """Compare gold and predicted graphs on an HTML page that needs no other files. Their pictures stand under each other, with
    the edges that only one graph has marked, and the scores of each sentence and of all.

    gold (Union[Graph, Doc, Iterable]): The reference, or several.
    predicted (Union[Graph, Doc, Iterable, Mapping]): As many graphs over the same tokens; of several systems, by their names.
    names (Optional[Sequence[str]]): The names of the sentences; their numbers if None.
    order (str): Which sentences come first: "text", "worst" (the lowest F1) or "different" (F1 of the systems farthest apart).
    limit (Optional[int]): Maximum number of sentences to draw. The scores are those of all.
    mapping (Optional[Mapping[str, str]]): Categories to replace on both sides before scoring.
    title (str): The heading.
    options (Optional[Mapping]): Arguments of `render_svg`.
    RETURNS (str): The page.
    RAISES (UccaError): If a graph is missing, or two graphs are over different tokens.
    """
    several = isinstance(predicted, Mapping)
    by_system = {
        name: _paired(gold, graphs)
        for name, graphs in (predicted if several else {PREDICTED: predicted}).items()
    }
    golds = [theirs for theirs, _ in next(iter(by_system.values()), ())]
    systems = {name: [ours for _, ours in pairs] for name, pairs in by_system.items()}
    result = compare_systems(golds, systems, names=names, mapping=mapping, samples=0)
    return render_systems(result, order=order, limit=limit, title=title, options=options)


def render_systems(
    result: SystemComparison,
    *,
    order: str = "text",
    limit: int | None = None,
    title: str = "Gold and predicted graphs",
    options: Mapping[str, Any] | None = None,
) -> str:
    """The page of `render_comparison`, of systems that are compared already.

    result (SystemComparison): The systems.
    order, limit, title, options: See `render_comparison`.
    RETURNS (str): The page.
    RAISES (UccaError): If there is no such order.
    """
    if order not in ORDERS:
        raise UccaError(Errors.UC615.format(order=order, known=", ".join(ORDERS)))
    numbered = list(enumerate(result.sentences, start=1))
    if order == "worst":
        numbered.sort(key=lambda item: (item[1].mean, -_errors(item[1])))
    elif order == "different":
        numbered.sort(key=lambda item: (-item[1].spread, item[1].mean))
    drawn = numbered[:limit]
    several = len(result.systems) > 1
    parts = [result.of("edges", part) for part in (*CONSTRUCTIONS, ALL, DISCONTINUOUS)]
    graphs = [s.gold for _, s in drawn for _ in range(len(result.systems) + 1)]
    widths = {} if fits(graphs) else {"wrap": WRAP}
    pictures = {"legend": False, **widths, **(options or {})}
    return fill(
        "comparison.html",
        title=title,
        counted=_summary(result.sentences, len(drawn), order),
        several=several,
        bounds=result.samples > 0,
        scores=[_score_row(score, several) for part in parts for score in part],
        categories=[
            (c, CATEGORY_NAMES.get(c, c), color := COLORS.get(c, SOFT), DARK[color])
            for c in _categories(result.sentences)
        ],
        systems=result.systems if several else ["F1"],
        index=[_index_row(*item, i < len(drawn)) for i, item in enumerate(numbered)],
        sections=[_section(*item, several, pictures) for item in drawn],
    )


def _paired(gold: Any, predicted: Any) -> list[tuple[Graph, Graph]]:
    sides = (map(graph_of, items_of(side)) for side in (gold, predicted))
    pairs = []
    for i, (theirs, ours) in enumerate(zip_longest(*sides), start=1):
        if theirs is None or ours is None:
            missing = "gold" if theirs is None else "predicted"
            raise UccaError(Errors.UC610.format(side=missing, number=i))
        pairs.append((theirs, ours))
    return pairs


def _errors(sentence: ComparedSentence) -> int:
    return sum(len(comparison.differences) for comparison in sentence.comparisons.values())


def _summary(sentences: Sequence[ComparedSentence], n_drawn: int, order: str) -> str:
    """RETURNS (str): What was counted, and which sentences are drawn."""
    tokens = sum(len(sentence.gold.words) for sentence in sentences)
    errors = [_errors(sentence) for sentence in sentences]
    counted = f"{_many(len(sentences), 'sentence')}, {_many(tokens, 'token')}; "
    counted += f"{_many(sum(errors), 'error')} in {_many(sum(map(bool, errors)), 'sentence')}."
    first = {"text": "first", "worst": "worst", "different": "most different"}[order]
    if n_drawn < len(sentences):
        return f"{counted} Drawn are the {first} {n_drawn}."
    return counted if order == "text" else f"{counted} The {first} come first."


def _score_row(score: SystemScore, several: bool) -> dict[str, Any]:
    prf = map(percent, score.tally.to_dict().values())
    name = f"{score.part}, {score.system}" if several else score.part
    numbers = [*prf, score.matches, score.predicted, score.gold]
    return {"name": name, "numbers": numbers, **score.texts}


def _categories(sentences: Iterable[ComparedSentence]) -> list[str]:
    """RETURNS (List[str]): The categories of edges between units, in order."""
    both = [c for sentence in sentences for c in sentence.comparisons.values()]
    sides = [side for comparison in both for side in (comparison.gold, comparison.predicted)]
    edges = [edge for side in sides for edge in side.graph.edge_tuples if edge.child >= 0]
    return sorted({category for edge in edges for category in edge.categories})


def _index_row(number: int, sentence: ComparedSentence, drawn: bool) -> dict[str, Any]:
    text = shorten(text_of(sentence.gold), MAX_WORDS)
    return {
        "number": number,
        "drawn": drawn,
        "text": text or sentence.name,
        "lang": lang_of(sentence.gold),
        "f1": [percent(sentence.tally(name).to_dict()["f"]) for name in sentence.comparisons],
        "errors": _errors(sentence),
    }


def _section(
    number: int, sentence: ComparedSentence, several: bool, options: Mapping[str, Any]
) -> dict[str, Any]:
    gold = sentence.gold
    figures: list[dict[str, str]] = []
    scores, errors = [], []
    for system, comparison in sentence.comparisons.items():
        if not figures:
            # The marks of one system say nothing of another
            figures.append(_figure("Gold", gold, {} if several else comparison.gold.marks, options))
        predicted = comparison.predicted
        figures.append(_figure(system, predicted.graph, predicted.marks, options))
        scores.append(f"{system}: " * several + describe_scores(comparison.counts))
        unseen = {*comparison.gold.unseen, *predicted.unseen}
        found = (_error(item, gold, item in unseen) for item in comparison.differences)
        errors += [{"system": system, **error} for error in found]
    return {
        "number": number,
        "name": sentence.name,
        "direction": direction(gold),
        "lang": lang_of(gold),
        "text": text_of(gold),
        "scores": scores,
        "figures": figures,
        "counted": _many(len(errors), "error"),
        "errors": errors,
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
        "svg": render_fitting(graph, marks=marks, **options),
    }


def _error(item: Difference, graph: Graph, unseen: bool) -> dict[str, str]:
    return {
        "kind": item.construction + (" (made by normalization, not drawn)" if unseen else ""),
        "reason": item.reason,
        "words": join_words(graph, item.tokens, MAX_ERROR_WORDS, _is_gap) or "(no words)",
        "gold": join_categories(item.gold) or "–",
        "predicted": join_categories(item.predicted) or "–",
    }


def _is_gap(graph: Graph, before: int, after: int) -> bool:
    """RETURNS (bool): Whether words stand between two tokens; punctuation is not scored."""
    between = range(before + 1, after)
    return any(not graph.punct[i] and not graph.words[i].isspace() for i in between)


def describe_scores(counts: Counts) -> str:
    """RETURNS (str): The labeled scores of a pair in one line."""
    p, r, f = map(percent, counts.tally(ALL).to_dict().values())
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
