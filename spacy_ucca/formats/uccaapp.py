"""UCCAApp JSON: annotation tasks as the UCCAApp annotation tool exports them and takes them.

    {"tokens": [{"id": 1, "text": "Stop", "start_index": 0, "end_index": 4, "index_in_task": 0,
                 "require_annotation": true}, ...],
     "annotation_units": [{"tree_id": "1-2", "parent_tree_id": "1", "type": "REGULAR",
                           "is_remote_copy": false, "cloned_from_tree_id": null,
                           "categories": [{"id": 9, "name": "Process", "slot": 1}],
                           "children_tokens": [...], "comment": ""}, ...],
     "passage": {...}, "project": {"layer": {"name": ..., "categories": [...], "parent": null}}}

The root is unit "0", its children are "1", "2" ...; the children of "1" are "1-1", "1-2" ..., by their
first tokens, those without before the others. `children_tokens` are all tokens at any depth. Names and
order are those of `ucca.convert.to_json`; the `passage` and `project` besides are what
`ucca.convert.from_json` asks for, so either side reads what the other writes.

Keeps: words, their text and places in it, units, implicit units, remote edges, all categories of an edge and their slots, layers and
parents; comments (the `remarks` of a unit), the passage's id, the user, the ids of task and passage, "Uncertain".
"Uncertain" of a unit comes back on the edge to it, as in `from_json`. Categories without slot get slot 1.
The annotation's tree ids are in the details of what is read, as in XML; they are given anew on writing.

Loses: linkage units; paragraphs; roots but one; scores; other details; tokens of white space that hang on nothing.
Punctuation units are not in the file:
punctuation comes back as a unit U in the smallest unit that has it (the root, if none has), one for each
token, however it stood there. Words directly under the root come back attached to nothing, as in
`from_json`, because the root lists all words. Categories of edges to words come back as Terminal.
`from_json` itself leaves punctuation attached to nothing, or to the root.
"""

import json
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any, NamedTuple

from ..errors import Errors, FormatError, GraphError
from ..graph import EdgeTuple, Graph, GraphBuilder
from ..graph import categories as ucca
from ..graph.algorithms import find_cycle
from ..graph.data import with_text
from ..graph.unit import Edge, Unit
from ..text.spacing import joined_words, original_text, without_spaces
from ..text.split import merge_roots
from .mend import known_text
from .plain_json import Checked, parse_json
from .text import check_labels
from .xml_reader import PLAIN, TRUE, DetailedEdge, keep_edges

REGULAR = "REGULAR"
UNANALYZABLE, UNCERTAIN, COORDINATED = "Unanalyzable", "Uncertain", "Coordinated_Main_Rel."
MARKS = (UNANALYZABLE, UNCERTAIN, COORDINATED)  # in the list of categories, but none of them
OFFERED = [
    c
    for c in ucca.CATEGORY_NAMES
    if c not in (ucca.LINK_RELATION, ucca.LINK_ARGUMENT, ucca.TERMINAL)
]
LAYER = "UCCA"
UNCERTAIN_KEY = "uncertain"  # as XML spells it: what from_json marks edges with
Json = dict[str, Any]
# Passage attributes of XML, and where they are in a task
_PLACES = (("userID", "user", "id"), ("remarks", "", "user_comment"), ("annotationID", "", "id"))


def _squeezed(name: str) -> str:
    return name.replace(" ", "")


_BY_NAME = {_squeezed(name): category for category, name in ucca.CATEGORY_NAMES.items()}


def _tag(name: str) -> str:
    return _BY_NAME.get(_squeezed(name), name.replace(" ", "_"))


def read_uccaapp(text: str, *, source: str = "text") -> list[Graph]:
    """Read annotation tasks.

    text (str): The JSON of a task, or of a list of tasks.
    source (str): What to call it in messages, such as the name of its file.
    RETURNS (List[Graph]): The graph of each task. Its id is the passage's external id if it has one, else
        the passage's id, else the manager's comment (where `to_json` puts it), else the name of the
        source without its folder and suffix.
    RAISES (FormatError): If it is no such task; the message says where and why.
    """
    data = parse_json(text, source)
    if isinstance(data, list):
        tasks = [Checked(task, f"{source}, task {i}") for i, task in enumerate(data, start=1)]
    else:
        tasks = [Checked(data, source)]
    return [_Reader(task, source).read() for task in tasks]


