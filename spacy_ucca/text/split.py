"""Passages to sentences and back to one root: by annotation, by paragraphs, by given ends or texts.

The rules are those of the `ucca` package (Hershcovich et al.), whose sentences published results rest on.
"""

from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import pairwise
from typing import NamedTuple, Protocol

from ..errors import Errors, UccaError
from ..graph import Graph
from ..graph.algorithms import reached
from ..graph.categories import FOUNDATIONAL, IMPLICIT, MAIN_RELATIONS
from ..graph.data import plain_details
from ..graph.edit import renumber_edges, subgraph
from .spacing import BLANK_LINE

SENTENCE_END_MARKS = (".", "?", "!")
QUOTES = ("'", '"', "`", "»", "«")


class GivenSentence(Protocol):
    """A sentence of another corpus, such as `formats.conllu.UdSentence`."""

    @property
    def sent_id(self) -> str: ...

    @property
    def text(self) -> str: ...


class Problem(NamedTuple):
    """A sentence that differs from the passage, or tokens of the passage in no sentence.

    id (str): The sentence's id; the passage's, where tokens are left over.
    kept (bool): Whether the sentence was found in spite of the difference.
    reason (str): How it differs.
    """

    id: str
    kept: bool
    reason: str


class Sentences(NamedTuple):
    """The result of `split_by_ud`: the sentences, and all that differ from the passage."""

    graphs: list[Graph]
    problems: list[Problem]


def split_sentences(graph: Graph) -> list[Graph]:
    """Divide a passage into sentences by its annotation, as `ucca.convert.split2sentences` does.

    graph (Graph): The passage.
    RETURNS (List[Graph]): The sentences; see `split_at`.
    RAISES (UccaError): If the passage has no annotation.
    """
    return split_at(graph, sentence_ends(graph))


def split_paragraphs(graph: Graph) -> list[Graph]:
    """RETURNS (List[Graph]): The paragraphs of a passage, annotated or not; see `split_at`."""
    return split_at(graph, paragraph_ends(graph))


def split_at(graph: Graph, ends: Sequence[int], ids: Sequence[str] | None = None) -> list[Graph]:
    """Divide a passage at given places, as `ucca.convert.split_passage` does, but for paragraph
    numbers and the attributes of units and edges, which are kept.

    A unit with tokens in several parts is in all of them, and so are implicit units under it. A remote
    edge to a unit of another part becomes an implicit unit; where only the primary parent is in another
    part, the edge becomes primary. A linkage stays where all it links is in one part. Punctuation left
    without a unit goes under the lowest unit that has the words beside it.

    graph (Graph): The passage. Several roots become one.
    ends (Sequence[int]): For each part the index of the token after its last one.
    ids (Optional[Sequence[str]]): The ids of the parts. If not given, the id of the passage followed by
        the number of the part in three digits, from 000.
    RETURNS (List[Graph]): The parts, each with one root.
    RAISES (UccaError): If the ends do not grow up to the number of tokens.
    """
    ends = list(ends)
    starts = [0, *ends][: len(ends)]
    n = len(graph.words)
    if any(a >= b for a, b in zip(starts, ends, strict=False)) or (ends[-1] if ends else 0) != n:
        raise UccaError(Errors.UC151.format(ends=ends, n=n))
    if ids is None:
        ids = [f"{graph.details.get('id', '')}{i:03d}" for i in range(len(ends))]
    if len(ids) != len(ends):
        raise UccaError(Errors.UC152.format(ids=len(ids), ends=len(ends)))
    return cut(graph, list(zip(starts, ends, strict=True)), ids)


