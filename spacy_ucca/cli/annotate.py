"""`spacy-ucca annotate`: choose the sentences to correct, and make training data of what annotators have corrected."""

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from typer.core import TyperGroup

from ..errors import Errors, UccaError
from ..files import check_outputs
from ._command import App, Guidelines, Json, Lang, Model, Show, choice, flag, model_option
from ._parse_input import find_input
from ._util import BadFiles, check_name, percent, read_each, table, track, warn, write_figures
from .parse import SENTENCES

if TYPE_CHECKING:
    from ..annotation.corrections import Corrections
    from ..graph import Graph
    from ._parse_jobs import Parser

app = App(
    name="annotate", cls=TyperGroup, no_args_is_help=True, rich_markup_mode=None,
    help="Choose sentences to correct, and read what was corrected.",
)  # fmt: skip


@app.command("export")
def export(
    paths: list[Path] = typer.Argument(
        ...,
        metavar="INPUT... TASKS",
        help="Texts, as `parse` reads them, then the folder of tasks, which is made",
    ),
    model: Model = ...,  # type: ignore[assignment]
    n: int = typer.Option(50, "--n", "-n", min=1, help="How many sentences"),
    order: str = typer.Option(
        "uncertain",
        "--order",
        help="Which: 'uncertain', of which the parser is least certain and which share few words; 'random'; or 'text', the first",
    ),
    to: str = typer.Option(
        "uccaapp",
        "--to",
        "-t",
        help="'uccaapp', tasks.json for that site; or 'brackets', tasks.txt",
    ),
    threshold: float = typer.Option(
        0.7, "--threshold", min=0, max=1, help="Mark edges with a lower score as in doubt"
    ),
    done: list[Path] = typer.Option(
        [], "--done", exists=True, help="Leave out sentences of these graphs, such as former tasks"
    ),
    seed: int = typer.Option(0, "--seed", min=0, help="Seed of the random order"),
    lines: bool = flag("Each line is a text of its own", "--lines"),
    sentences: str = choice(
        "auto", SENTENCES, "--sentences", "-s", help="As of `parse`: 'file' keeps each line whole"
    ),
    lang: Lang = None,
    guidelines: Guidelines = None,
    show: Show = None,
) -> None:
    """Parse texts and write the sentences that are most worth correcting, with what is in doubt marked."""
    from ..annotation.choose import ORDERS, choose_sentences
    from ..annotation.tasks import FILES, write_tasks
    from ._parse_jobs import Parser
    from .passages import ParseSettings

    *sources, folder = paths
    if not sources:
        raise typer.BadParameter("Give texts and a folder.", param_hint="INPUT... TASKS")
    if order not in ORDERS:
        message = Errors.UC615.format(order=order, known=", ".join(ORDERS))
        raise typer.BadParameter(message, param_hint="--order")
    check_name("--to", to, FILES)
    files = find_input(sources, "annotate export - TASKS")
    if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
        raise UccaError(Errors.UC504.format(path=folder, reason="it is not empty"))
    bad = BadFiles()
    known = {graph.words for graph in _graphs_of(done, bad)}
    settings = ParseSettings(model, to, sentences=sentences, lang=lang, guidelines=guidelines)
    parser = Parser(settings)
    found = track(files, partial(_sentences, parser, lines=lines, bad=bad), show, "sentence")
    graphs = [graph for graph in found if graph.words not in known]
    if not graphs:
        raise UccaError(Errors.UC631.format(path=", ".join(map(str, sources))))
    chosen = choose_sentences(graphs, n, order=order, seed=seed)
    path = write_tasks((graphs[i] for i in chosen), folder, to, threshold)
    warn(f"{path}: {len(chosen)} of {len(graphs)} sentences. Correct it, and keep the other file.")
    bad.finish()


def _graphs_of(paths: list[Path], bad: BadFiles) -> "Iterator[Graph]":
    from ..formats.files import find_files, read_graphs

    files = find_files(paths) if paths else ()
    for _, graphs in read_each(files, partial(read_graphs, on_bad=bad.add), bad):
        yield from graphs


