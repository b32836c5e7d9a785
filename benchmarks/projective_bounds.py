"""What spaCy's projective trees lose: gold graphs as trees without crossing arcs, made graphs again, and scored.

    python benchmarks/projective_bounds.py DEV.spacy [MORE.spacy ...] [--json FILE]

`ucca_tree_parser` cannot be better: one head for each token, no arc across another (a label says where it was lifted
from). What the conversions alone lose is printed by `spacy-ucca stats --bounds`.
"""

from pathlib import Path

import spacy
import typer
from measuring import JSON, report
from spacy.pipeline._parser_internals import nonproj
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_ucca.graph import Graph
from spacy_ucca.tokens.dependencies import graph_from_dependencies, set_dependencies
from spacy_ucca.tokens.scorer import dependencies_score
from spacy_ucca.training.corpus import read_docbin

COLUMNS = ("primary", "remote", "unlabeled_primary", "unlabeled_remote")


def bounds(graphs: list[Graph]) -> dict[str, float | None]:
    """RETURNS (Dict[str, Optional[float]]): F1 of graphs made of trees that went through spaCy's projective form,
    attachment scores of these trees against those before, and how many trees have arcs that cross others."""
    vocab = spacy.blank("en").vocab
    examples, n_crossing = [], 0
    for graph in graphs:
        gold, doc = (Doc(vocab, words=list(graph.words)) for _ in range(2))
        gold._.ucca = graph
        set_dependencies(doc, graph)
        heads = [token.head.i for token in doc]
        n_crossing += nonproj.is_nonproj_tree(heads)
        heads, labels = nonproj.projectivize(heads, [token.dep_ for token in doc])
        doc = nonproj.deprojectivize(Doc(vocab, words=graph.words, heads=heads, deps=labels))
        doc._.ucca = graph_from_dependencies(doc)
        examples.append(Example(doc, gold))
    scores = dependencies_score(examples)
    values = {column: scores[f"ucca_{column}_f"] for column in COLUMNS}
    values |= {"all": scores["ucca_f"], "weak": scores["ucca_weak_f"]}
    values |= {"unlabeled": scores["ucca_unlabeled_f"]}
    values |= {name: scores[f"ucca_{name}"] for name in ("dep_las", "dep_uas")}
    found = {k: None if v is None else round(100 * v, 1) for k, v in values.items()}
    return {**found, "crossing": n_crossing}


def main(
    corpora: list[Path] = typer.Argument(..., help="Corpora that `spacy-ucca convert` made"),
    json: Path | None = JSON,
) -> None:
    """Print what trees without crossing arcs lose."""
    result = {}
    for path in corpora:
        result[path.stem] = bounds([doc._.ucca for doc in read_docbin(path, Vocab())])
    lines = [
        f"{name}: " + "  ".join(f"{k} {'-' if v is None else v}" for k, v in values.items())
        for name, values in result.items()
    ]
    report(result, "\n".join(lines), json)


if __name__ == "__main__":
    typer.run(main)
