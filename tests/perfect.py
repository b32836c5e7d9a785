"""Scorers that make no mistake, and what a parse with them must give; sentences of shared corpora."""

import os
from pathlib import Path
from types import SimpleNamespace

import numpy
import pytest
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_ucca.features.unit_rows import MAX_REMOTE_DISTANCE
from spacy_ucca.formats.xml import read_xml
from spacy_ucca.graph import IMPLICIT, LINKAGE, Graph, GraphBuilder
from spacy_ucca.graph.data import EdgeTuple
from spacy_ucca.layers.slot_scorer import ScorerStep
from spacy_ucca.parser.decode import decode_all
from spacy_ucca.parser.labels import Inventory
from spacy_ucca.parser.targets import Targets, make_targets
from spacy_ucca.tokens.sentences import find_sentences

SURE = 100  # how much higher what is right is scored


class PerfectActions(ScorerStep):
    """Instead of a SlotStep: at each call, the next gold action of each sentence that still has one,
    provided that the rows are those of the targets."""

    def __init__(self, targets: list[Targets], offsets: list[int], n_classes: int) -> None:
        self.targets, self.offsets, self.n_classes = targets, offsets, n_classes
        self.time = 0
        self.model = SimpleNamespace(get_dim=lambda name: n_classes)

    def predict(self, rows) -> numpy.ndarray:
        active = [i for i, x in enumerate(self.targets) if len(x.classes) > self.time]
        scores = numpy.zeros((len(active), self.n_classes), dtype="float32")
        assert len(rows.tokens) == len(active)
        for k, i in enumerate(active):
            right = self.targets[i]
            scores[k, right.classes[self.time]] = 1
            expected = right.rows.tokens[self.time]
            shifted = numpy.where(expected >= 0, expected + self.offsets[i], -1)
            numpy.testing.assert_array_equal(rows.tokens[k], shifted)
            numpy.testing.assert_array_equal(rows.categories[k], right.rows.categories[self.time])
            numpy.testing.assert_array_equal(rows.bits[k], right.rows.bits[self.time])
        self.time += 1
        return scores


class PerfectClasses:
    """Instead of a SlotStep: the gold classes of all rows, in order, however they are sliced."""

    def __init__(self, targets: list[Targets], n_classes: int) -> None:
        self.classes = numpy.concatenate([right.classes for right in targets])
        self.n_classes = n_classes
        self.place = 0
        self.model = SimpleNamespace(get_dim=lambda name: n_classes)

    def predict(self, rows) -> numpy.ndarray:
        return self.next(len(rows.tokens))

    def predict_parts(self, parts) -> numpy.ndarray:
        return self.next(len(parts[0].take))

    def next(self, n: int) -> numpy.ndarray:
        part = self.classes[self.place : self.place + n]
        self.place += n
        return SURE * numpy.eye(self.n_classes, dtype="float32")[part]


def parse_perfectly(inventory: Inventory, graphs: list[Graph]) -> list[Graph]:
    """RETURNS (List[Graph]): What decoding gives where every scorer is right."""
    vocab = Vocab()
    docs = [Doc(vocab, words=graph.words) for graph in graphs]
    sentences = find_sentences(docs, inventory.dep_ids)
    targets = [make_targets(inventory, g, s.syntax) for g, s in zip(graphs, sentences)]
    offsets = numpy.cumsum([0, *(len(doc) for doc in docs)]).tolist()
    steps: dict = {
        "actions": PerfectActions(
            [x["actions"] for x in targets], offsets, inventory.n_outputs["actions"]
        )
    }
    for name in ("remotes", "implicit"):
        if name in targets[0]:
            steps[name] = PerfectClasses([x[name] for x in targets], inventory.n_outputs[name])
    states = decode_all(steps, inventory, sentences).states
    return [
        inventory.system.to_graph(state, graph.words, punct=graph.punct)
        for state, graph in zip(states, graphs)
    ]


