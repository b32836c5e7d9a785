"""Normalize UCCA graphs before scoring, as the official metric does to both sides.

The rules are those of `ucca.normalization.normalize` (ucca 1.3.11, without its `extra` rules) and of
`move_functions` in `ucca.evaluation`, to the last detail that can change a score: the order units are
visited in, the order of edges, the identifiers given to new units. They work on `MutableGraph`, a
light copy, so the graph that is scored never changes.

Where the toolkit raises an exception or depends on something arbitrary:

- it fails on a unit that is an implicit participant twice over (destroyed twice), and on a sole
  participant without a primary parent; the unit is removed once, or left alone;
- it fails on a passage left without any head; here functions are then not moved;
- edges marked "Coordinated_Main_Rel." that lack a P or S category or centers fail an assertion there;
  they are left as they are here;
- it moves common functions in the order of a Python set; the result depends on that order only where
  the root was dissolved, and here they are moved in the order of the units of the reference;
- it never ends where a unit with a P, S or A has an edge with H as a second category and nothing
  that stays beside Scenes: it wraps it in parallel Scenes for ever. Here this wrapping is left out;
- identifiers order units, so renumbering the units of a graph can change which ancestor punctuation is
  attached to. A graph that kept the identifiers of its file is treated in their order, any other in
  the order it would be written to a file, whatever the order it is stored in.
"""

from collections.abc import Sequence

from ..graph.categories import LINK_ARGUMENT, LINK_RELATION, MAIN_RELATIONS, PUNCTUATION, TERMINAL
from .mutable import MutableGraph

COORDINATED = "Coordinated_Main_Rel."
# Categories a Scene may consist of alone when it only wraps other Scenes
_TOP = frozenset(("H", "L", "F", "G", PUNCTUATION, "R", LINK_RELATION, LINK_ARGUMENT, "N"))
# Categories that stay at the top when a Scene is made around the rest
_BESIDE_SCENES = frozenset(("H", PUNCTUATION, "L", "G"))
# Categories that are not shared between the Scenes of coordinated main relations
_SHARED_ONCE = frozenset(("F", "H", "L", LINK_RELATION, "N", PUNCTUATION, TERMINAL))


def normalize(net: MutableGraph) -> None:
    """Normalize a graph in place, as the official metric does before it counts. It starts and ends
    without punctuation units, for the metric attaches them anew at first and nothing counts them then.

    net (MutableGraph): The graph.
    """
    _attach_punctuation(net)
    heads = [unit for unit in net.in_order() if not net.incoming[unit]]
    visited: set[int] = set()
    for head in heads:
        if head not in visited:
            _normalize_under(net, head, visited)
    _detach_punctuation(net)


def _normalize_under(net: MutableGraph, head: int, visited: set[int]) -> None:
    """Visit units depth first, each before its children. Edges are looked at afresh after every
    visit, because a visit may change those of any unit above."""
    visited.add(head)
    path = [head]
    _normalize_unit(net, head)
    while path:
        links = net.out[path[-1]]
        i = 0
        while i < len(links):
            link = links[i]
            i += 1
            child = link.child
            if child >= 0 and child not in visited:
                visited.add(child)
                below = net.out[child]
                if below and below[-1].child >= 0:  # tokens come first: not over tokens only
                    path.append(child)
                    _normalize_unit(net, child)
                    break
            elif child in path:
                net.remove_link(link)
        else:
            path.pop()


def _normalize_unit(net: MutableGraph, start: int) -> None:
    if not net.foundational[start]:
        return
    unit = start
    _separate_scenes(net, unit)
    _split_coordinated(net, unit)
    for rule in (_flatten_centers, _flatten_functions, _flatten_participants):
        left = rule(net, unit)
        if left is None:
            return
        unit = left
    _flatten_scenes(net, unit)


def _separate_scenes(net: MutableGraph, unit: int) -> None:
    """Give a Scene among parallel Scenes, or right under the root, a unit of its own."""
    scene_like = parallel = False
    for link in net.out[unit]:
        tags = link.tags
        scene_like = scene_like or "A" in tags or "P" in tags or "S" in tags
        parallel = parallel or "H" in tags
    top = not net.incoming[unit]
    if not scene_like or not (parallel or top):
        return
    links = net.out[unit][:]
    if not top and all(link.tags[0] not in _BESIDE_SCENES for link in links):
        return  # the new unit would get all there is, and be as this one
    scene = net.add_unit(unit, "H")
    for link in links:
        if link.tags[0] not in _BESIDE_SCENES and net.copy(link, parent=scene):
            net.remove_link(link)