def write_uccaapp(graph: Graph) -> str:
    """Write a graph as an annotation task.

    graph (Graph): The graph. If it has several roots, their children go under one, as `write_xml` does.
    RETURNS (str): The JSON, in one line.
    RAISES (FormatError): If a category is no name that is read back.
    """
    check_labels(graph, "UCCAApp JSON", _comes_back)
    return json.dumps(_Writer(merge_roots(without_spaces(graph))).task(), ensure_ascii=False) + "\n"


def _comes_back(edge: EdgeTuple) -> bool:
    return edge.child < 0 or all(
        c not in MARKS and _tag(ucca.CATEGORY_NAMES.get(c, c)) == c for c in edge.categories
    )


class _Category(NamedTuple):
    """A category as the project of a task declares it, with the name of the category it refines, or ""."""

    name: str
    layer: str
    parent: str


class _Reader:
    """Reads one task."""

    def __init__(self, task: Checked, source: str) -> None:
        self.task, self.source = task, source
        self.builder = GraphBuilder([])
        self.units: dict[str, int] = {}  # by tree id, the root among them
        self.parents: dict[int, int] = {}
        self.detailed: list[DetailedEdge] = []
        self.unit_entries: dict[str, Any] = {}

    def read(self) -> Graph:
        self._tokens()
        self._project()
        units = self.task.objects("annotation_units")
        primary = [unit for unit in units if not unit.get("is_remote_copy", bool)]
        self._number(primary)
        for unit in primary:
            self._unit(unit)
        self._check_cycles()
        self._terminals(primary)
        for unit in units:
            if unit.data["is_remote_copy"]:
                self._remote(unit)
        self.builder.edges, edge_details = keep_edges(self.detailed, self.task.where)
        self._details(edge_details)
        try:
            return self.builder.build()
        except GraphError as err:
            raise FormatError(Errors.UC114.format(where=self.task.where, reason=err)) from None

    def _tokens(self) -> None:
        tokens = self.task.objects("tokens")
        self.tokens: dict[int | str, int] = {}
        tokens.sort(key=lambda token: token.get("index_in_task", int))
        for i, token in enumerate(tokens):
            token_id = token.get("id", int, str)
            if token_id in self.tokens:
                token.fail(Errors.UC106, what="token", id=token_id)
            self.tokens[token_id] = i
        self.builder.words = tuple(token.get("text", str) for token in tokens)
        self.builder.punct = [not token.get("require_annotation", bool) for token in tokens]

    def _project(self) -> None:
        """Take the categories that the project's layers declare."""
        self.declared: dict[int | str, _Category] = {}
        project = self.task.object("project")
        layer = project.object("layer") if project is not None else None
        while layer is not None:
            name = layer.get("name", str)
            for category in layer.objects("categories"):
                above = category.object("parent")
                declared = _Category(
                    category.get("name", str), name, above.get("name", str) if above else ""
                )
                self.declared[category.get("id", int, str)] = declared
            layer = layer.object("parent")
        self.names = {_squeezed(category.name) for category in self.declared.values()}

    def _number(self, units: list[Checked]) -> None:
        """Give units their numbers: the root first, the others as they come."""
        roots = [unit for unit in units if unit.data.get("parent_tree_id") is None]
        if len(roots) > 1:
            roots[1].fail(Errors.UC705, first=roots[0].get("tree_id", str))
        root = self.builder.add_unit()
        for unit in units:
            tree_id = unit.get("tree_id", str)
            if tree_id in self.units:
                unit.fail(Errors.UC106, what="unit", id=tree_id)
            kind = unit.get("type", str)
            if kind not in (REGULAR, ucca.IMPLICIT):
                unit.fail(
                    Errors.UC107, id=tree_id, type=kind, types=", ".join((REGULAR, ucca.IMPLICIT))
                )
            if unit in roots:
                self.units[tree_id] = root
            else:
                self.units[tree_id] = self.builder.add_unit(
                    ucca.IMPLICIT if kind == ucca.IMPLICIT else ucca.FOUNDATIONAL
                )

    def _unit(self, unit: Checked) -> None:
        """Take a unit that is no remote copy, with the edge to it."""
        number = self.units[unit.data["tree_id"]]
        extra = {"tree_id": unit.data["tree_id"]} if number else {}
        comment = unit.maybe("comment", str, int, float)
        if comment:
            extra["remarks"] = str(comment)
        if extra:
            self.unit_entries[str(number)] = {"extra": extra}
        if number:
            self.parents[number] = parent = self._parent(unit)
            self._edge(unit, parent, number, remote=False)

    def _remote(self, unit: Checked) -> None:
        original = unit.maybe("cloned_from_tree_id", str)
        if original is None:
            unit.fail(Errors.UC704, key="cloned_from_tree_id")
        if original not in self.units:
            unit.fail(Errors.UC108, parent=unit.get("parent_tree_id", str), child=original)
        self._edge(unit, self._parent(unit), self.units[original], remote=True)

    def _parent(self, unit: Checked) -> int:
        parent = unit.get("parent_tree_id", str)
        if parent not in self.units:
            unit.fail(Errors.UC706, parent=parent)
        return self.units[parent]

    def _edge(self, unit: Checked, parent: int, child: int, *, remote: bool) -> None:
        categories: list[str] = []
        beside: list[dict[str, str]] = []
        attributes: dict[str, str] = {}
        for item in unit.objects("categories", needed=False):
            category, details = self._category(item)
            if category == UNCERTAIN:
                attributes[UNCERTAIN_KEY] = TRUE
            elif category == COORDINATED:
                attributes[COORDINATED] = TRUE
            elif category != UNANALYZABLE:
                categories.append(category)
                beside.append(details)
        if not categories:
            unit.fail(Errors.UC707)
        entry = {"attributes": attributes} if attributes else {}
        self._add(EdgeTuple(parent, child, tuple(categories), remote), beside, entry)
        if categories == [ucca.PUNCTUATION] and self.builder.kinds[child] == ucca.FOUNDATIONAL:
            self.builder.kinds[child] = ucca.PUNCT

    def _add(self, edge: EdgeTuple, beside: list[dict[str, str]], entry: dict[str, Any]) -> None:
        if edge.categories[0] in PLAIN:
            beside = [{} for _ in edge.categories]
        self.detailed.append((edge, beside, entry))

    def _category(self, item: Checked) -> tuple[str, dict[str, str]]:
        """RETURNS (Tuple[str, Dict[str, str]]): A category of a unit, and what XML has beside it."""
        declared = None
        number = item.maybe("id", int, str)
        if number is not None:
            declared = self.declared.get(number)
        name = item.maybe("name", str) or (declared.name if declared else None)
        if name is None:
            item.fail(Errors.UC708, what=f"id {number}")
        slot = item.maybe("slot", int, str)
        details = {"slot": str(slot)} if slot not in (None, "") else {}
        if declared is not None:
            details["layer_name"] = declared.layer
            if declared.parent:
                details["parent_name"] = _tag(declared.parent)
        known = _squeezed(name) in self.names or _squeezed(name) in _BY_NAME
        if not known and name not in ucca.CATEGORY_NAMES and name not in MARKS:
            item.fail(Errors.UC708, what=f"'{name}'")
        return _tag(name), details

    def _check_cycles(self) -> None:
        cycle = find_cycle((parent, child) for child, parent in self.parents.items())
        if cycle is not None:
            ids = {number: tree_id for tree_id, number in self.units.items()}
            self.task.fail(Errors.UC111, path=" -> ".join(ids[u] for u in reversed(cycle)))

    def _terminals(self, units: list[Checked]) -> None:
        """Put each token under the deepest unit that lists it."""
        owners: dict[int, int] = {}
        for unit in units:
            number = self.units[unit.data["tree_id"]]
            for child in unit.objects("children_tokens", needed=False):
                token_id = child.get("id", int, str)
                if token_id not in self.tokens:
                    child.fail(Errors.UC709, id=token_id)
                token = self.tokens[token_id]
                if self.builder.kinds[number] == ucca.IMPLICIT:
                    continue
                if token not in owners or self._depth(owners[token]) < self._depth(number):
                    owners[token] = number
        punct = self.builder.punct or ()
        for token, owner in sorted(owners.items()):
            if punct[token] and self.builder.kinds[owner] != ucca.PUNCT:
                mark = self.builder.add_unit(ucca.PUNCT)
                self._add(EdgeTuple(owner, mark, (ucca.PUNCTUATION,)), [], {})
                owner = mark
            elif not punct[token] and owner == 0:
                continue
            self._add(EdgeTuple(owner, ~token, (ucca.TERMINAL,)), [], {})

    def _depth(self, unit: int) -> int:
        """RETURNS (int): The number of units above one."""
        depth = 0
        while unit in self.parents:
            unit = self.parents[unit]
            depth += 1
        return depth

    def _details(self, edge_details: dict[str, Any]) -> None:
        """Keep the rest in the layout of the details of XML."""
        task = self.task
        passage = task.object("passage")
        ids = [passage.maybe(key, int, str) for key in ("external_id", "id")] if passage else []
        ids = [str(i) for i in ids if i not in (None, "")]
        attributes = {}
        for name, place, key in _PLACES:
            here = task.object(place) if place else task
            value = here.maybe(key, int, str) if here is not None else None
            if value:
                attributes[name] = str(value)
        if len(ids) > 1 and ids[0] != ids[1]:
            attributes["passageID"] = ids[1]
        passage_id = (
            ids[0] if ids else task.maybe("manager_comment", str) or PurePath(self.source).stem
        )
        xml: dict[str, Any] = {"attributes": attributes} if attributes else {}
        xml.update(edge_details)
        if self.unit_entries:
            xml["units"] = self.unit_entries
        details = {"id": passage_id, **({"xml": xml} if xml else {})}
        text = passage.maybe("text", str) if passage else None
        self.builder.details = with_text(details, known_text(self.builder.words, text, self.source))


