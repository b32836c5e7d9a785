"""Tasks for annotators: parsed sentences with what is in doubt marked, and the same sentences when they come back.

A folder of tasks has the parses with their scores (`predicted.jsonl`) and one file to correct. Several annotators each have a
folder in it with their files.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import shorten
from typing import Any

from ..errors import Errors, UccaError
from ..files import write_whole
from ..formats.brackets import write_brackets
from ..formats.files import read_graphs
from ..formats.records import write_jsonl
from ..formats.registry import READABLE
from ..formats.uccaapp import UNCERTAIN_KEY, write_uccaapp
from ..formats.xml_reader import TRUE
from ..graph import Graph
from ..graph.categories import PUNCTUATION
from ..graph.data import NUMBERED, check_words, plain_details
from ..metric.compare import compare

PREDICTED = "predicted.jsonl"
UCCAAPP, BRACKETS = "uccaapp", "brackets"
FILES = {UCCAAPP: "tasks.json", BRACKETS: "tasks.txt"}  # by format, the file to correct
DOUBTFUL = "doubtful"  # the line of brackets with what is in doubt
THRESHOLD = 0.7
MAX_TEXT = 40  # characters of a unit in that line


def mark_doubtful(graph: Graph, threshold: float = THRESHOLD) -> Graph:
    """Mark the edges of a graph that are in doubt: UCCAApp shows them as "Uncertain", brackets have a line that names them.

    graph (Graph): A parsed sentence.
    threshold (float): Edges with a score below it are in doubt.
    RETURNS (Graph): A copy whose details have the marks.
    """
    doubtful = [
        edge
        for edge in graph.edges
        if graph.scores.get(edge.index, 1) < threshold and PUNCTUATION not in edge.categories
    ]
    if not doubtful:
        return graph.replace(details=plain_details(graph))
    marks = {str(edge.index): {"attributes": {UNCERTAIN_KEY: TRUE}} for edge in doubtful}
    by_score = sorted(doubtful, key=lambda edge: graph.scores[edge.index])
    named = [
        f"{e.label} {shorten(e.child.text or e.parent.text, MAX_TEXT)} {graph.scores[e.index]:.0%}"
        for e in by_score
    ]
    details = {DOUBTFUL: "; ".join(named), NUMBERED: {"edges": marks}}
    return graph.replace(details={**plain_details(graph), **details})


def write_tasks(
    graphs: Iterable[Graph], folder: str | Path, to: str, threshold: float = THRESHOLD
) -> Path:
    """Write sentences to correct, and the parses that they are.

    graphs (Iterable[Graph]): Parsed sentences with ids and scores.
    folder (Union[str, Path]): The folder; it is made.
    to (str): "uccaapp": a JSON list of tasks; or "brackets".
    threshold (float): See `mark_doubtful`.
    RETURNS (Path): The file to correct.
    """
    graphs, path = list(graphs), Path(folder) / FILES[to]
    marked = [mark_doubtful(graph, threshold) for graph in graphs]
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path.with_name(PREDICTED), "".join(map(write_jsonl, graphs)))
    if to == BRACKETS:
        text = "\n".join(map(write_brackets, marked))
    else:
        text = "[" + ",\n".join(write_uccaapp(graph).strip() for graph in marked) + "]\n"
    write_whole(path, text)
    return path


@dataclass
class Tasks:
    """A folder of tasks, as it came back.

    predicted (Dict[str, Graph]): The parses, by id.
    annotated (Dict[str, Dict[str, Graph]]): By id and annotator, the corrected graphs. The annotator is the folder in the folder of
        tasks; "" if the file is not in one.
    comments (List[Tuple[str, str, str]]): Sentence, annotator and text of what annotators remarked.
    """

    predicted: dict[str, Graph]
    annotated: dict[str, dict[str, Graph]] = field(default_factory=dict)
    comments: list[tuple[str, str, str]] = field(default_factory=list)

    @property
    def annotators(self) -> list[str]:
        """RETURNS (List[str]): The annotators, in the order of their names."""
        return sorted({name for graphs in self.annotated.values() for name in graphs})

    @property
    def gold(self) -> dict[str, Graph]:
        """RETURNS (Dict[str, Graph]): By id, the graph of the first annotator, in the order of their names."""
        return {key: graphs[min(graphs)] for key, graphs in self.annotated.items()}


def read_tasks(folder: str | Path, on_bad: Callable[[Any, Any], None]) -> Tasks:
    """Read a folder of tasks. If annotators have folders in it, its own file counts only if it has corrections.

    folder (Union[str, Path]): The folder.
    on_bad (Callable[[Any, Any], None]): Called with a file or sentence that cannot be used, and the reason.
    RETURNS (Tasks): Parses and corrected graphs, in the order of the parses.
    RAISES (UccaError): If it has no parses, or nothing annotated.
    """
    folder = Path(folder)
    if not (folder / PREDICTED).is_file():
        raise UccaError(Errors.UC619.format(path=folder, name=PREDICTED))
    predicted = {str(graph.details.get("id")): graph for graph in read_graphs(folder / PREDICTED)}
    found: dict[str, dict[str, tuple[Graph, Path]]] = {}
    tasks = Tasks(predicted)
    for path in sorted(folder.rglob("*")):
        annotator, *inner = path.relative_to(folder).parts
        if path.name == PREDICTED or not _is_read(path, folder):
            continue
        try:
            graphs = read_graphs(path, on_bad=on_bad)
        except (UccaError, OSError) as err:
            on_bad(path, err)
            continue
        annotator = annotator if inner else ""
        others = {own[annotator][1] for own in found.values() if annotator in own}
        again = [g for g in graphs if annotator in found.get(str(g.details.get("id")), {})]
        if again:
            on_bad(path, Errors.UC618.format(n=len(again), path=", ".join(map(str, others))))
        for number, graph in enumerate(graphs, start=1):
            if graph in again:
                continue
            try:
                _add(found, predicted, graph, annotator, path)
                tasks.comments += _comments(graph, annotator)
            except UccaError as err:
                on_bad(f"{path} ({graph.details.get('id') or number})", err)
    for key in (key for key in predicted if key in found):
        tasks.annotated[key] = {name: graph for name, (graph, _) in found[key].items()}
    if not tasks.annotated:
        raise UccaError(Errors.UC613.format(path=folder))
    own = [(graphs[""], predicted[key]) for key, graphs in tasks.annotated.items() if "" in graphs]
    if len(tasks.annotators) > 1 and own and not any(compare(*p).differences for p in own):
        tasks.annotated = {
            key: rest
            for key, graphs in tasks.annotated.items()
            if (rest := {name: graph for name, graph in graphs.items() if name})
        }
    return tasks


def _is_read(path: Path, folder: Path) -> bool:
    """RETURNS (bool): Whether a path is that of a file of graphs, by its suffix, and is not hidden."""
    parts = path.relative_to(folder).parts
    known = {suffix for e in READABLE.values() for suffix in e.suffixes} - {".spacy", ".parquet"}
    shown = not any(part.startswith(".") for part in parts)
    return shown and path.is_file() and path.suffix.lower() in known


def _comments(graph: Graph, annotator: str) -> list[tuple[str, str, str]]:
    """RETURNS (List[Tuple[str, str, str]]): Sentence, annotator and text of the remarks on a graph and its units."""
    xml = graph.details.get(NUMBERED, {})
    units = (entry.get("extra", {}).get("remarks") for entry in xml.get("units", {}).values())
    found = [graph.details.get("remarks"), xml.get("attributes", {}).get("remarks"), *units]
    return [(str(graph.details.get("id")), annotator, str(text)) for text in found if text]


def _add(
    found: dict[str, dict[str, tuple[Graph, Path]]],
    predicted: Mapping[str, Graph],
    graph: Graph,
    annotator: str,
    path: Path,
) -> None:
    """Add a corrected graph, with the details of its parse.

    RAISES (UccaError): If there is no such task, or it has other words."""
    key = str(graph.details.get("id"))
    if key not in predicted:
        raise UccaError(Errors.UC616.format(id=key))
    check_words(graph.words, predicted[key].words, Errors.UC617)
    own = found.setdefault(key, {})
    details = plain_details(predicted[key])
    own[annotator] = graph.replace(details=details), path
