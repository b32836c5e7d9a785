"""Other readings of appendix D of the notes to TUPA than that of `conversion/bilexical.py`, and what they lose.

    python benchmarks/bilexical_variants.py DEV.spacy [MORE.spacy ...] [--json FILE]

"listing": on the way back, dependents go to the inner unit of their head, as the listing of Algorithm 2 has it and not
its text. "remote heads": on the way there, remote edges lead to heads like primary ones, of which the appendix says
nothing. All with the published way back (`levels=False`); sentences that come out as a cycle are left out on both sides.
"""

from collections import Counter
from pathlib import Path

import typer
from measuring import JSON, report
from spacy.vocab import Vocab

from spacy_ucca.categories import TERMINAL, priority, split_label
from spacy_ucca.conversion.bilexical import from_bilexical, guess_label, to_bilexical
from spacy_ucca.conversion.graph import ROOT, Arc, BilexicalGraph, Token
from spacy_ucca.corpus import read_docbin
from spacy_ucca.errors import GraphError
from spacy_ucca.graph import LINKAGE, Graph, GraphBuilder
from spacy_ucca.scorer import score_graphs


def by_listing(tree: BilexicalGraph) -> Graph:
    """RETURNS (Graph): The graph of a tree by the listing of Algorithm 2."""
    builder = GraphBuilder(tree.words, punct=tree.punct)
    inner = {ROOT: builder.add_unit()}
    labels: dict[int, set[str]] = {}
    dependents: dict[int, list[Arc]] = {}
    for arc in tree.arcs:
        labels.setdefault(arc.head, set()).update(split_label(arc.label))
        dependents.setdefault(arc.head, []).append(arc)
    waiting = dependents.get(ROOT, [])
    while waiting:
        arc = waiting.pop()
        token, unit = arc.dependent, inner[arc.head]
        if arc.label != TERMINAL:
            outer, unit = unit, builder.add_unit()
            builder.add_edge(outer, unit, *split_label(arc.label))
            if token in dependents:
                outer, unit = unit, builder.add_unit()
                label = guess_label(frozenset(labels[token]), tree.punct[token])
                builder.add_edge(outer, unit, label)
        inner[token] = unit
        builder.add_terminal(unit, token)
        waiting = waiting + dependents.get(token, [])
    return builder.build()


def with_remote_heads(graph: Graph) -> tuple[BilexicalGraph, int]:
    """RETURNS (Tuple[BilexicalGraph, int]): Algorithm 1 with heads over all edges, and how many units have another
    head by it."""
    first = [min(unit.tokens(), default=None) for unit in map(graph.__getitem__, range(len(graph)))]
    head: dict[int, int | None] = {}

    def find(node: int) -> int | None:
        if node < 0:
            return ~node
        if node not in head:
            ranked = [
                (priority(edge.categories), ~edge.child if edge.child < 0 else start, edge.child)
                for edge in graph.edge_tuples
                if edge.parent == node
                and (start := 0 if edge.child < 0 else first[edge.child]) is not None
            ]
            head[node] = find(min(ranked)[2]) if ranked else None
        return head[node]

    arcs = set()
    for parent, child, categories, remote in graph.edge_tuples:
        above, below = find(parent), find(child)
        if graph.kinds[parent] == LINKAGE or above is None or below is None:
            continue
        if above != below:
            arcs.add(Arc(above, below, "|".join(categories), remote))
        elif not remote and graph[parent].parent is None:
            arcs.add(Arc(ROOT, below, "|".join(categories)))
    ordered = sorted(arcs, key=lambda a: (a.dependent, a.remote, a.head, a.label))
    differing = sum(graph[unit].head != find(unit) for unit in range(len(graph)))
    return BilexicalGraph(tuple(map(Token, graph.words)), tuple(ordered), graph.punct), differing


def variants(graphs: list[Graph]) -> dict[str, dict[str, float | int]]:
    """RETURNS (Dict[str, Dict[str, Union[float, int]]]): By reading, F1 in percent and what else was counted."""
    counts: Counter[str] = Counter()
    remote, same = [], []
    for graph in graphs:
        bilexical, differing = with_remote_heads(graph)
        counts["units with another head"] += differing
        counts["sentences with two primary heads of a token"] += any(
            sum(not arc.remote for arc in arcs) > 1 for arcs in bilexical.incoming()
        )
        try:
            remote.append((from_bilexical(bilexical, levels=False), graph))
        except GraphError:
            counts["cycles"] += 1
        else:
            same.append((from_bilexical(to_bilexical(graph), levels=False), graph))
    trees = [(to_bilexical(graph, tree=True), graph) for graph in graphs]
    return {
        "text, tree": _scores([(from_bilexical(t, levels=False), g) for t, g in trees]),
        "listing, tree": _scores([(by_listing(t), g) for t, g in trees]),
        "primary heads": _scores(same),
        "remote heads": {**_scores(remote), **counts},
    }


def _scores(pairs: list[tuple[Graph, Graph]]) -> dict[str, float | int]:
    scores = score_graphs(pairs)
    return {
        part: round(100 * (scores[f"ucca_{part}_f"] or 0), 1)
        for part in ("primary", "remote", "unlabeled_primary")
    }


def main(
    corpora: list[Path] = typer.Argument(..., help="Corpora that `spacy-ucca convert` made"),
    json: Path | None = JSON,
) -> None:
    """Print what other readings of the algorithms lose."""
    result, lines = {}, []
    for path in corpora:
        result[path.stem] = variants([doc._.ucca for doc in read_docbin(path, Vocab())])
        lines.append(path.stem)
        for name, values in result[path.stem].items():
            lines.append(f"  {name:14} " + "  ".join(f"{k} {v}" for k, v in values.items()))
    report(result, "\n".join(lines), json)


if __name__ == "__main__":
    typer.run(main)
