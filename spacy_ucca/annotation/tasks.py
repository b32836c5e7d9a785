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
from ..formats.files import find_files, read_graphs
from ..formats.records import write_jsonl
from ..formats.uccaapp import UNCERTAIN_KEY, write_uccaapp
from ..formats.xml_reader import TRUE
from ..graph import Graph
from ..graph.categories import PUNCTUATION
from ..graph.data import NUMBERED, check_words, plain_details

PREDICTED = "predicted.jsonl"
UCCAAPP, BRACKETS = "uccaapp", "brackets"
FILES = {UCCAAPP: "tasks.json", BRACKETS: "tasks.txt"}  # by format, the file to correct
DOUBTFUL = "doubtful"  # the line of brackets with what is in doubt
THRESHOLD = 0.5
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
    """

    predicted: dict[str, Graph]
    annotated: dict[str, dict[str, Graph]] = field(default_factory=dict)

    @property
    def annotators(self) -> list[str]:
        """RETURNS (List[str]): The annotators, in the order of their names."""
        return sorted({name for graphs in self.annotated.values() for name in graphs})

    @property
    def gold(self) -> dict[str, Graph]:
        """RETURNS (Dict[str, Graph]): By id, the graph of the first annotator, in the order of their names."""
        return {key: graphs[min(graphs)] for key, graphs in self.annotated.items()}


def read_tasks(folder: str | Path, on_bad: Callable[[Any, Any], None]) -> Tasks:
    """Read a folder of tasks. Its own file is not read if annotators have folders in it.

    folder (Union[str, Path]): The folder.
    on_bad (Callable[[Any, Any], None]): Called with a file or sentence that cannot be used, and the reason.
    RETURNS (Tasks): Parses and corrected graphs, in the order of the parses.
    RAISES (UccaError): If it has no parses, or nothing annotated.
    """
    folder = Path(folder)
    if not (folder / PREDICTED).is_file():
        raise UccaError(Errors.UC619.format(path=folder, name=PREDICTED))
    predicted = {str(graph.details.get("id")): graph for graph in read_graphs(folder / PREDICTED)}
    inner = sorted(path for path in folder.iterdir() if path.is_dir())
    found: dict[str, dict[str, tuple[Graph, Path]]] = {}
    for place in inner or [folder]:
        for path in find_files([place]):
            if path.name == PREDICTED:
                continue
            try:
                graphs = read_graphs(path, on_bad=on_bad)
            except (UccaError, OSError) as err:
                on_bad(path, err)
                continue
            annotator = place.name if inner else ""
            for graph in graphs:
                try:
                    _add(found, predicted, graph, annotator, path)
                except UccaError as err:
                    on_bad(f"{path} ({graph.details.get('id')})", err)
    annotated = {
        key: {name: graph for name, (graph, _) in found[key].items()}
        for key in predicted
        if key in found
    }
    if not annotated:
        raise UccaError(Errors.UC613.format(path=folder))
    return Tasks(predicted, annotated)


def _add(
    found: dict[str, dict[str, tuple[Graph, Path]]],
    predicted: Mapping[str, Graph],
    graph: Graph,
    annotator: str,
    path: Path,
) -> None:
    """Add a corrected graph, with the details of its parse.

    RAISES (UccaError): If there is no such task, it has other words, or the annotator has it in another file."""
    key = str(graph.details.get("id"))
    if key not in predicted:
        raise UccaError(Errors.UC616.format(id=key))
    check_words(graph.words, predicted[key].words, Errors.UC617)
    own = found.setdefault(key, {})
    if annotator in own:
        raise UccaError(Errors.UC618.format(path=own[annotator][1]))
    details = plain_details(predicted[key])
    own[annotator] = graph.replace(details=details), path