def split_by_ud(
    graph: Graph, ud_sentences: Iterable[GivenSentence], ids: Iterable[str] | None = None
) -> Sentences:
    """Divide a passage into the sentences of a UD treebank over the same text, found by matching
    characters other than whitespace. Characters may differ here and there: that is reported.

    graph (Graph): The passage.
    ud_sentences (Iterable[UdSentence]): Sentences in text order. Those of other documents are left out:
        the passage's id is in the sentence's, as 001961 in reviews-001961-0003.
    ids (Optional[Iterable[str]]): The sentences wanted, such as "001961-0003"; those of other passages
        are left out. If not given, all.
    RETURNS (Sentences): The sentences found, with such ids, and the problems.
    """
    passage = str(graph.details.get("id", ""))
    given = {
        f"{passage}-{sentence.sent_id.rpartition('-')[2]}": sentence.text
        for sentence in ud_sentences
        if document_id(sentence.sent_id) == passage
    }
    wanted = list(given)
    if ids is not None:
        wanted = [i for i in ids if i.rpartition("-")[0] == passage]
    matches, problems = _match(graph, given)
    left = problems.pop("", None)
    problems = {i: problem for i, problem in problems.items() if i in wanted}
    if left is not None:
        problems[passage] = left._replace(id=passage)
    for i in wanted:
        if i not in given:
            problems[i] = Problem(i, False, "there is no UD sentence of that id")
    spans = [(i, matches[i]) for i in wanted if i in matches]
    graphs = cut(graph, [span for _, span in spans], [i for i, _ in spans])
    return Sentences(graphs, list(problems.values()))


def ends_by_ud(graph: Graph, ud_sentences: Sequence[GivenSentence]) -> list[int | None]:
    """Find where the sentences of a UD treebank end in a passage over the same text.

    graph (Graph): The passage.
    ud_sentences (Sequence[UdSentence]): The sentences of the passage, in text order.
    RETURNS (List[Optional[int]]): For each sentence the index of the token after its last one; None if it begins or ends
        inside a token, or is not in the passage.
    """
    matches, _ = _match(graph, {str(i): sentence.text for i, sentence in enumerate(ud_sentences)})
    return [matches[i][1] if (i := str(n)) in matches else None for n in range(len(ud_sentences))]


def document_id(sent_id: str) -> str:
    """RETURNS (str): The document's part of a UD sentence id: 001961 of reviews-001961-0003."""
    document = sent_id.rpartition("-")[0]
    return document.partition("-")[2] or document


