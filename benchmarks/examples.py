"""How much of short textbook sentences a pipeline gets right: our own, with gold graphs, and the guidelines' examples.

    python benchmarks/examples.py models/en_ucca_sm [--manual GUIDELINES.txt] [--guidelines v2] [--beam 4] [--json FILE]

`--guidelines` and `--beam` may be given several times: each pair is a row. Without `--guidelines`, the pipeline's own
setting counts, which the table calls "-". The text of the guidelines is no part of the project.

Of our sentences, three things are compared: Scenes by their words; main relations (P, S) by category and words;
Participants (A) by words. Remote edges count as such, implicit units do not. As in the metric, punctuation does not
count, nor do words that are Functions (F) on both sides. Of an example, which has no complete graph, each unit is looked
for: it is found if a primary edge of its category leads to its words alone.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import spacy
import typer
from bracketed import Example, Labeled, read_examples
from measuring import JSON, report, table
from spacy.language import Language
from spacy.tokens import Doc

from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.graph import Graph, Unit
from spacy_ucca.metric.score import score_graphs

SENTENCES = Path(__file__).parent.parent / "tests" / "data" / "short_sentences.txt"
MAIN_RELATIONS = ("P", "S")
PARTS = ("Scenes", "main relations", "Participants")

Words = frozenset[int]


def parts(graph: Graph, ignored: Words) -> dict[str, Counter[tuple]]:
    """What is compared of a sentence.

    graph (Graph): The graph.
    ignored (FrozenSet[int]): Tokens that do not count.
    RETURNS (Dict[str, Counter]): How often each Scene, main relation and Participant is there.
    """

    def words(unit: Unit) -> Words:
        return frozenset(unit.tokens(punct=False)) - ignored

    found = {name: Counter[tuple]() for name in PARTS}
    for scene in graph.scenes:
        found["Scenes"][(words(scene),)] += 1
    for edge in graph.edges:
        if edge.child.is_implicit or edge.is_linkage:
            continue
        for category in edge.categories:
            if category in MAIN_RELATIONS:
                found["main relations"][category, words(edge.child), edge.remote] += 1
            elif category == "A":
                found["Participants"][words(edge.child), edge.remote] += 1
    return found


def functions(graph: Graph) -> set[Words]:
    """RETURNS (Set[FrozenSet[int]]): The words of each Function unit."""
    return {frozenset(unit.tokens(punct=False)) for unit in graph if "F" in unit.categories}


def right_parts(predicted: Graph, gold: Graph) -> dict[str, bool]:
    """RETURNS (Dict[str, bool]): Whether all Scenes, main relations and Participants are right, and all three."""
    ignored = frozenset[int]().union(*functions(predicted) & functions(gold))
    ours, theirs = parts(predicted, ignored), parts(gold, ignored)
    found = {name: ours[name] == theirs[name] for name in PARTS}
    return {"all three": all(found.values()), **found}


def found_units(graph: Graph, example: Example) -> list[tuple[Labeled, bool]]:
    """RETURNS (List[Tuple[Labeled, bool]]): Each unit of an example, and whether the graph has it."""
    units = {
        Labeled(category, frozenset(unit.tokens()) - example.punct)
        for unit in graph
        for category in unit.categories
    }
    return [(unit, unit in units) for unit in example.units]


def parse(
    nlp: Language, sentences: Iterable[Sequence[str]], beam: int, guidelines: str | None
) -> list[Graph]:
    """RETURNS (List[Graph]): A graph of each sentence, given by its words."""
    parser: Any = nlp.get_pipe("ucca_parser")
    parser.beam_width = beam
    if guidelines is not None:
        parser.guidelines = guidelines
    docs = [Doc(nlp.vocab, words=list(words)) for words in sentences]
    return [doc._.ucca for doc in nlp.pipe(docs)]


def score_sentences(predicted: list[Graph], gold: list[Graph]) -> dict[str, Any]:
    """RETURNS (Dict[str, Any]): Shares of sentences that are right, F1 (both in percent), and which are wrong in what."""
    pairs = list(zip(predicted, gold, strict=True))
    right = [right_parts(*pair) for pair in pairs]
    shares = {name: percent(sum(r[name] for r in right), len(right)) for name in right[0]}
    wrong = {
        graph.details["id"]: [name for name in PARTS if not r[name]]
        for graph, r in zip(gold, right, strict=True)
        if not r["all three"]
    }
    f1 = score_graphs(pairs)["ucca_f"] or 0.0
    return {"sentences": len(gold), **shares, "F1": round(100 * f1, 1), "wrong": wrong}


def score_examples(graphs: list[Graph], examples: list[Example]) -> dict[str, Any]:
    """RETURNS (Dict[str, Any]): Shares of examples wholly right and of units found, in percent, these by category too."""
    total: Counter[str] = Counter()
    found: Counter[str] = Counter()
    whole = 0
    for graph, example in zip(graphs, examples, strict=True):
        units = found_units(graph, example)
        whole += all(is_found for _, is_found in units)
        total.update(unit.category for unit, _ in units)
        found.update(unit.category for unit, is_found in units if is_found)
    return {
        **{"examples": len(examples), "units": total.total()},
        **{"whole": percent(whole, len(examples)), "found": percent(found.total(), total.total())},
        "recall": {name: percent(found[name], total[name]) for name in sorted(total)},
        "total": dict(sorted(total.items())),
    }


def percent(part: int, whole: int) -> float:
    return round(100 * part / whole, 1) if whole else 0.0


def rows_of(results: list[dict[str, Any]], kind: str, columns: Sequence[str]) -> Iterator[list]:
    yield ["guidelines", "beam", *columns]
    for result in results:
        values = {**result[kind], **result[kind].get("recall", {})}
        yield [result["guidelines"] or "-", f"{result['beam']}", *(f"{values[c]}" for c in columns)]


def main(
    model: str = typer.Argument(..., help="The pipeline"),
    manual: Path = typer.Option(None, help="The guidelines as plain text", exists=True),
    guidelines: list[str] = typer.Option([], help="The guidelines that the parser is told"),
    beam: list[int] = typer.Option([1], help="Beam width"),
    json: Path = JSON,
) -> None:
    gold = read_brackets(SENTENCES.read_text("utf8"), source=SENTENCES.name)
    examples = read_examples(manual.read_text("utf8")) if manual else []
    results: list[dict[str, Any]] = []
    for name, width in product(guidelines or [None], beam):
        nlp = spacy.load(model)
        graphs = parse(nlp, [graph.words for graph in gold], width, name)
        result = {"guidelines": name, "beam": width, "ours": score_sentences(graphs, gold)}
        if examples:
            graphs = parse(nlp, [example.words for example in examples], width, name)
            result["manual"] = score_examples(graphs, examples)
        results.append(result)
    columns = ["sentences", "all three", *PARTS, "F1"]
    text = table([*rows_of(results, "ours", columns)], "<" + ">" * 7)
    if examples:
        categories = results[0]["manual"]["recall"]
        columns = ["examples", "units", "whole", "found", *categories]
        text += "\n\n" + table(
            [*rows_of(results, "manual", columns)], "<" + ">" * (len(columns) + 1)
        )
    report({"model": model, "results": results}, text, json)


if __name__ == "__main__":
    typer.run(main)
