"""A matcher that tries every choice of units for the nodes of a pattern, by the properties of `Unit` alone: slow."""

from itertools import permutations

from spacy.tokens import Doc

from spacy_ucca.extract.kinds import KINDS
from spacy_ucca.graph import Unit


def naive_matches(doc: Doc, pattern: list[dict]) -> list[dict[str, Unit]]:
    """RETURNS (List[Dict[str, Unit]]): The matches, each once, in any order."""
    found = {}
    units = doc._.ucca.units
    absent = [node for node in pattern if node.get("OP") == "!"]
    positive = _without(pattern, absent)
    names = [node["RIGHT_ID"] for node in positive if "RIGHT_ATTRS" in node]
    for chosen in permutations(units, len(names)):
        choice = dict(zip(names, chosen))
        if _holds(doc, pattern, positive, choice):
            named = {k: u for k, u in choice.items() if isinstance(k, str)}
            found[tuple(named.values())] = named
    return list(found.values())


def _without(nodes: list[dict], absent: list[dict]) -> list[dict]:
    """RETURNS (List[Dict]): The nodes that neither are among some nor hang on these."""
    gone, left = set(), []
    for node in nodes:
        if node in absent or node.get("LEFT_ID") in gone:
            if "RIGHT_ATTRS" in node:
                gone.add(node["RIGHT_ID"])
        else:
            left.append(node)
    return left


def _holds(doc: Doc, pattern: list[dict], nodes: list[dict], choice: dict) -> bool:
    if not all(_node_holds(doc, node, choice) for node in nodes):
        return False
    own = {node["RIGHT_ID"] for node in nodes if "RIGHT_ATTRS" in node}
    for node in pattern:
        if node.get("OP") == "!" and node not in nodes and node["LEFT_ID"] in own:
            if _exists(doc, pattern, node, choice):
                return False
    return True


def _exists(doc: Doc, pattern: list[dict], top: dict, choice: dict) -> bool:
    below = [top]
    for node in pattern:
        tops = {n["RIGHT_ID"] for n in below if "RIGHT_ATTRS" in n}
        if node.get("LEFT_ID") in tops and node.get("OP") != "!":
            below.append(node)
    others = [unit for unit in doc._.ucca.units if unit not in choice.values()]
    names = [node["RIGHT_ID"] for node in below if "RIGHT_ATTRS" in node]
    return any(
        _holds(doc, pattern, below, {**choice, **dict(zip(names, chosen))})
        for chosen in permutations(others, len(names))
    )


def _node_holds(doc: Doc, node: dict, choice: dict) -> bool:
    unit = choice[node["RIGHT_ID"]]
    if not unit_fits(doc, unit, node.get("RIGHT_ATTRS", {})):
        return False
    if "AFTER" in node and not _place(unit) > _place(choice[node["AFTER"]]):
        return False
    if "LEFT_ID" not in node:
        return True
    return related(choice[node["LEFT_ID"]], node["REL_OP"], unit, node.get("EDGE_ATTRS", {}))


def _place(unit: Unit) -> tuple:
    tokens = unit.tokens()
    last = len(unit.graph.words)
    length = tokens[-1] + 1 - tokens[0] if tokens else 0
    return (tokens[0] if tokens else last, -length, unit.index)


def unit_fits(doc: Doc, unit: Unit, attrs: dict) -> bool:
    """RETURNS (bool): Whether a unit has attributes, given as plain values."""
    values = {
        "KIND": unit.scene_kind,
        "IS_SCENE": unit.is_scene,
        "IS_IMPLICIT": unit.is_implicit,
        "IS_DISCONTINUOUS": unit.is_discontinuous,
        "IS_PUNCT": unit.is_punct,
        "IS_ROOT": unit.is_root,
        "LENGTH": len(unit.tokens()),
    }
    for name, value in attrs.items():
        if name == "CATEGORY":
            good = _has(unit.categories, value)
        elif name == "HEAD":
            good = unit.head is not None and doc[unit.head].lower_ == value["LOWER"]
        elif name == "TOKENS":
            n = len(value)
            words = [token["LOWER"] for token in value]
            inside = set(unit.tokens())
            good = any(
                inside.issuperset(range(i, i + n)) and [t.lower_ for t in doc[i : i + n]] == words
                for i in range(len(doc) - n + 1)
            )
        elif name in KINDS:
            good = KINDS[name](doc, unit) == value
        else:
            good = values[name] == value
        if not good:
            return False
    return True


def _has(categories: tuple[str, ...], wanted) -> bool:
    if isinstance(wanted, str):
        return set(wanted.split("|")) <= set(categories)
    if "NOT_IN" in wanted:
        return not any(set(one.split("|")) <= set(categories) for one in wanted["NOT_IN"])
    return any(set(one.split("|")) <= set(categories) for one in wanted["IN"])


def related(a: Unit, op: str, b: Unit, edge_attrs: dict) -> bool:
    """RETURNS (bool): Whether two units stand in a relation."""
    if op in "<>":
        parent, child = (a, b) if op == ">" else (b, a)
        return any(
            edge.child == child
            and _has(edge.categories, edge_attrs.get("CATEGORY", {"NOT_IN": []}))
            and edge_attrs.get("REMOTE", edge.remote) == edge.remote
            for edge in parent.edges
        )
    if op in ("<<", ";", ";*", "$-", "$--"):
        opposite = {"<<": ">>", ";": ".", ";*": ".*", "$-": "$+", "$--": "$++"}[op]
        return related(b, opposite, a, edge_attrs)
    if op == ">>":
        return a in b.ancestors()
    if op.startswith("$"):
        if a == b or a.parent is None or a.parent != b.parent:
            return False
        if op == "$":
            return True
        if not (a.tokens() and b.tokens() and a.tokens()[0] < b.tokens()[0]):
            return False
        between = [
            unit
            for unit in a.graph.units
            if unit.parent == a.parent
            and unit.tokens()
            and a.tokens()[0] < unit.tokens()[0] < b.tokens()[0]
        ]
        return op == "$++" or all(unit.is_punct for unit in between)
    if not (a.tokens() and b.tokens() and a.tokens()[-1] < b.tokens()[0]):
        return False
    if [*a.ancestors(itself=True)][-1] != [*b.ancestors(itself=True)][-1]:
        return False
    between = range(a.tokens()[-1] + 1, b.tokens()[0])
    graph = a.graph
    return op == ".*" or all(graph.punct[i] or graph.unit_of(i) is None for i in between)