def _split_coordinated(net: MutableGraph, unit: int) -> None:
    """Give each center of a coordinated main relation a Scene of its own; participants are shared
    by remote edges."""
    i = 0
    while i < len(net.out[unit]):
        link = net.out[unit][i]
        i += 1
        if not link.coordinated or link.child < 0 or MAIN_RELATIONS.isdisjoint(link.tags):
            continue
        relation = link.child
        centers = net.children(relation, "C")
        if not centers:
            continue
        others = [x for x in net.out[relation] if "C" not in x.tags]
        shared = [x for x in net.incoming[relation] if x.remote]
        net.erase(relation)
        primary = net.primary(unit)
        top: int = unit
        if primary is not None and "H" in primary.tags:
            top = primary.parent
            # The first edge between the two, whatever its kind
            net.disconnect(next(x for x in net.out[top] if x.child == unit))
        outgoing = [x for x in net.out[unit] if x.child != relation]
        for x in outgoing:
            if "R" in x.tags:
                net.copy(x, parent=top)
        scenes: list[int] = []
        for center in centers:
            scene = net.add_unit(top, "H")
            net.copy(link, parent=scene, child=center, remote=link.remote)
            for x in outgoing:
                if "R" in x.tags or (scenes and not _SHARED_ONCE.isdisjoint(x.tags)):
                    continue
                net.copy(x, parent=scene, remote=True if scenes else None)
            scenes.append(scene)
        for x in others:
            target = top if _TOP.issuperset(x.tags) else scenes[0]
            net.copy(x, parent=target, tag="L" if "N" in x.tags else None)
        for x in outgoing:
            if x in net.out[unit]:
                net.remove_link(x)
        for x in shared:
            net.copy(x, child=centers[0])
        if not net.incoming[unit] and net.alive[unit]:
            net.erase(unit)


def _flatten_centers(net: MutableGraph, unit: int) -> int | None:
    """Drop a unit that is the only center of its parent and has one center, and a unit whose only
    child is a center.

    RETURNS (Optional[int]): The unit, or its parent if it was dropped.
    """
    centers = net.children(unit, "C")
    if len(centers) != 1:
        return unit
    primary = net.primary(unit)
    if primary and primary.tags[0] == "C" and len(net.children(primary.parent, "C")) == 1:
        for link in net.incoming[unit][:]:
            if link.remote:
                net.copy(link, child=centers[0])
        for link in net.out[unit][:]:
            net.copy(link, parent=primary.parent)
        return net.remove_unit(unit)
    if len(net.out[unit]) == 1:
        remote = net.out[unit][0].remote
        for link in net.incoming[unit][:]:
            # Also changes the edge itself: the unit may so lose its primary parent
            link.remote = link.remote or remote
            net.copy(link, child=centers[0])
        return net.remove_unit(unit)
    return unit


def _flatten_functions(net: MutableGraph, unit: int) -> int | None:
    """Move the content of a function up, and drop a unit whose only child is a function.

    RETURNS (Optional[int]): The unit, or its parent if it was dropped.
    """
    if not net.incoming[unit]:
        return unit
    functions = net.children(unit, "F")
    if not functions:
        return unit
    for function in functions:
        links = net.out[function]
        if all(TERMINAL in link.tags for link in links):
            continue
        for link in links[:]:
            net.copy(link, parent=unit, tag="F" if link.tags[0] == "C" else link.tags[0])
        net.remove_unit(function)
    functions = net.children(unit, "F")
    if len(functions) == len(net.out[unit]) == 1:
        for link in net.incoming[unit][:]:
            net.copy(link, child=functions[0])
        return net.remove_unit(unit)
    return unit


