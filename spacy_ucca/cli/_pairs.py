"""Gold and predicted graphs of files of any format, side by side: by the names of files, then by ids."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..errors import Errors, FormatError, UccaError
from ._graphs import find_graphs
from ._util import BadFiles, name_some, progress, read_each

if TYPE_CHECKING:
    from ..graph import Graph


class Pair(NamedTuple):
    """A gold graph and its prediction.

    name (str): The name of the gold file without suffix; the graph's id too, if the file has several.
    gold_file, predicted_file (Path): Where they are from.
    gold, predicted (Graph): The graphs.
    """

    name: str
    gold_file: Path
    predicted_file: Path
    gold: "Graph"
    predicted: "Graph"


_Found = tuple[Path, str, "Graph"]


class Pairing:
    """The pairs of two files or directories. Files go together by name, with the suffix or, where that gives none, without;
    graphs of a pair of files by id or, without ids, by order. If no two files have one name, all graphs go by id.

    gold (Path): The reference.
    predicted (Path): The predicted graphs.
    done (str): The verb in messages on what has no partner, such as "scored".
    bad (BadFiles): Collects the files that cannot be read.
    show (Optional[bool]): Whether to show progress.
    RAISES (UccaError): If there are no files.
    """

    def __init__(
        self, gold: Path, predicted: Path, done: str, bad: BadFiles, show: bool | None = False
    ) -> None:
        self.gold, self.predicted, self.done = gold, predicted, done
        self.bad, self.show = bad, show
        self.missing: list[str] = []
        self.extra: list[str] = []
        golds, others = find_graphs([gold]), find_graphs([predicted])
        self.groups: list[tuple[Sequence[Path], Sequence[Path]]] = [(golds, others)]
        if gold.is_dir() or predicted.is_dir():
            self._by_name(golds, others)

    def _by_name(self, golds: list[Path], others: list[Path]) -> None:
        for key in ("name", "stem"):
            first = {str(getattr(path, key)): path for path in golds}
            second = {str(getattr(path, key)): path for path in others}
            if both := sorted(first.keys() & second.keys()):
                self.groups = [([first[name]], [second[name]]) for name in both]
                self._leave(first.keys() - second.keys(), second.keys() - first.keys())
                return

    def _leave(self, missing: set[str], extra: set[str]) -> None:
        for what, names, known in (
            ("Missing", sorted(missing), self.missing),
            ("Not in gold", sorted(extra), self.extra),
        ):
            known += names
            name_some(what, names, f"in {self.predicted}", f"They are not {self.done}.")

    def __iter__(self) -> Iterator[Pair]:
        """YIELDS (Pair): The pairs.
        RAISES (UccaError): If nothing has a partner."""
        any_pair = False
        alone = len(self.groups) == 1
        for golds, others in progress(self.groups, show=self.show):
            theirs, ours = self._read(golds), self._read(others)
            if not theirs or not ours:
                any_pair = any_pair or bool(self.bad.files)
                continue
            try:
                pairs = self._match(theirs, ours)
            except UccaError as err:
                if alone:
                    raise
                self.bad.add(others[0], err)
                continue
            counts = Counter(path for path, _, _ in theirs)
            for (gold_file, gold_id, gold), (file, _, graph) in pairs:
                any_pair = True
                many = counts[gold_file] > 1 and gold_id
                name = f"{gold_file.stem} {gold_id}" if many else gold_file.stem
                yield Pair(name, gold_file, file, gold, graph)
        if not any_pair:
            raise UccaError(Errors.UC505.format(gold=self.gold, predicted=self.predicted))

    def _read(self, files: Sequence[Path]) -> list[_Found]:
        from ..formats.files import read_graphs

        found: list[_Found] = []
        for path, graphs in read_each(files, partial(read_graphs, on_bad=self.bad.add), self.bad):
            found += ((path, str(graph.details.get("id", "")), graph) for graph in graphs)
        return found

    def _match(self, theirs: list[_Found], ours: list[_Found]) -> list[tuple[_Found, _Found]]:
        if len(theirs) == len(ours) == 1:
            return [(theirs[0], ours[0])]
        first, second = ({item[1]: item for item in side} for side in (theirs, ours))
        unique = len(first) == len(theirs) and len(second) == len(ours)
        if unique and (both := [name for name in first if name in second]):
            self._leave(first.keys() - second.keys(), second.keys() - first.keys())
            return [(first[name], second[name]) for name in both]
        if len(theirs) == len(ours):
            return list(zip(theirs, ours, strict=True))
        if not unique:
            n = {"n": len(ours), "n_gold": len(theirs)}
            raise FormatError(Errors.UC540.format(path=ours[0][0], gold=theirs[0][0], **n))
        raise UccaError(Errors.UC505.format(gold=self.gold, predicted=self.predicted))
