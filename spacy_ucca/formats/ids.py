"""Ids for graphs that have none."""

from collections.abc import Sequence
from pathlib import Path

from ..graph import Graph
from .recognise import name_of


class IdMaker:
    """Gives ids to graphs without one, which no other graph of the run has so far.

    made (Set[str]): The ids that were made.
    """

    def __init__(self) -> None:
        self.made: set[str] = set()
        self._taken: set[str] = set()

    def complete(self, path: Path, graphs: Sequence[Graph]) -> list[Graph]:
        """Give ids to the graphs of a file that have none: the name of the file, with a number if it has several graphs or the
        name is taken.

        path (Path): The file.
        graphs (Sequence[Graph]): Its graphs.
        RETURNS (List[Graph]): The graphs, each with an id.
        """
        stem = name_of(path)
        given = {str(graph.details["id"]) for graph in graphs if graph.details.get("id")}
        named = []
        number = 0
        for graph in graphs:
            if not graph.details.get("id"):
                name = stem
                while (len(graphs) > 1 and name == stem) or name in self._taken or name in given:
                    number += 1
                    name = f"{stem}-{number}"
                graph = graph.replace(details={**graph.details, "id": name})
                self.made.add(name)
            self._taken.add(str(graph.details["id"]))
            named.append(graph)
        return named