def _flatten_participants(net: MutableGraph, unit: int) -> int | None:
    """Drop a unit whose only child is a participant, and implicit participants of a unit without
    a main relation.

    RETURNS (Optional[int]): The unit, or its parent if it was dropped.
    """
    participants = net.children(unit, "A")
    if not participants:
        return unit
    if len(participants) == len(net.out[unit]) == 1:
        primary = net.primary(participants[0])
        if primary is not None and len(primary.tags) == 1:
            for link in net.incoming[unit][:]:
                net.copy(link, child=participants[0])
            return net.remove_unit(unit)
    if not net.is_scene(unit):
        for child in participants:
            if net.implicit[child] and net.alive[child]:
                net.remove_unit(child)
    return unit


def _flatten_scenes(net: MutableGraph, unit: int) -> None:
    """Drop a parallel Scene that only wraps parallel Scenes and their linkers."""
    for scene in net.children(unit, "H"):
        if all(not _TOP.isdisjoint(link.tags) for link in net.out[scene]):
            for link in net.out[scene][:]:
                net.copy(link, parent=unit)
                net.remove_link(link)


def _detach_punctuation(net: MutableGraph) -> None:
    """Remove punctuation units, and units that have nothing else. Punctuation tokens directly under a
    unit of another kind stay there."""
    units = [u for u, is_punct in enumerate(net.is_punct) if is_punct and net.alive[u]]
    for unit in sorted(units, key=net.ids.__getitem__):
        if net.alive[unit]:
            net.remove_unit(unit)


def _attach_punctuation(net: MutableGraph) -> None:
    """Attach each loose punctuation token, in a unit of its own, to the lowest unit that has the
    nearest word on either side. Before the first word "the word to the left" is the last one of the
    text."""
    words = [token for token in net.tokens if not net.punct[token]]
    n_before = 0
    for token in net.tokens:
        if not net.punct[token]:
            n_before += 1
        elif not net.over_token.get(token):
            around = []
            if words:
                around.append(words[n_before - 1])
                around.extend(words[n_before : n_before + 1])
            parent = _lowest_over(net, around)
            unit = net.add_unit(net.root if parent is None else parent, PUNCTUATION, punct=True)
            net.connect(unit, ~token, (TERMINAL,), False)


def _lowest_over(net: MutableGraph, tokens: Sequence[int]) -> int | None:
    """The first unit above the first token, level by level, that is above the second as well; or,
    with one token only, the first that has no tokens directly under it."""
    if not tokens:
        return None
    level = [link.parent for link in net.over_token.get(tokens[0], ())]
    above = net.above(net.over_token.get(tokens[1], ())) if len(tokens) > 1 else None
    seen: set[int] = set()
    while level:
        for unit in level:
            if net.foundational[unit]:
                if above is not None:
                    if unit in above:
                        return unit
                elif not any(TERMINAL in link.tags for link in net.out[unit]):
                    return unit
        seen.update(level)
        level = [x.parent for u in level for x in net.incoming[u] if x.parent not in seen]
    return None


def move_functions(predicted: MutableGraph, gold: MutableGraph) -> None:
    """Move each function both graphs agree on, by its tokens, to the root of both, in place: where
    a function is attached is a matter of taste.

    predicted (MutableGraph): A normalized graph.
    gold (MutableGraph): The normalized graph it is compared to.
    """
    ours, theirs = _functions(predicted), _functions(gold)
    for mask, unit in theirs.items():
        if mask in ours:
            _move_to_head(predicted, ours[mask])
            _move_to_head(gold, unit)


def _functions(net: MutableGraph) -> dict[int, int]:
    """Function units by the bit set of their tokens; the last one of each."""
    units = []
    for unit, alive in enumerate(net.alive):
        if alive and net.foundational[unit]:
            primary = net.primary(unit)
            if primary is not None and primary.tags[0] == "F":
                units.append(unit)
    units.sort(key=net.ids.__getitem__)
    masks = net.masks(units)
    return {masks[unit]: unit for unit in units}


def _move_to_head(net: MutableGraph, unit: int) -> None:
    parent = net.parent(unit)
    if parent is None:
        return
    link = next(x for x in net.out[parent] if x.child == unit)
    net.disconnect(link)
    head = min(
        (u for u, alive in enumerate(net.alive) if alive and not net.incoming[u]),
        key=net.ids.__getitem__,
        default=None,
    )
    if head is None:
        net.connect(parent, unit, link.tags, link.remote)
    else:
        net.connect(head, unit, ("F",), False)