class _Writer:
    """Writes one graph."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.xml: Mapping[str, Any] = graph.details.get("xml", {})
        self.places: dict[Unit, str] = {}  # tree ids of primary units
        self.layers: dict[str, dict[tuple[str, str], Json]] = {}

    def task(self) -> Json:
        graph = self.graph
        name = str(graph.details.get("id", "1"))
        attributes = self.xml.get("attributes", {})
        text, spans = original_text(graph) or joined_words(graph.words)
        self.tokens = [
            {
                **{"id": i + 1, "text": word, "start_index": start},
                **{"end_index": end, "index_in_task": i},
                "require_annotation": not graph.punct[i],
            }
            for i, (word, (start, end)) in enumerate(zip(graph.words, spans, strict=True))
        ]
        self.base = self.xml.get("category", {}).get("layer_name", LAYER)
        for category in (*(ucca.CATEGORY_NAMES[c] for c in OFFERED), *MARKS):
            self._declare(category, self.base, "")
        units = self._units()
        passage = {"id": _number(attributes.get("passageID", name)), "external_id": name}
        task: Json = {
            **{"tokens": self.tokens, "annotation_units": units, "manager_comment": name},
            **{"passage": {**passage, "text": text}, "project": self._project()},
        }
        for key, place, inner in _PLACES:
            if key in attributes:
                value = _number(attributes[key]) if inner == "id" else attributes[key]
                (task.setdefault(place, {}) if place else task)[inner] = value
        return task

    def _units(self) -> list[Json]:
        """RETURNS (List[Dict]): The annotation units, parents before their children, as the tree goes."""
        graph = self.graph
        entries: list[Json] = []
        copies: list[tuple[Json, Unit]] = []
        if graph.roots:
            root = graph.roots[0]
            self.places[root] = "0"
            entries.append(self._unit(root, "0", None, []))
            stack = list(reversed(self._places(root, "")))
            while stack:
                tree_id, edge = stack.pop()
                child = edge.child
                entry = self._unit(child, tree_id, self.places[edge.parent], self._categories(edge))
                entries.append(entry)
                if edge.remote:
                    entry.update(is_remote_copy=True)
                    copies.append((entry, child))
                else:
                    self.places[child] = tree_id
                    stack.extend(reversed(self._places(child, tree_id + "-")))
        for entry, child in copies:
            entry["cloned_from_tree_id"] = self.places[child]
        return entries

    def _places(self, unit: Unit, prefix: str) -> list[tuple[str, Edge]]:
        """RETURNS (List[Tuple[str, Edge]]): Edges from a unit with the tree ids of their children."""
        edges = [e for e in unit.edges if e.child.kind != ucca.LINKAGE and not _is_mark(e.child)]
        edges.sort(key=lambda e: min(e.child.tokens(), default=-1))
        return [(f"{prefix}{i}", edge) for i, edge in enumerate(edges, start=1)]

    def _unit(self, unit: Unit, tree_id: str, parent: str | None, categories: list[Json]) -> Json:
        entry = self.xml.get("units", {}).get(str(unit.index), {})
        tokens = unit.tokens() if parent is not None else range(len(self.tokens))
        return {
            **{"tree_id": tree_id, "type": ucca.IMPLICIT if unit.is_implicit else REGULAR},
            **{"is_remote_copy": False, "categories": categories},
            **{"comment": entry.get("extra", {}).get("remarks", ""), "cluster": ""},
            **{"cloned_from_tree_id": None, "parent_tree_id": parent, "gui_status": "OPEN"},
            "children_tokens": [self.tokens[i] for i in tokens],
        }

    def _categories(self, edge: Edge) -> list[Json]:
        entry = self.xml.get("edges", {}).get(str(edge.index), {})
        unit_entry = self.xml.get("units", {}).get(str(edge.child.index), {})
        usual = [self.xml.get("category", {})] * len(edge.categories)
        beside = entry.get("categories", usual)
        categories = []
        for i, category in enumerate(edge.categories):
            details = beside[i] if i < len(beside) else {}
            layer = details.get("layer_name", self.base)
            parent = details.get("parent_name", "")
            name = ucca.CATEGORY_NAMES.get(category, category)
            number = self._declare(name, layer, ucca.CATEGORY_NAMES.get(parent, parent))
            slot = _number(details.get("slot", "1"))
            categories.append({"id": number, "name": name, "slot": slot})
        attributes = {**unit_entry.get("attributes", {}), **entry.get("attributes", {})}
        marks = [(UNCERTAIN, UNCERTAIN_KEY), (COORDINATED, COORDINATED)]
        if all(_is_mark(e.child) for e in edge.child.edges) and len(edge.child.tokens()) > 1:
            categories.insert(0, self._mark(UNANALYZABLE))
        marked = (self._mark(name) for name, key in marks if attributes.get(key) == TRUE)
        return [*categories, *marked]

    def _mark(self, name: str) -> Json:
        return {"id": self._declare(name, self.base, ""), "name": name, "slot": 1}

    def _declare(self, name: str, layer: str, parent: str) -> int:
        """RETURNS (int): The id of a category in the project."""
        categories = self.layers.setdefault(layer, {})
        if (name, parent) not in categories:
            number = 1 + sum(map(len, self.layers.values()))
            above = {"name": parent} if parent else None
            categories[name, parent] = {"id": number, "name": name, "parent": above}
        return int(categories[name, parent]["id"])

    def _project(self) -> Json:
        """RETURNS (Dict): The project, with the layers that refine others around the foundational one."""
        layer: Json | None = None
        for name, categories in self.layers.items():
            layer = {"name": name, "categories": list(categories.values()), "parent": layer}
        return {"layer": layer}


def _is_mark(unit: Unit) -> bool:
    """RETURNS (bool): Whether a unit is a punctuation mark that nothing refers to: the file has no unit for it."""
    plain = unit.kind == ucca.PUNCT and unit.categories == (ucca.PUNCTUATION,)
    return plain and not unit.edges and not any(edge.remote for edge in unit.incoming)


def _number(text: str) -> int | str:
    """RETURNS (Union[int, str]): A number as one, other text as it is."""
    plain = text.isdecimal() and text.isascii() and str(int(text)) == text
    return int(text) if plain else text
