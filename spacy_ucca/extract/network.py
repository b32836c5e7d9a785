"""Scenes as a network, for NetworkX and as a picture: who is in which Scene, and what depends on what."""

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

from ..conversion.graph import Arc
from ..drawing.arcs import draw_lines
from ..drawing.picture import valid_xml
from ..drawing.theme import COLORS, SOFT
from ..methods import load_package
from .arguments import Argument

if TYPE_CHECKING:
    from .predications import Predications

MAX_TEXT = 60  # characters of a text in a picture
LINKER, WHO, WHAT, OTHER = (f'fill="{c}"' for c in (*map(COLORS.get, "LAP"), SOFT))
HOST = "host"


def to_networkx(found: "Predications") -> Any:
    """RETURNS (networkx.MultiDiGraph): Predications as a network: see `Predications.to_networkx`."""
    network, rows = load_package("networkx").MultiDiGraph(), found.to_dicts()
    copies, places, edges = _edges(rows)
    for i, row in enumerate(rows):
        plain = {key: _clean(plain_cell(value)) for key, value in row.items() if value is not None}
        label = _clean(row["lemma"] or row["relation"])
        network.add_node(i, type="Scene", label=label, **plain)
    for (start, end, label), kind in edges.items():
        network.add_edge(start, end, kind=kind, label=_clean(label))
    for i, (one, row) in enumerate(zip(found, rows, strict=True)):
        roles = [("subject", one.subject), ("object", one.object)]
        roles += (("other", argument) for argument in one.others)
        roles += (("time", Argument(span, span.root)) for span in one.times)
        roles += (("place", Argument(span, span.root)) for span in one.places)
        for kind, who in roles:
            if who is None or who.head is None:
                continue
            number = one._numbers.get(who.edge.child) if who.edge else None
            node: Any = places.get((copies[i], number))
            if node is None:  # no Scene
                node = f"{row['doc']}:{who.head.i}"
                text = _clean(who.text)
                label = min(network.nodes.get(node, {}).get("label", text), text, key=len)
                network.add_node(node, type="participant", label=label, doc=row["doc"])
            word = who.preposition.text if who.preposition else kind
            network.add_edge(i, node, kind=kind, label=_clean(word))
    return network


def _edges(rows: list[dict[str, Any]]) -> tuple[list[Any], dict[Any, int], dict[Any, str]]:
    """RETURNS (Tuple[List[Tuple[int, int]], Dict[Tuple[Any, Optional[int]], int], Dict[Tuple[int, int, str], str]]): For each row its
    Doc, and how often that came before; by these and number the places of Scenes in the list; and the edges between these places:
    where they begin and end, their words, and whether each is a "link", "condition" or "host"."""
    times, found = Counter[Any](), dict[Any, str]()
    copies, places = list[Any](), dict[Any, int]()
    for i, row in enumerate(rows):
        scene = row["doc"], row["scene"]
        copies.append((row["doc"], times[scene]))
        times[scene] += 1
        places[copies[-1], row["scene"]] = i
    at = places.get
    for i, (doc, row) in enumerate(zip(copies, rows)):
        found |= {(i, at((doc, each["scene"])), each["text"]): "link" for each in row["links"]}
        found |= {(at((doc, c["scene"])), i, c["linker"]): "condition" for c in row["conditions"]}
        found[i, at((doc, row["host"])), HOST] = HOST
    return copies, places, {ends: kind for ends, kind in found.items() if None not in ends}


def to_svg(found: "Predications") -> str:
    """RETURNS (str): Predications as a picture: see `Predications.to_svg`."""
    rows, lines = found.to_dicts(), []
    copies, places, edges = _edges(rows)
    hosts = {start: end for (start, end, _), kind in edges.items() if kind == HOST and end < start}
    for copy, one, row in zip(copies, found, rows, strict=True):
        rest = [*row["others"], *row["times"], *row["places"], *row["adverbials"]]
        said = " ".join(map(str, (row["subject"], row["object"], row["relation"], *rest))).split()
        words = sorted({*one.modality, *one.secondary, *([one.negation] if one.negation else [])})
        relation = " ".join([*(t.norm_ for t in words if t.text not in said), row["relation"]])
        free = (each for each in row["links"] if (copy, each["scene"]) not in places)
        parts = [*((each["text"], LINKER) for each in free), (row["subject"], WHO)]
        parts += [(relation, WHAT + ' font-weight="600"'), (row["object"], WHO)]
        parts += ((text, OTHER) for text in rest if text != "(implicit)")
        texts = ((text, how) for text, how in parts if text)
        lines.append([(t[:MAX_TEXT] + "…" * (len(t) > MAX_TEXT), how) for t, how in texts])
    arcs = [Arc(*ends) for ends, kind in edges.items() if kind != HOST]
    return draw_lines(lines, [*map(hosts.get, range(len(lines)))], arcs)


def _clean(value: Any) -> Any:
    """RETURNS (Any): A text without what XML, and so GraphML, cannot hold; other values as they are."""
    return valid_xml(value) if isinstance(value, str) else value


def plain_cell(value: Any) -> Any:
    """RETURNS (Any): A value of `Predication.to_dict()` without lists: texts joined, others as JSON."""
    if not isinstance(value, list | tuple):
        return value
    plain = all(isinstance(part, str) for part in value)
    return "; ".join(value) if plain else json.dumps(value, ensure_ascii=False)
