"""Rule 1 of splitting: which parallel Scenes are a sentence each, and which stay together."""

from itertools import pairwise

from spacy.tokens import Doc

from ..extract.forms import is_question_word
from ..extract.linkers import Linkage
from ..extract.words import words_of
from ..graph.unit import Unit
from .order import part_of
from .shared import first_conjunct, is_nonfinite, is_past, is_question

DROPPED = {"L", "F", "U"}


def published_groups(doc: Doc, unit: Unit) -> list[list[Unit]]:
    """RETURNS (List[List[Unit]]): The parallel Scenes a unit consists of, and what else is no linker, each alone; the unit itself,
    if it is a Scene, has none, or has words of its own beside them."""
    if _is_whole(unit):
        return [[unit]]
    edges = (edge for edge in unit.edges if not edge.remote)
    parts = (edge.child for edge in edges if not DROPPED.intersection(edge.categories))
    return [group for part in parts for group in published_groups(doc, part)]


def find_groups(doc: Doc, unit: Unit, linkage: Linkage) -> list[list[Unit]]:
    """RETURNS (List[List[Unit]]): As `published_groups`, but what is not asserted, has no finite verb, or is no parallel Scene, is
    together with the Scene that it depends on, and with its linkers. A condition is with each Scene that it governs. The Scene that
    the others depend on comes first."""
    if _is_whole(unit):
        return [[unit]]
    children = _flat(doc, unit)
    places = [i for i, c in enumerate(children) if not DROPPED.intersection(c.categories)]
    parts = [children[i] for i in places]
    stretches = (children[start:end] for start, end in pairwise([0, *places]))
    links = [[c for c in stretch if "L" in c.categories] for stretch in stretches]
    depends = [_depends(doc, *each, linkage) for each in zip(parts, links, strict=True)]
    tops = _tops(doc, parts, links, depends, linkage)
    groups: list[list[Unit]] = []
    for top in dict.fromkeys(tops):
        members = {n for n, other in enumerate(tops) if other == top}
        members |= _governing(parts, top, linkage)
        group, last = [parts[top]], -2
        for n in sorted(members):
            if last == n - 1:
                group += children[places[last] + 1 : places[n]]
            else:
                group += (
                    link
                    for link in links[n]
                    if (depends[n] and _subordinates(doc, link))
                    or _asks(doc, link, parts[n])
                    or (top != n and link.text.lower() in words_of(doc, "not_only"))
                )
            group.append(parts[n])
            last = n
        groups.append(list(dict.fromkeys(group)))
    return groups


def _tops(
    doc: Doc, parts: list[Unit], links: list[list[Unit]], depends: list[bool], linkage: Linkage
) -> list[int]:
    """RETURNS (List[int]): For each part the one that it is together with in the end, which may be itself."""
    above = [
        _part_above(doc, parts, n, links[n], depends, linkage) if depends[n] else n
        for n in range(len(parts))
    ]
    if (
        links
        and len(parts) > 1
        and any(link.text.lower() in words_of(doc, "not_only") for link in links[0])
    ):
        above[0] = 1  # "not only did he sing but he danced"
    found = []
    for n in range(len(parts)):
        seen = {n}
        while above[n] not in seen:
            n = above[n]
            seen.add(n)
        found.append(n if above[n] == n else min(seen))
    return found


def _part_above(
    doc: Doc, parts: list[Unit], n: int, links: list[Unit], depends: list[bool], linkage: Linkage
) -> int:
    """RETURNS (int): The part that one depends on."""
    first = linkage.firsts.get(parts[n])
    if first in parts and not depends[parts.index(first)]:
        return parts.index(first)
    over = part_of(doc, parts[n]) if parts[n].is_scene else None
    if over is not None and over.i > parts[n].tokens()[-1]:
        return next((m for m, part in enumerate(parts) if over.i in part.tokens()), n)
    place = linkage.places.get(parts[n])
    for m, part in enumerate(parts if place is not None else ()):
        if m != n and place in part.tokens():
            if all(depends[min(m, n) + 1 : max(m, n)]) or linkage.has_condition(parts[n]):
                return m
    follows = _comes_first(doc, parts, n, links)
    if n + 1 < len(parts) and follows:
        return n + 1
    return n - 1 if n and not follows else n