def _sentences(
    parser: "Parser", files: Iterable[Path], lines: bool, bad: BadFiles
) -> "Iterator[Graph]":
    """YIELDS (Graph): The sentences of texts, without white space, each with an id of its own and its text."""
    from ..graph.data import with_text
    from ..text.spacing import without_spaces

    taken: Counter[str] = Counter()
    for passage in parser.parse_files(files, bad, lines=lines):
        spans = [span for span in passage.sentences() if span.text.strip()]
        for number, span in enumerate(spans):
            graph = span.as_doc(copy_user_data=True)._.ucca
            if graph is None:
                raise UccaError(Errors.UC506)
            name = passage.item.name + (f"-{number:03d}" if len(spans) > 1 else "")
            while taken[name]:
                taken[name] += 1
                name = f"{name}-{taken[name]}"
            taken[name] += 1
            details = with_text({**graph.details, "id": name}, span.text.strip())
            yield without_spaces(graph.replace(details=details))


@app.command("import")
def import_(
    folder: Path = typer.Argument(
        ...,
        metavar="TASKS",
        help="The folder that `annotate export` has made, with the corrected file in it, or a folder for each annotator",
        exists=True,
        file_okay=False,
    ),
    output: Path = typer.Argument(..., help="The .spacy file to write, for training"),
    model: str = model_option("Pipeline that predicts tags and dependencies"),
    json_path: Json = None,
) -> None:
    """Make training data of corrected tasks, and report what was corrected.

    If several annotators have a sentence, the first one's graph is taken, in the order of the names of their folders.
    """
    from ..annotation.corrections import find_corrections
    from ..annotation.tasks import read_tasks
    from ..rules.validate import ERROR
    from ..training.convert import write_sentences
    from ._pipelines import load_pipeline

    if output.suffix != ".spacy":
        raise typer.BadParameter(f"'{output}' is no .spacy file.", param_hint="OUTPUT")
    if folder.resolve() in output.resolve().parents:
        raise typer.BadParameter("Give a place outside the folder of tasks.", param_hint="OUTPUT")
    check_outputs([output, json_path], [folder])
    bad = BadFiles()
    tasks = read_tasks(folder, bad.add)
    nlp = load_pipeline(model) if model else None
    report = find_corrections(tasks.predicted, tasks.annotated)
    write_sentences(tasks.gold.values(), output, nlp)
    write_figures(format_corrections(report), report.to_dict(), json_path)
    if missing := [name for name in tasks.predicted if name not in tasks.annotated]:
        warn(f"Not annotated: {len(missing)} of {len(tasks.predicted)}, such as {missing[0]}.")
    for name, annotator, text in tasks.comments:
        warn(f"Remark on {name}{f' ({annotator})' if annotator else ''}: {text}")
    bad.finish()
    if any(problem.level == ERROR for _, problem in report.broken):
        raise typer.Exit(1)


def format_corrections(report: "Corrections") -> str:
    """RETURNS (str): What was corrected, as tables."""
    n_changed = sum(report.changed.values())
    each = n_changed / report.sentences
    reasons = ", ".join(f"{reason} {n}" for reason, n in report.reasons.items())
    parts = [
        f"{report.sentences} sentences, {report.unchanged} unchanged. {n_changed} edges corrected, {each:.1f} a sentence.",
        f"Labeled F1 of the parser: {percent(report.f1)}"
        + (f"; errors: {reasons}." if reasons else "."),
    ]
    rows = [["category", "parser", "kept", "removed", "added"]]
    for name, n in report.categories.items():
        counts = n["predicted"], n["kept"], n["predicted"] - n["kept"], n["gold"] - n["kept"]
        rows.append([name, *map(str, counts)])
    parts.append("\n" + table(rows, "<>>>>"))
    if report.calibration_error is not None:
        rows = [["score", "edges", "kept", ""]]
        for one in report.scores:
            share = percent(one.kept / one.edges if one.edges else None)
            cells = [f"{one.start:.2f}-{one.end:.2f}", str(one.edges), str(one.kept), share]
            rows.append(cells)
        error = percent(report.calibration_error)
        parts.append(f"\n{table(rows, '<>>>')}\nCalibration error of the scores: {error}.")
    for agreed in report.agreement:
        first, second = agreed.annotators
        bounds = f" (95 %: {agreed.interval.in_percent()})" if agreed.interval else ""
        text = f"\n{first} and {second}: labeled F1 {percent(agreed.f1)} on {agreed.sentences} sentences{bounds}"
        reasons = ", ".join(f"{reason} {n}" for reason, n in agreed.reasons.items())
        parts.append(f"{text}; disagreements: {reasons or 'none'}.")
    if report.broken:
        parts.append("\nRules broken:")
    for name, problem in report.broken:
        where = f"'{problem.text}': " if problem.unit is not None else ""
        parts.append(f"{name}: {problem.level} {problem.rule}: {where}{problem.message}")
    return "\n".join(parts)
