"""Rule 1 of splitting: which parallel Scenes are a sentence each, and which stay together."""

from spacy.tokens import Doc

from ..graph.kinds import RELATIVE
from ..graph.unit import Unit
from .shared import QUESTION_TAGS, first_conjunct, is_nonfinite, is_past, is_question
from .words import (
    ASSERTED_OF_THE_PAST,
    NOT_ASSERTED,
    OTHER_RELATIVE,
    has_word,
    words_of,
)

DROPPED = {"L", "F", "U"}


def published_groups(doc: Doc, unit: Unit) -> list[list[Unit]]:
    """RETURNS (List[List[Unit]]): The parallel Scenes a unit consists of, and what else is no linker, each alone; the unit itself,
    if it is a Scene, has none, or has words of its own beside them."""
    if _is_whole(unit):
        return [[unit]]
    edges = (edge for edge in unit.edges if not edge.remote)
    parts = (edge.child for edge in edges if not DROPPED.intersection(edge.categories))
    return [group for part in parts for group in published_groups(doc, part)]


def find_groups(doc: Doc, unit: Unit) -> list[list[Unit]]:
    """RETURNS (List[List[Unit]]): As `published_groups`, but what is not asserted, has no finite verb, or is no parallel Scene, is
    together with the Scene it belongs to, and with the linkers and punctuation between."""
    if _is_whole(unit):
        return [[unit]]
    children = _flat(doc, unit)
    parts = [i for i, c in enumerate(children) if not DROPPED.intersection(c.categories)]
    is_joined = [False] * (len(parts) + 1)  # with the part before
    links: list[list[Unit]] = []
    for n, i in enumerate(parts):
        start = parts[n - 1] + 1 if n else 0
        links.append([c for c in children[start:i] if "L" in c.categories])
        if _depends(doc, children[i], links[n]):
            is_joined[n + _comes_first(doc, children, parts, n, links[n])] = True
    is_joined[0] = is_joined[-1] = False
    groups: list[list[Unit]] = []
    for n, i in enumerate(parts):
        if is_joined[n]:
            groups[-1] += children[parts[n - 1] + 1 : i + 1]
        else:
            depends = _depends(doc, children[i], links[n])
            kept = [
                link
                for link in links[n]
                if (depends and _subordinates(doc, link)) or _asks(doc, link, children[i])
            ]
            groups.append([*kept, children[i]])
    return groups


def _flat(doc: Doc, unit: Unit) -> list[Unit]:
    """RETURNS (List[Unit]): The children of a unit, with those of a child that consists of parallel Scenes in place of it, unless a
    linker says of all of these that they depend on another Scene."""
    found: list[Unit] = []
    for child in (edge.child for edge in unit.edges if not edge.remote):
        last = [c for c in found[-2:] if "L" in c.categories]
        if "H" not in child.categories or _is_whole(child) or any(_is_open(doc, c) for c in last):
            found.append(child)
        else:
            found += _flat(doc, child)
    return found


def _is_whole(unit: Unit) -> bool:
    return unit.is_scene or not unit.parallel_scenes or bool(unit.terminals)


def _depends(doc: Doc, part: Unit, links: list[Unit]) -> bool:
    """RETURNS (bool): Whether a part cannot be a sentence of its own."""
    if not part.is_scene and not (part.parallel_scenes and "H" in part.categories):
        return True
    words = {part.graph.words[i] for i in part.tokens(punct=False)[:1]}
    if any(_is_unsure(doc, link) for link in links) or any(
        has_word(word, words_of(NOT_ASSERTED, doc)) for word in words if part.is_scene
    ):
        return True
    if not part.is_scene:
        return False
    if any(_is_open(doc, link) for link in links) and not is_past(doc, part):
        return True
    return is_nonfinite(doc, part)


def _is_unsure(doc: Doc, link: Unit) -> bool:
    if has_word(link.text, words_of(NOT_ASSERTED, doc)):
        return True
    pronouns = words_of(RELATIVE, doc) | words_of(OTHER_RELATIVE, doc)
    return link.text.lower() in pronouns


def _is_open(doc: Doc, link: Unit) -> bool:
    return _is_unsure(doc, link) or has_word(link.text, words_of(ASSERTED_OF_THE_PAST, doc))


def _subordinates(doc: Doc, link: Unit) -> bool:
    """RETURNS (bool): Whether a linker stays before a Scene that depends on another: not "and" or "but"."""
    return _is_open(doc, link) or any(doc[i].pos_ not in ("CCONJ", "") for i in link.tokens()[:1])


def _asks(doc: Doc, link: Unit, part: Unit) -> bool:
    """RETURNS (bool): Whether a linker is the question word of a Scene: "when" of "when did he come?"."""
    *_, root = part.ancestors(itself=True)
    return (
        any(doc[i].tag_ in QUESTION_TAGS for i in link.tokens())
        and doc[root.tokens()[-1]].text == "?"
        and is_question(doc, part.tokens()) is True
    )


def _comes_first(
    doc: Doc, children: list[Unit], parts: list[int], n: int, links: list[Unit]
) -> bool:
    """RETURNS (bool): Whether the Scene that a part belongs to follows it: by dependencies; else, if it begins the sentence, or
    another linker stands before its own."""
    head = first_conjunct(doc, children[parts[n]]) if children[parts[n]].is_scene else None
    if head is not None and head.head != head:
        above = head.head
        if n + 1 < len(parts) and above.i in children[parts[n + 1]].tokens():
            return True
        if n and above.i in children[parts[n - 1]].tokens():
            return False
    return n == 0 or (len(links) > 1 and n + 1 < len(parts))
