"""How long `UccaMatcher` takes beside spaCy's `DependencyMatcher`, with patterns of as many nodes on the same Docs.

    export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
    python benchmarks/bench_matcher.py models/en_ucca_sm TEXTS.conllu [--sentences 100000] [--repeat 3] [--json FILE]

Each sentence (`# text = ...`) of the CoNLL-U file becomes a Doc, parsed by the pipeline. In a round, each matcher goes over all
Docs, again and again until it has seen `--sentences` of them. Graphs are built before; what it takes to build them from their
records is measured by itself.
"""

from collections.abc import Callable
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import spacy
import typer
from measuring import CPU_TIME, JSON, clock, interleave, one_thread, report, summary, table
from spacy.language import Language
from spacy.matcher import DependencyMatcher
from spacy.tokens import Doc, DocBin

from spacy_ucca.matcher import UccaMatcher
from spacy_ucca.tokens.extension import get_graph

TEXT = "# text = "


def tree(root: dict[str, Any], *others: tuple[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """RETURNS (List[Dict]): A pattern of dependencies: a root, and what hangs on it."""
    nodes: list[dict[str, Any]] = [{"RIGHT_ID": "n0", "RIGHT_ATTRS": root}]
    for n, (op, attrs) in enumerate(others, start=1):
        nodes.append({"LEFT_ID": "n0", "REL_OP": op, "RIGHT_ID": f"n{n}", "RIGHT_ATTRS": attrs})
    return nodes


VERB = {"POS": "VERB"}
GET = {"LEMMA": {"IN": ["get", "buy", "take"]}}
SUBJECT, OBJECT, ADVERB, ADJECTIVE = ({"DEP": d} for d in ("nsubj", "obj", "advmod", "amod"))
# Of each question, a pattern of dependencies and one of units with as many nodes
PAIRS: dict[str, tuple[list[dict[str, Any]], str]] = {
    "2 nodes: a relation and who": (tree(VERB, (">", SUBJECT)), "H=n0[A=n1]"),
    "3 nodes: who does what": (tree(VERB, (">", SUBJECT), (">", OBJECT)), "H=n0[A=n1 A=n2]"),
    "4 nodes: who does what how": (
        tree(VERB, (">", SUBJECT), (">", OBJECT), (">", ADVERB)),
        "H=n0[A=n1 A=n2 D=n3]",
    ),
    "3 nodes: who gets what": (
        tree(GET, (">", SUBJECT), (">", OBJECT)),
        "*=n0[P=n1:lemma(get|buy|take) A=n2]",
    ),
    "3 nodes: a descendant": (
        tree(VERB, (">>", ADJECTIVE), (">", OBJECT)),
        "H=n0[>>E=n1 A=n2]",
    ),
}


def parse_texts(nlp: Language, path: Path, limit: int) -> list[Doc]:
    """RETURNS (List[Doc]): The sentences of a treebank, parsed."""
    lines = path.read_text("utf8").split("\n")
    texts = [line.removeprefix(TEXT).strip() for line in lines if line.startswith(TEXT)]
    docs = list(nlp.pipe(texts[:limit]))
    if not docs:
        raise typer.BadParameter(f"{path} has no line that begins with '{TEXT}'.")
    for doc in docs:
        build(doc)
    return docs


def build(doc: Doc) -> None:
    """Build the graph of a Doc, with all that is derived from its edges when they are first read."""
    graph = get_graph(doc)
    assert graph is not None and graph.index


def find_all(matcher: Any, docs: list[Doc], n: int) -> int:
    """RETURNS (int): The number of matches in so many Docs."""
    return sum(len(matcher(doc)) for doc in islice(cycle(docs), n))


def time_building(docs: list[Doc], now: Callable[[], float]) -> float:
    """RETURNS (float): Seconds that it takes to build the graphs of some Docs from their records, as after reading a file."""
    bin_ = DocBin(store_user_data=True, docs=docs)
    read = list(bin_.get_docs(docs[0].vocab))
    start = now()
    for doc in read:
        build(doc)
    return now() - start


def main(
    model: Path = typer.Argument(..., help="Pipeline with tags, dependencies and graphs"),
    texts: Path = typer.Argument(..., help="CoNLL-U file with texts", exists=True),
    sentences: int = typer.Option(100_000, help="How many sentences each matcher sees in a round"),
    parse: int = typer.Option(12_000, help="How many sentences of the file are parsed"),
    repeat: int = typer.Option(3, help="Rounds that count"),
    cpu_time: bool = CPU_TIME,
    json: Path | None = JSON,
) -> None:
    """Time two matchers on the same Docs."""
    one_thread()
    nlp = spacy.load(model)
    now = clock(cpu_time)
    docs = parse_texts(nlp, texts, parse)
    building = time_building(docs, now) / len(docs) * sentences
    matchers: dict[str, tuple[Any, Any]] = {}
    for name, (dependencies, units) in PAIRS.items():
        trees, graphs = DependencyMatcher(nlp.vocab), UccaMatcher(nlp.vocab)
        trees.add("KEY", [dependencies])
        graphs.add("KEY", [units])
        matchers[name] = trees, graphs
    tasks = {
        (name, side): partial(find_all, matcher, docs, sentences)
        for name, pair in matchers.items()
        for side, matcher in enumerate(pair)
    }
    seconds = interleave(tasks, repeat, warm_up=0, clock=now)  # type: ignore[arg-type,type-var]
    rows = [["pattern", "DependencyMatcher, s", "UccaMatcher, s", "ratio", "matches", "matches"]]
    figures: dict[str, Any] = {}
    for name, pair in matchers.items():
        theirs, ours = (seconds[name, side] for side in (0, 1))  # type: ignore[index]
        ratios = [b / a for a, b in zip(theirs, ours, strict=True)]
        found = [find_all(matcher, docs, len(docs)) for matcher in pair]
        figures[name] = {
            "dependency_matcher": summary(theirs),
            "ucca_matcher": summary(ours),
            "ratio": summary(ratios),
            "matches": found,
        }
        cells = (f"{min(theirs):.2f}", f"{min(ours):.2f}", f"{summary(ratios)['median']:.2f}")
        rows.append([name, *cells, *map(str, found)])
    text = table(rows, "<" + ">" * 5)
    text += f"\n\n{len(docs)} Docs, {sentences} sentences a round. "
    text += f"Building the graphs of {sentences} sentences from records: {building:.2f} s."
    result = {"docs": len(docs), "sentences": sentences, "patterns": figures}
    report({**result, "building_seconds": round(building, 3)}, text, json)


if __name__ == "__main__":
    typer.run(main)
