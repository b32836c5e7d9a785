"""What each file format loses: graphs of corpora, written, read again, compared and scored against themselves.

    python benchmarks/round_trips.py CORPORA/UCCA_English-EWT [MORE ...] [--json FILE]
    python benchmarks/round_trips.py --table docs/round-trips.json     # the table of figures measured before
    python benchmarks/round_trips.py --treebanks CORPORA/UD_PUD        # words, places and texts of CoNLL-U files

Formats of one row per token, PENMAN and Penn brackets are for sentences: they are tried on passages and on the sentences that the
annotation divides these into. DOT cannot be read. A format whose words come back different is not scored on that graph.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import srsly
import typer
from measuring import JSON

from spacy_ucca.cli._util import write_json
from spacy_ucca.errors import FormatError
from spacy_ucca.formats.files import find_files
from spacy_ucca.formats.registry import FORMATS, Format
from spacy_ucca.formats.roundtrip import count_losses
from spacy_ucca.formats.sources import read_sources
from spacy_ucca.formats.xml import read_xml
from spacy_ucca.graph import Graph, GraphBuilder
from spacy_ucca.metric.counts import Counts
from spacy_ucca.metric.score import score_pair
from spacy_ucca.text.spacing import find_words, original_text
from spacy_ucca.text.split import split_sentences

SENTENCES = ("sdp", "conll", "conllu", "export", "penman", "penn")
LEVELS = ("passages", "sentences")
COLUMNS = ("primary", "remote", "implicit")


class Trips:
    """The round trips of one format: how many graphs, how many that come back the same, what is lost, scores."""

    def __init__(self) -> None:
        self.graphs = self.same = self.scored = 0
        self.losses: Counter[str] = Counter()
        self.counts = Counts()

    def add(self, graph: Graph, entry: Format) -> None:
        back = entry.read(entry.write(graph))
        found = back[0] if len(back) == 1 else Graph.join(back)
        self.graphs += 1
        self.same += graph.same_structure(found)
        self.losses.update(count_losses(graph, found))
        if found.words == graph.words:
            self.scored += 1
            self.counts += score_pair(found, graph)

    def figures(self) -> dict[str, Any]:
        """RETURNS (Dict[str, Any]): Counts as they are and labeled F1 in percent."""
        scores = self.counts.to_scores()
        values = {name: scores[f"ucca_{name}_f"] for name in COLUMNS}
        return {
            **{"graphs": self.graphs, "same": self.same, "scored": self.scored},
            **{name: None if v is None else round(100 * v, 1) for name, v in values.items()},
            "losses": dict(self.losses.most_common()),
        }


def measure(corpora: Iterable[Path], limit: int = 0) -> dict[str, Any]:
    """Write and read the graphs of corpora.

    corpora (Iterable[Path]): Directories of UCCA XML.
    limit (int): Passages of each; 0 for all.
    RETURNS (Dict[str, Any]): By level ("passages", "sentences") and format the figures of all, and under
        "corpora" the graphs of each corpus and how many came back the same.
    """
    readable = {name: entry for name, entry in FORMATS.items() if entry.reads}
    total = {level: {n: Trips() for n in readable if _tried(n, level)} for level in LEVELS}
    each: dict[str, dict[str, dict[str, list[int]]]] = {level: {} for level in LEVELS}
    words = 0
    for folder in corpora:
        before = {
            (level, n): (t.graphs, t.same) for level in LEVELS for n, t in total[level].items()
        }
        for number, path in enumerate(find_files([folder], "xml"), start=1):
            graph = read_xml(path)
            words += len(graph.words)
            for level, graphs in zip(LEVELS, ([graph], split_sentences(graph)), strict=True):
                for name, trips in total[level].items():
                    for one in graphs:
                        trips.add(one, readable[name])
            if number == limit:
                break
        for (level, name), (graphs_before, same_before) in before.items():
            trips = total[level][name]
            found = each[level].setdefault(name, {})
            found[folder.name] = [trips.graphs - graphs_before, trips.same - same_before]
    levels = {
        level: {n: {**t.figures(), "corpora": each[level][n]} for n, t in total[level].items()}
        for level in LEVELS
    }
    return {"words": words, **levels}


def _tried(name: str, level: str) -> bool:
    return level == LEVELS[0] or name in SENTENCES


def measure_treebank(path: Path, limit: int = 0) -> dict[str, Any]:
    """Write and read the sentences of a treebank, each with a graph of one unit for each word.

    path (Path): A CoNLL-U file.
    limit (int): Sentences; 0 for all.
    RETURNS (Dict[str, Any]): Sentences, words, multiword tokens; words whose place is empty or outside their token; sentences whose
        rows contradict their text; and by format the sentences whose words, text or places come back otherwise.
    """
    counts: Counter[str] = Counter()
    formats = {name: 0 for name, entry in FORMATS.items() if entry.reads}
    blocks = list(filter(None, path.read_text("utf8").split("\n\n")))[: limit or None]
    sources = read_sources("\n\n".join(blocks), "conllu", source=path.name)
    for block, source in zip(blocks, sources, strict=True):
        if isinstance(source, FormatError):
            raise source
        rows = [line.split("\t") for line in block.split("\n") if line[:1].isdecimal()]
        tokens: list[str] = []
        owners: list[int] = []
        rebuilt, last = "", 0
        for number, form, *others in rows:
            if "-" in number or (number.isdecimal() and int(number) > last):
                tokens.append(form)
                rebuilt += form + " " * ("SpaceAfter=No" not in others[-1].split("|"))
                last = int(number.split("-")[-1])
            owners += [len(tokens) - 1] * number.isdecimal()
        words, text = source.words or (), source.text or ""
        places, spans = find_words(tokens, text) or [], find_words(words, text) or []
        misplaced = sum(
            not places[o][0] <= start < end <= places[o][1]
            for o, (start, end) in zip(owners, spans, strict=True)
        )
        counts.update(sentences=1, words=len(words), misplaced=misplaced)
        counts["multiword"] += sum("-" in row[0] for row in rows)
        counts["contradictions"] += rebuilt.strip() != text.strip()
        builder = GraphBuilder(words)
        root = builder.add_unit()
        for token in range(len(words)):
            unit = builder.add_unit()
            builder.add_edge(root, unit, "A" if token else "P")
            builder.add_terminal(unit, token)
        graph = builder.build().replace(details={"id": source.id, "text": text})
        for name in formats:
            (back,) = FORMATS[name].read(FORMATS[name].write(graph))
            same = back.words == graph.words and original_text(back) == original_text(graph)
            formats[name] += not same
    return {**counts, "formats": formats}


def rows(figures: dict[str, Any]) -> Iterator[list[str]]:
    """YIELDS (List[str]): The lines of the table, its head first: one for all formats of the same figures."""
    names = list(next(iter(figures[LEVELS[0]].values()))["corpora"])
    short = [name.removeprefix("UCCA_").replace("-", " ") for name in names]
    yield ["formats", "graphs", *(f"same: {name}" for name in short), *COLUMNS]
    formats: dict[tuple[str, ...], list[str]] = {}
    for name in figures[LEVELS[0]]:
        for level in LEVELS:
            found = figures[level].get(name)
            if found is None:
                continue
            shares = [found["corpora"][corpus] for corpus in names]
            line = (
                f"{found['graphs']:,} {level}",
                *(f"{100 * same / graphs:.1f}" if graphs else "-" for graphs, same in shares),
                *("-" if found[column] is None else f"{found[column]:.1f}" for column in COLUMNS),
            )
            formats.setdefault(line, []).append(f"`{name}`")
    yield from ([", ".join(same), *line] for line, same in formats.items())


def markdown(figures: dict[str, Any]) -> str:
    """RETURNS (str): The table, as in `docs/formats.md`."""
    head, *body = rows(figures)
    lines = [head, ["---"] * len(head), *body]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def main(
    corpora: list[Path] = typer.Argument(None, help="Directories of UCCA XML"),
    limit: int = typer.Option(0, min=0, help="Passages of each corpus, or sentences; 0: all"),
    table: Path | None = typer.Option(
        None, help="Print the table of this file, and measure nothing"
    ),
    treebanks: bool = typer.Option(False, help="Read the CoNLL-U files of the directories"),
    json: Path | None = JSON,
) -> None:
    """Print what comes back of graphs that are written and read, by format."""
    if table is not None:
        typer.echo(markdown(srsly.read_json(table)))
        return
    if not corpora:
        raise typer.BadParameter("Name corpora, or a file with figures: --table FILE")
    if treebanks:
        found = {}
        for path in (path for folder in corpora for path in sorted(folder.glob("*.conllu"))):
            found[path.stem] = measure_treebank(path, limit)
            typer.echo(f"{path.stem}: {srsly.json_dumps(found[path.stem])}")
        write_json(json, found)
        return
    result = measure(corpora, limit)
    typer.echo(markdown(result))
    write_json(json, result)  # nothing of the machine: nothing is timed


if __name__ == "__main__":
    typer.run(main)
