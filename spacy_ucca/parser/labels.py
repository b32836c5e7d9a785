"""The labels of `ucca_parser`: of edges, of remote edges, of implicit units, of dependencies; and what follows from them:
the transition system, the columns of rows, the numbers of classes, and what may be predicted under each guidelines.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy
from spacy.attrs import DEP, TAG
from spacy.strings import get_string_id
from spacy.training import Example

from ..errors import Errors, UccaError
from ..features.state_rows import STATE, Schema
from ..features.unit_rows import PAIRS, UNITS
from ..graph import LINKAGE, Graph
from ..graph.categories import split_label
from ..graph.unit import Unit
from ..native.columns import BITS_MASK, LABEL_BITS
from ..tokens.extension import get_guidelines, set_guidelines
from ..tokens.sentences import Sentence
from ..transition import TransitionSystem
from ..transitions.systems import build_system, system_class
from .screen import Labels
from .settings import DEFAULT_GUIDELINES

Bag = tuple[str, ...]

COVERAGE = 0.95  # of the remote edges of the training data
FEW = 200  # of fewer, all are covered: 5 % could be all edges of a kind


def implicit_bag(unit: Unit) -> Bag:
    """RETURNS (Tuple[str, ...]): The labels of the implicit children of a unit, sorted. Implicit
    children of other units, to which it has remote edges, do not count."""
    return tuple(sorted(e.label for e in unit.edges if e.child.is_implicit and not e.remote))


def remote_only_label(unit: Unit) -> str:
    """RETURNS (str): The label of the remote edges of a unit without implicit children, the first of several; "" for
    others."""
    if implicit_bag(unit):
        return ""
    return min((edge.label for edge in unit.edges if edge.remote), default="")


def child_labels(unit: Unit) -> frozenset[str]:
    """RETURNS (FrozenSet[str]): The labels of the primary edges of a unit to units that have tokens."""
    return frozenset(
        edge.label for edge in unit.edges if not edge.remote and not edge.child.is_implicit
    )


def covering_labels(parents: Iterable[frozenset[str]]) -> list[str]:
    """Choose labels so that most units with remote edges have a child with one of them.

    parents (Iterable[FrozenSet[str]]): For each remote edge, what `child_labels` gave of its parent.
    RETURNS (List[str]): Labels, each the most frequent one of the units that those before it leave. None, so that any unit may
        have remote edges, if too many have no such child.
    """
    left = list(parents)
    enough = (1 - COVERAGE) * len(left) if len(left) >= FEW else 0
    chosen: list[str] = []
    while len(left) > enough:
        counts = Counter(label for labels in left for label in labels)
        if not counts:
            return []
        chosen.append(min(counts, key=lambda label: (-counts[label], label)))
        left = [labels for labels in left if chosen[-1] not in labels]
    return chosen


class Allowed:
    """What may be predicted for the sentences of a batch: actions, or classes of another scorer.

    table (ndarray[bool]): (n_guidelines + 1, n) what is allowed under each guidelines.
    rows (ndarray[int]): (n_sentences,) the guidelines of each sentence: a row of the table.
    """

    def __init__(self, table: numpy.ndarray, rows: numpy.ndarray) -> None:
        self.table = table
        self.rows = rows
        used = numpy.unique(rows)
        self.is_everything = bool(table[used].all())
        # Mostly a batch follows one set of guidelines: columns are faster than single cells.
        self._columns = numpy.nonzero(~table[used[0]])[0] if len(used) == 1 else None

    def restrict(self, mask: numpy.ndarray, sentences: Any) -> numpy.ndarray:
        """Restrict what is valid to what is allowed.

        mask (ndarray[bool]): (n_rows, n) what is valid.
        sentences (Sequence[int]): (n_rows,) the sentence of each row.
        RETURNS (ndarray[bool]): The mask. Rows where nothing valid is allowed stay as they are.
        """
        if self.is_everything:
            return mask
        restricted = mask & self.table[self.rows[sentences]]
        stuck = ~restricted.any(axis=1)
        restricted[stuck] = mask[stuck]
        return restricted

    def restrict_scores(self, scores: numpy.ndarray, sentences: Any) -> numpy.ndarray:
        """Make what is not allowed impossible.

        scores (ndarray[float32]): (n_rows, n) scores before softmax; changed in place.
        sentences (Sequence[int]): (n_rows,) the sentence of each row.
        RETURNS (ndarray[float32]): The scores, -inf where something is not allowed.
        """
        if not self.is_everything:
            if self._columns is not None:
                scores[:, self._columns] = -numpy.inf
            else:
                scores[~self.table[self.rows[sentences]]] = -numpy.inf
        return scores


# Nothing is forbidden, whatever the guidelines.
EVERYTHING = Allowed(numpy.ones((1, 1), dtype="bool"), numpy.zeros(0, dtype="int64"))


class LabelsByGuidelines:
    """What may be predicted under each guidelines: no labels that their training data does not have. Tables have a row for
    each guidelines; row 0, of unknown ones, allows all.

    guidelines (Mapping[str, Sequence[str]]): The joined labels of edges by name; none stands for all.
    labels (Iterable[str]): The labels of all guidelines.
    system (TransitionSystem): The transition system, which numbers labels and actions.
    remote_ids (Sequence[int]): The label of each class of remote edges.
    bags (Sequence[Sequence[int]]): The labels of each class of implicit children.
    """

    def __init__(
        self,
        guidelines: Mapping[str, Sequence[str]],
        labels: Iterable[str],
        system: TransitionSystem,
        remote_ids: Sequence[int],
        bags: Sequence[Sequence[int]],
    ) -> None:
        self.ids = {name: i for i, name in enumerate(guidelines, start=1)}
        self.categories = {
            name: frozenset(category for label in own for category in split_label(label))
            for name, own in guidelines.items()
            if own
        }
        names = system.label_names  # with those that the system itself needs
        self.labels = numpy.ones((len(guidelines) + 1, len(names)), dtype="bool")
        for name, own in guidelines.items():
            if own:
                foreign = set(labels).difference(own)
                self.labels[self.ids[name]] = [label not in foreign for label in names]
        self.actions = self.labels[:, system.action_labels]
        self.remotes = self.labels[:, remote_ids]
        self.implicit = numpy.stack([self.labels[:, bag].all(axis=1) for bag in bags], axis=1)


def guidelines_of(
    sentences: Iterable[Sentence], numbers: Mapping[str, int], default: str
) -> numpy.ndarray:
    """Find the guidelines of sentences.

    sentences (Iterable[Sentence]): The sentences.
    numbers (Mapping[str, int]): The number of each guidelines, from 1.
    default (str): The guidelines of Docs that name none.
    RETURNS (ndarray[int]): (n_sentences,) their numbers; 0 for unknown ones.
    """
    found = [numbers.get(get_guidelines(s.doc) or default, 0) for s in sentences]
    return numpy.array(found, dtype="int64")


def choose_guidelines(name: str, known: Sequence[str], component: str) -> str:
    """Choose the guidelines of Docs that name none, for a parser that has learned.

    name (str): The setting of the parser.
    known (Sequence[str]): The guidelines that it has learned.
    component (str): The name of the parser, for messages.
    RETURNS (str): The only guidelines that are known, if nobody set others; otherwise the setting.
    RAISES (UccaError): If it is not known.
    """
    if len(known) == 1 and name == DEFAULT_GUIDELINES:
        return known[0]
    require_known([name], known, component)
    return name


def require_known(names: Iterable[str], known: Collection[str], component: str) -> None:
    """Check names of guidelines.

    names (Iterable[str]): The names.
    known (Collection[str]): The guidelines that a parser has learned; with none, all names are right.
    component (str): The name of the parser, for messages.
    RAISES (UccaError): If a name is not known.
    """
    for name in names:
        if known and name not in known:
            raise UccaError(
                Errors.UC330.format(name=component, guidelines=name, known=", ".join(known))
            )


def follow_references(examples: Iterable[Example]) -> None:
    """Let predicted Docs follow the guidelines of their references, where they name none: spaCy's corpus reader copies the
    tokens alone.

    examples (Iterable[Example]): The examples; their predicted Docs are changed.
    """
    for eg in examples:
        if not get_guidelines(eg.predicted) and (name := get_guidelines(eg.reference)):
            set_guidelines(eg.predicted, name)


NO_GUIDELINES: Mapping[str, Sequence[str]] = {}

MakeSchemas = Callable[[TransitionSystem, int], Mapping[str, Schema]]


def new_schemas(system: TransitionSystem, n_deps: int) -> Mapping[str, Schema]:
    """RETURNS (Mapping[str, Schema]): The columns that new models read, by scorer."""
    columns = {"actions": STATE, "remotes": PAIRS, "implicit": UNITS}
    return {name: own.schema(system, n_deps) for name, own in columns.items()}


class Inventory:
    """Labels, in an order that stays: they number classes and embeddings.

    system_name (str): "tree" or "tupa".
    labels (Sequence[str]): Joined labels of edges.
    remote_labels (Sequence[str]): Joined labels of remote edges (`tree` only).
    remote_children (Sequence[str]): Labels of units that are also remote children (`tree` only).
    remote_siblings (Sequence[str]): Labels of which units with remote edges have a child (`tree` only). Without any, all
        units may have remote edges.
    implicit (Sequence[Bag]): Bags of labels of implicit children of a unit (`tree` only).
    deps (Sequence[str]): Dependency labels.
    remote_only (Sequence[str]): Labels of remote edges of units without implicit children (`tree` only). Such a unit has
        its Participant elsewhere in the sentence; a separate class tells it from units without any, which improves the
        scorer of implicit units.
    guidelines (Mapping[str, Sequence[str]]): The names of the guidelines that the training data follows, with the joined
        labels of the edges of each. No other labels are predicted under these guidelines.
    tags (Sequence[str]): Tags of the training data and of the tagger, to tell others from them.
    make_schemas (MakeSchemas): Makes the columns that the model reads, given the system and the number of dependency labels.
    """

    def __init__(
        self,
        system_name: str,
        labels: Sequence[str] = (),
        remote_labels: Sequence[str] = (),
        remote_children: Sequence[str] = (),
        implicit: Sequence[Sequence[str]] = (),
        deps: Sequence[str] = (),
        remote_only: Sequence[str] = (),
        guidelines: Mapping[str, Sequence[str]] = NO_GUIDELINES,
        tags: Sequence[str] = (),
        remote_siblings: Sequence[str] = (),
        *,
        make_schemas: MakeSchemas = new_schemas,
    ) -> None:
        self.system_name = system_name
        self.make_schemas = make_schemas
        self.labels = tuple(labels)
        self.remote_labels = tuple(remote_labels)
        self.remote_child_labels = tuple(remote_children)
        self.implicit: tuple[Bag, ...] = tuple(tuple(bag) for bag in implicit)
        self.deps = tuple(deps)
        self.remote_only = tuple(remote_only) if self.implicit else ()
        self.guidelines = {name: tuple(own) for name, own in guidelines.items()}
        self.tags = tuple(tags)
        self.remote_sibling_labels = tuple(remote_siblings)

    @classmethod
    def from_dict(
        cls,
        system_name: str,
        label_data: Mapping[str, Any],
        *,
        make_schemas: MakeSchemas = new_schemas,
    ) -> "Inventory":
        """RETURNS (Inventory): The labels of what `to_dict` gave; other keys are ignored."""
        known = cls(system_name).to_dict().keys() & label_data.keys()
        return cls(
            system_name, **{key: label_data[key] for key in known}, make_schemas=make_schemas
        )

    @classmethod
    def collect(
        cls,
        system_name: str,
        graphs: Iterable[Graph],
        deps: Iterable[str],
        tags: Iterable[str] = (),
    ) -> "Inventory":
        """Collect the labels of gold graphs.

        system_name (str): "tree" or "tupa".
        graphs (Iterable[Graph]): The graphs. Those that name no guidelines follow none of the known ones.
        deps (Iterable[str]): All dependency labels.
        tags (Iterable[str]): All tags.
        RETURNS (Inventory): The labels, sorted.
        """
        labels: set[str] = set()
        remote: set[str] = set()
        children: set[str] = set()
        parents: list[frozenset[str]] = []
        bags: set[Bag] = set()
        remote_only: set[str] = set()
        guidelines: dict[str, set[str]] = {}
        predicts_linkage = system_class(system_name).predicts_linkage
        for graph in graphs:
            own = guidelines.setdefault(graph.guidelines, set())
            for unit in graph.units:
                if unit.kind == LINKAGE and not predicts_linkage:
                    continue
                own.update(edge.label for edge in unit.edges)
                remote.update(edge.label for edge in unit.edges if edge.remote)
                children.update(edge.child.label for edge in unit.edges if edge.remote)
                if n_remote := sum(edge.remote for edge in unit.edges):
                    parents += [child_labels(unit)] * n_remote
                bags.add(implicit_bag(unit))
                remote_only.add(remote_only_label(unit))
        labels.update(*guidelines.values())
        return cls(
            system_name,
            sorted(labels),
            sorted(remote),
            sorted(children - {""}),
            sorted(bags - {()}),
            sorted(deps),
            sorted(remote_only - {""}),
            {name: sorted(own) for name, own in sorted(guidelines.items()) if name},
            sorted(tags),
            sorted(covering_labels(parents)),
        )

    def to_dict(self) -> dict[str, Any]:
        """RETURNS (Dict[str, Any]): Plain data; the `label_data` of the component."""
        return {
            "labels": list(self.labels),
            "remote_labels": list(self.remote_labels),
            "remote_children": list(self.remote_child_labels),
            "implicit": [list(bag) for bag in self.implicit],
            "deps": list(self.deps),
            "remote_only": list(self.remote_only),
            "guidelines": {name: list(own) for name, own in self.guidelines.items()},
            "tags": list(self.tags),
            "remote_siblings": list(self.remote_sibling_labels),
        }

    def with_label(self, label: str, guidelines: Iterable[str] = ()) -> "Inventory":
        """RETURNS (Inventory): A copy with one more label, after the others, under some of the guidelines."""
        labels = {**self.to_dict(), "labels": (*self.labels, label)}
        inventory = Inventory(self.system_name, **labels, make_schemas=self.make_schemas)
        for name in guidelines:
            inventory = inventory.with_guidelines(name, [label])
        return inventory

    def with_guidelines(self, name: str, labels: Iterable[str]) -> "Inventory":
        """RETURNS (Inventory): A copy with more labels under guidelines, which may be new."""
        own = sorted({*self.guidelines.get(name, ()), *labels})
        guidelines = {**self.guidelines, name: own}
        return Inventory(
            self.system_name,
            **{**self.to_dict(), "guidelines": guidelines},
            make_schemas=self.make_schemas,
        )

    def extended(self, other: "Inventory") -> "Inventory":
        """RETURNS (Inventory): A copy with the labels of another inventory after its own. Dependency labels stay: columns of
        rows hold pairs of them by number."""
        ours, theirs = self.to_dict(), other.to_dict() | {"deps": []}
        if not self.remote_sibling_labels:  # any unit may have remote edges
            theirs["remote_siblings"] = []
        guidelines = ours.pop("guidelines")
        labels: dict[str, Any] = {
            key: [*ours[key], *(label for label in theirs[key] if label not in ours[key])]
            for key in ours
        }
        extended = Inventory(
            self.system_name, **labels, guidelines=guidelines, make_schemas=self.make_schemas
        )
        for name, own in other.guidelines.items():
            extended = extended.with_guidelines(name, own)
        return extended

    def action_numbers_in(self, other: "Inventory") -> dict[int, int]:
        """RETURNS (Dict[int, int]): The number of each action in another inventory that has it too."""
        theirs = other.system.action_ids
        return {i: theirs[a] for a, i in self.system.action_ids.items() if a in theirs}

    def class_numbers_in(self, other: "Inventory") -> dict[str, dict[int, int]]:
        """RETURNS (Dict[str, Dict[int, int]]): By scorer, the number of each class in another inventory that has all of
        them."""
        remotes = [0, *(1 + other.remote_labels.index(label) for label in self.remote_labels)]
        implicit = [0, *(other._implicit_classes[kind] for kind in self._implicit_classes)]
        return {
            "actions": self.action_numbers_in(other),
            "remotes": dict(enumerate(remotes)),
            "implicit": dict(enumerate(implicit)),
        }

    @cached_property
    def system(self) -> TransitionSystem:
        """RETURNS (TransitionSystem): The transition system over the labels."""
        return build_system(self.system_name, self.labels)

    @cached_property
    def label_facts(self) -> Labels:
        """RETURNS (Labels): The rules for edges of each label."""
        return Labels.of(self.system)

    @cached_property
    def dep_ids(self) -> dict[int, int]:
        """RETURNS (Dict[int, int]): Dependency label, by its hash, to small number."""
        return {get_string_id(dep): i for i, dep in enumerate(self.deps, start=1)}

    @cached_property
    def known_values(self) -> dict[int, frozenset[int]]:
        """RETURNS (Dict[int, FrozenSet[int]]): All tags and dependency labels, by attribute, as in `doc.to_array`: 0 is
        none."""
        return {
            attr: frozenset([0, *map(get_string_id, names)])
            for attr, names in ((TAG, self.tags), (DEP, self.deps))
            if names
        }

    @cached_property
    def schemas(self) -> Mapping[str, Schema]:
        """RETURNS (Mapping[str, Schema]): The columns of the rows of each scorer."""
        return self.make_schemas(self.system, len(self.deps) + 1)

    @cached_property
    def by_guidelines(self) -> LabelsByGuidelines:
        """RETURNS (LabelsByGuidelines): What may be predicted under each guidelines."""
        return LabelsByGuidelines(
            self.guidelines, self.labels, self.system, self.remote_ids, self.bags
        )

    @property
    def n_outputs(self) -> dict[str, int]:
        """RETURNS (Dict[str, int]): The number of classes of each scorer; class 0 of the last two is
        "nothing"."""
        return {
            "actions": self.system.n_actions,
            "remotes": len(self.remote_labels) + 1,
            "implicit": len(self.bags),
        }

    @cached_property
    def remote_ids(self) -> list[int]:
        """RETURNS (List[int]): The number of the label of each class of remote edges."""
        return [0, *(self.system.label_ids[label] for label in self.remote_labels)]

    @cached_property
    def remote_children(self) -> numpy.ndarray:
        """RETURNS (ndarray[bool]): (n_labels + 1,) whether such units are ever remote children."""
        flags = numpy.zeros(len(self.system.labels) + 1, dtype="bool")
        flags[[self.system.label_ids[label] for label in self.remote_child_labels]] = True
        return flags

    @cached_property
    def remote_siblings(self) -> int:
        """RETURNS (int): The labels of which a unit with remote edges has a child, as bits of `UnitTable.child_bits`."""
        ids = [self.system.label_ids[label] for label in self.remote_sibling_labels]
        if not ids or max(ids) > LABEL_BITS:  # any unit
            return BITS_MASK
        return sum(1 << (i - 1) for i in ids)

    @cached_property
    def bags(self) -> list[list[int]]:
        """RETURNS (List[List[int]]): The labels, by number, of each class of implicit children. The
        `remote_only` classes come last and have none."""
        bags = [[self.system.label_ids[label] for label in bag] for bag in self.implicit]
        return [[], *bags, *([] for _ in self.remote_only)]

    def implicit_class(self, unit: Unit) -> int:
        """RETURNS (int): The class of a unit by its implicit children; if it has none, by its remote edges."""
        return self._implicit_classes.get(implicit_bag(unit) or remote_only_label(unit), 0)

    @cached_property
    def _implicit_classes(self) -> dict[Bag | str, int]:
        kinds: list[Bag | str] = [*self.implicit, *self.remote_only]
        return {kind: i for i, kind in enumerate(kinds, start=1)}