def _governing(parts: list[Unit], top: int, linkage: Linkage) -> set[int]:
    """RETURNS (Set[int]): The parts that are conditions of a part."""
    places = {c.span[-1].i for c in linkage.conditions.get(parts[top], ())}
    return {n for n, part in enumerate(parts) if n != top and not places.isdisjoint(part.tokens())}


def _flat(doc: Doc, unit: Unit) -> list[Unit]:
    """RETURNS (List[Unit]): The children of a unit, with those of a child that consists of parallel Scenes in place of it, unless a
    linker says of all of these that they depend on another Scene."""
    found: list[Unit] = []
    for child in (edge.child for edge in unit.edges if not edge.remote):
        last = [c for c in found[-2:] if "L" in c.categories]
        if (
            "H" not in child.categories
            or _is_whole(child)
            or any(_is_open(doc, c.text) for c in last)
        ):
            found.append(child)
        else:
            found += _flat(doc, child)
    return found


def _is_whole(unit: Unit) -> bool:
    return unit.is_scene or not unit.parallel_scenes or bool(unit.terminals)


def _depends(doc: Doc, part: Unit, links: list[Unit], linkage: Linkage) -> bool:
    """RETURNS (bool): Whether a part cannot be a sentence of its own."""
    if not part.is_scene:
        if not (part.parallel_scenes and "H" in part.categories):
            return True
        return any(_is_unsure(doc, link.text) for link in links)
    texts = {link.text for link in links} | {link.span.text for link in linkage.links.get(part, ())}
    first = {part.graph.words[i] for i in part.tokens(punct=False)[:1]}
    if any(_is_unsure(doc, text) for text in texts) or any(
        has_word(word, words_of(doc, "not_asserted")) for word in first
    ):
        return True
    if any(_is_open(doc, text) for text in texts) and not is_past(doc, part):
        return True
    return is_nonfinite(doc, part) or part_of(doc, part) is not None


def has_word(text: str, words: frozenset[str]) -> bool:
    """RETURNS (bool): Whether a text has one of some words, or words in a row."""
    padded = f" {' '.join(text.lower().split())} "
    return any(f" {word} " in padded for word in words)


def _is_unsure(doc: Doc, text: str) -> bool:
    if has_word(text, words_of(doc, "not_asserted")):
        return True
    return text.lower() in (words_of(doc, "relative") | words_of(doc, "relative_others"))


def _is_open(doc: Doc, text: str) -> bool:
    return _is_unsure(doc, text) or has_word(text, words_of(doc, "asserted_of_past"))


def _subordinates(doc: Doc, link: Unit) -> bool:
    """RETURNS (bool): Whether a linker stays before a Scene that depends on another: not "and" or "but"."""
    first = (doc[i].pos_ for i in link.tokens()[:1])
    return _is_open(doc, link.text) or any(pos not in ("CCONJ", "") for pos in first)


def _asks(doc: Doc, link: Unit, part: Unit) -> bool:
    """RETURNS (bool): Whether a linker is the question word of a Scene: "when" of "when did he come?"."""
    *_, root = part.ancestors(itself=True)
    return (
        any(is_question_word(doc[i]) for i in link.tokens())
        and doc[root.tokens()[-1]].text == "?"
        and is_question(doc, part.tokens()) is True
    )


def _comes_first(doc: Doc, parts: list[Unit], n: int, links: list[Unit]) -> bool:
    """RETURNS (bool): Whether the Scene that a part belongs to follows it: by dependencies; else, if it begins the sentence, or
    another linker stands before its own."""
    head = first_conjunct(doc, parts[n]) if parts[n].is_scene else None
    if head is not None and head.head != head:
        above = head.head
        if n + 1 < len(parts) and above.i in parts[n + 1].tokens():
            return True
        if n and above.i in parts[n - 1].tokens():
            return False
    return n == 0 or (len(links) > 1 and n + 1 < len(parts))