def expected_graph(inventory: Inventory, graph: Graph) -> Graph:
    """The part of a gold graph that can be reached. For `tupa`, all. For `tree` all but linkage; units
    with no text but implicit ones right under a unit with child units; remote edges to and from such
    units, from pre-terminals, to what is above or far away; implicit units under a unit with a remote
    edge of their category.

    RETURNS (Graph): The graph without the rest.
    """
    if inventory.system_name == "tupa":
        return graph.without(linkage=not inventory.system.predicts_linkage)
    root = graph.root
    # A unit of the tree has text; what may have implicit children is not the root and has a child
    # unit with text.
    inner = {u.index for u in graph if any(c.tokens() for c in primary(u)) and u != root}
    kept = set()
    for unit in graph.units:
        if unit.kind == LINKAGE:
            continue
        if unit == root or unit.tokens():
            kept.add(unit.index)
        elif unit.kind == IMPLICIT and unit.parent is not None and unit.parent.index in inner:
            kept.add(unit.index)
    heads = head_tokens(inventory, graph)
    siblings = inventory.remote_sibling_labels

    def reached(e: EdgeTuple) -> bool:
        parent, child = graph[e.parent], graph[e.child]
        return (
            {e.parent, e.child} <= kept
            and e.parent in inner
            and not child.is_implicit
            and child not in ancestors(parent)
            and abs(heads[e.parent] - heads[e.child]) <= MAX_REMOTE_DISTANCE
            and child.parent != parent
            and (not siblings or any(c.label in siblings for c in primary(parent) if c.tokens()))
        )

    remotes = [e for e in graph.edge_tuples if e.remote and reached(e)]
    present = {(e.parent, e.categories) for e in remotes}
    for unit in graph.units:
        if unit.is_implicit and unit.parent and (unit.parent.index, unit.categories) in present:
            kept.discard(unit.index)
    builder = GraphBuilder(graph.words, punct=graph.punct, paragraphs=graph.paragraphs)
    number = {u: builder.add_unit(graph.kinds[u]) for u in sorted(kept)}
    for e in graph.edge_tuples:
        if e in remotes or (not e.remote and e.parent in kept and (e.child < 0 or e.child in kept)):
            child = e.child if e.child < 0 else number[e.child]
            builder.edges.append(e._replace(parent=number[e.parent], child=child))
    return builder.build()


def primary(unit) -> list:
    return [edge.child for edge in unit.edges if not edge.remote]


def ancestors(unit) -> list:
    found = [unit]
    while found[-1].parent is not None:
        found.append(found[-1].parent)
    return found


def head_tokens(inventory: Inventory, graph: Graph) -> dict[int, int]:
    """The head token of each unit, as states have it."""
    from spacy_ucca.graph.categories import priority
    from spacy_ucca.transition import TERMINAL_RANK

    heads: dict[int, int] = {}

    def find(unit) -> tuple[int, int]:
        best = [(TERMINAL_RANK, token) for token in unit.terminals[:1]]
        for edge in unit.edges:
            if not edge.remote and edge.child.tokens():
                best.append((priority(edge.categories), find(edge.child)[1]))
        chosen = min(best) if best else (99, -1)
        heads[unit.index] = chosen[1]
        return chosen

    find(graph.root)
    return heads


def corpora() -> Path:
    """RETURNS (Path): Where the shared corpora are. Skips the test if they are not there."""
    given = os.environ.get("SPACY_UCCA_CORPORA")
    path = Path(given) if given else Path(__file__).parents[2] / "shared" / "corpora"
    if not path.is_dir():
        pytest.skip("no shared corpora: set SPACY_UCCA_CORPORA")
    return path


def corpus_sentences(limit: int) -> dict[str, list[Graph]]:
    """RETURNS (Dict[str, List[Graph]]): Some gold sentences of each UCCA corpus."""
    from spacy_ucca.text.split import split_sentences

    found = {}
    for folder in sorted(corpora().glob("UCCA_*")):
        graphs: list[Graph] = []
        files = sorted(folder.rglob("*.xml"))
        for file in files[:: max(len(files) // 40, 1)]:
            if len(graphs) < limit:
                graphs += split_sentences(read_xml(file))
        found[folder.name] = graphs[:limit]
    return found