def _match(
    graph: Graph, given: Mapping[str, str]
) -> tuple[dict[str, tuple[int, int]], dict[str, Problem]]:
    """Find texts one after the other among a graph's tokens.

    RETURNS (Tuple[Dict, Dict]): First token of each text found and the one after its last one, and
        problems, by id.
    """
    squeezed = ""
    starts: dict[int, int] = {}
    ends: dict[int, int] = {}
    inside: list[int] = []  # the token of each character
    for i, word in enumerate(graph.words):
        starts.setdefault(len(squeezed), i)
        squeezed += _squeezed(word)
        inside.extend([i] * (len(squeezed) - len(inside)))
        ends[len(squeezed)] = i + 1
    given_text = "".join(_squeezed(text) for text in given.values())
    places = _places(given_text, squeezed)
    matches: dict[str, tuple[int, int]] = {}
    problems: dict[str, Problem] = {}
    offset = 0
    for sentence_id, text in given.items():
        span = range(offset, offset + len(_squeezed(text)))
        placed = [places[i] for i in span if i in places]
        offset = span.stop
        shared = sum(i in places and squeezed[places[i]] == given_text[i] for i in span)
        if 2 * shared < len(span) or not span:
            problems[sentence_id] = Problem(sentence_id, False, f"the passage lacks '{text}'")
            continue
        first, last = placed[0], placed[-1]
        if first in starts and last + 1 in ends:
            matches[sentence_id] = starts[first], ends[last + 1]
            if squeezed[first : last + 1] != _squeezed(text):
                here = " ".join(graph.words[slice(*matches[sentence_id])])
                reason = f"'{text}' is '{here}' in the passage"
                problems[sentence_id] = Problem(sentence_id, True, reason)
        else:
            token = graph.words[inside[last if first in starts else first]]
            reason = f"it begins or ends inside the token '{token}': '{text}'"
            problems[sentence_id] = Problem(sentence_id, False, reason)
    matched = {inside[place] for place in places.values()}
    matched.update(i for span in matches.values() for i in range(*span))
    left = [i for i in range(len(graph.words)) if i not in matched]
    if left:
        listed = ", ".join(f"{i} '{graph.words[i]}'" for i in left)
        problems[""] = Problem("", False, f"no sentence has these tokens of the passage: {listed}")
    return matches, problems


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _places(text: str, other: str) -> dict[int, int]:
    """Where the characters of a text stand in another one, as far as they do."""
    if text == other:
        return {i: i for i in range(len(text))}
    places: dict[int, int] = {}
    for operation, a, b, c, d in SequenceMatcher(None, text, other, autojunk=False).get_opcodes():
        if operation in ("equal", "replace"):
            places.update((i, c + (i - a) * (d - c) // (b - a)) for i in range(a, b))
            places[b - 1] = d - 1
    return places


def cut(graph: Graph, spans: Iterable[tuple[int, int]], ids: Iterable[str]) -> list[Graph]:
    """Take parts of a passage; `split_at` for parts that need not cover it.

    graph (Graph): The passage.
    spans (Iterable[Tuple[int, int]]): First token of each part and the one after the last.
    ids (Iterable[str]): The ids of the parts.
    RETURNS (List[Graph]): The parts, each with one root.
    """
    from .subgraph import PassageIndex, SubgraphBuilder

    source = PassageIndex(graph if "xml" in graph.details else in_reading_order(graph))
    parts = []
    for (start, end), part_id in zip(spans, ids, strict=True):
        parts.append(SubgraphBuilder(source, start, end).build(part_id))
    return parts


def merge_roots(graph: Graph) -> Graph:
    """Put the children of all roots under the first root, as `ucca.convert.join_passages` does: the
    `ucca` package evaluates one root only.

    graph (Graph): A graph, such as that of a Doc of several sentences.
    RETURNS (Graph): The graph with one root, without remote edges to the roots; the graph itself, if it has no more
        than one.
    """
    roots = [root.index for root in graph.roots]
    if len(roots) < 2:
        return graph
    tops, merged = set(roots), set(roots[1:])
    units = [unit for unit in range(len(graph.kinds)) if unit not in merged]
    number = {unit: i for i, unit in enumerate(units)}
    number.update((unit, number[roots[0]]) for unit in merged)
    # A remote edge to a root would lead from below the one root to it: a cycle
    out, tuples = graph.index.out, graph.edge_tuples
    below = reached(tops, lambda unit: (tuples[i].child for i in out[unit] if tuples[i].child >= 0))
    edges = [
        i for i, edge in enumerate(tuples) if edge.child not in tops or edge.parent not in below
    ]
    return graph.replace(
        kinds=[graph.kinds[unit] for unit in units],
        edges=renumber_edges((tuples[i] for i in edges), number, range(len(graph.words))),
        scores={new: graph.scores[i] for new, i in enumerate(edges) if i in graph.scores},
        details=plain_details(graph),
    )


def in_reading_order(graph: Graph) -> Graph:
    """Number units from the root down, linkage last; order edges by parents and what they lead to.

    graph (Graph): Any graph.
    RETURNS (Graph): The same structure; of the details, only the id is kept.
    """
    units = [unit.index for unit in graph.units]
    number = {unit: i for i, unit in enumerate(units)}

    def key(index: int) -> tuple[int, bool, int]:
        parent, child, _, _ = graph.edge_tuples[index]
        return number[parent], child >= 0, number[child] if child >= 0 else -child

    edges = sorted(range(len(graph.edge_tuples)), key=key)
    return subgraph(graph, units=units, edges=edges)


# Where parts end


def paragraph_ends(graph: Graph) -> list[int]:
    """RETURNS (List[int]): For each paragraph the index of the token after its last one."""
    entries = graph.details.get("xml", {}).get("tokens", {})
    starts = [
        i
        for i in range(1, len(graph.words))
        if graph.paragraphs[i] != graph.paragraphs[i - 1]
        or entries.get(str(i), {}).get("position") == 1
    ]
    return [*starts, len(graph.words)] if graph.words else []


def sentence_ends(graph: Graph) -> list[int]:
    """Find sentences by annotation. Of a graph with several roots, one after the other, each is a sentence. Else a sentence
    ends with its paragraph, or with ".", "?" or "!" where also a top-level Scene ends, punctuation after that included.

    graph (Graph): The passage.
    RETURNS (List[int]): For each sentence the index of the token after its last one.
    RAISES (UccaError): If the passage has no annotation.
    """
    if not graph.words:
        return []
    if not graph.edge_tuples:
        raise UccaError(Errors.UC150)
    if ends_of_roots := _root_ends(graph):
        return ends_of_roots
    if "xml" not in graph.details:
        graph = in_reading_order(graph)
    scenes = [graph[unit].tokens() for unit in _top_scenes(graph)]
    scene_starts = {tokens[0] for tokens in scenes if tokens}
    scene_ends = {tokens[-1] + 1 for tokens in scenes if tokens}
    ends: list[int] = []
    for i, word in enumerate(graph.words):
        # The mark itself often hangs outside of the Scene it closes.
        closes = i + 1 in scene_ends or (i in scene_ends and i not in scene_starts)
        if word in SENTENCE_END_MARKS and closes:
            ends.append(i + 1)
        elif ends and ends[-1] == i and graph.punct[i]:
            if not (word in QUOTES and word == graph.words[i - 1]):
                ends.append(i + 1)
    borders = sorted({*ends, *paragraph_ends(graph)})
    # Of several ends with only punctuation between them, the last counts; the token at the end itself
    # is between, the last one of the next sentence is not, so that a single word is no last sentence.
    return [
        end
        for end, following in zip(borders, [*borders[1:], None], strict=True)
        if following is None or not all(graph.punct[end - 1 : following - 1])
    ]


def _root_ends(graph: Graph) -> list[int]:
    """RETURNS (List[int]): Where the roots of a graph end, if it has several that do not overlap; else nothing."""
    yields = [root.tokens() for root in graph.roots]
    spans = sorted((tokens[0], tokens[-1]) for tokens in yields if tokens)
    if len(spans) < 2 or any(last >= first for (_, last), (first, _) in pairwise(spans)):
        return []
    return [*(first for first, _ in spans[1:]), len(graph.words)]


def _top_scenes(graph: Graph) -> set[int]:
    """Scenes within no other Scene, as the `ucca` package keeps track of them while it reads a passage
    edge by edge. It misses that a Scene is within another when a unit between them is attached last,
    so the order of the edges counts."""
    kinds = graph.kinds
    parents, is_scene = [-1] * len(kinds), [False] * len(kinds)
    head = min((root.index for root in graph.roots), default=-1)
    scenes: set[int] = set()

    def is_top(unit: int) -> bool:
        above = parents[unit]
        while above not in (-1, head):
            if is_scene[above]:
                return False
            above = parents[above]
        return True

    def update(unit: int) -> None:
        if not is_scene[unit] or kinds[unit] not in (FOUNDATIONAL, IMPLICIT):
            return
        if unit in scenes:
            if not is_top(unit):
                scenes.remove(unit)
        elif is_top(unit):
            scenes.add(unit)
            scenes.difference_update([scene for scene in scenes if not is_top(scene)])

    for edge in graph.edge_tuples:
        if MAIN_RELATIONS.intersection(edge.categories):
            is_scene[edge.parent] = True
        if edge.child >= 0 and not edge.remote and kinds[edge.parent] in (FOUNDATIONAL, IMPLICIT):
            parents[edge.child] = edge.parent
        update(edge.parent)
        if edge.child >= 0:
            update(edge.child)
    return scenes


def text_paragraphs(text: str) -> list[str]:
    """RETURNS (List[str]): The paragraphs of a text, divided at blank lines, with runs of white space as one space."""
    return [" ".join(part.split()) for part in BLANK_LINE.split(text) if part.strip()]
