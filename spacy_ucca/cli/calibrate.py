"""`spacy-ucca calibrate`: fit `edge.score` of a pipeline to how often edges are right."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ..errors import Errors, UccaError, Warnings
from ..files import check_outputs, check_pipeline_directory, replace_directory
from ._command import Json, Lang, ModelArgument, Show, app, existing, output_to
from ._util import STDIN, progress, table, warn, write_figures

if TYPE_CHECKING:
    from spacy.language import Language

    from ..parser.graph_parser import GraphParser

BATCH_SIZE = 256
FEW_EDGES = 2000


@app.command("calibrate")
def calibrate_cli(
    model: ModelArgument,
    data: Path = existing(
        "A .spacy file, or a directory of them, that the parser was not trained on"
    ),
    output: Path = output_to("Directory for the pipeline with calibrated scores"),
    shift: float = typer.Option(0.0, help="Added to log odds, for texts unlike DATA"),
    lang: Lang = None,
    json_path: Json = None,
    show: Show = None,
) -> None:
    """Fit the scores of edges to how often the edges are right, on gold graphs that the parser was not trained on.

    Prints the expected calibration error before and after, in percent. "After" is measured by cross-validation: on each
    half of the data with the fit of the other half.
    """
    if not -10 <= shift <= 10:  # nor NaN
        raise typer.BadParameter(f"{shift} is not from -10 to 10.", param_hint="--shift")
    from ..training.corpus import find_docbins
    from ..training.pipelines import trained_parsers
    from ._pipelines import load_pipeline

    files = find_docbins(data)
    check_outputs([json_path], [model, *files])
    if output is not None:
        others = [] if json_path is None or str(json_path) == STDIN else [json_path]
        check_pipeline_directory(output, [*files, *others])
    nlp = load_pipeline(model, lang=lang)
    calibration = calibrate(nlp, data, shift=shift, show=show)
    if (n := calibration["all"]["edges"]) < FEW_EDGES:
        warn(Warnings.UW307.format(path=data, n=n, least=FEW_EDGES))
    write_figures(format_table(calibration), calibration, json_path)
    if output is not None:
        clean = load_pipeline(model, lang=lang)  # without the words of the data
        trained_parsers(clean)[0].calibration = trained_parsers(nlp)[0].calibration
        with replace_directory(output) as directory:
            clean.to_disk(directory)
        warn(f"{output}: saved.")


def calibrate(
    nlp: "Language", data: Path, *, shift: float = 0.0, show: bool | None = False
) -> dict[str, Any]:
    """Calibrate the `ucca_parser` or `ucca_span_parser` of a pipeline, in place.

    nlp (Language): The pipeline.
    data (Path): A .spacy file, or a directory of them, with gold graphs.
    shift (float): What is added to the log odds of all edges after fitting.
    show (Optional[bool]): Whether to show progress.
    RETURNS (Dict[str, Any]): By construction, and of `all`: `edges`, their `accuracy`, the mean `score`,
        `ece_before` and `ece`, the expected calibration error before and after.
    RAISES (UccaError): If the pipeline has no such parser, or there is nothing to compare.
    """
    import numpy

    from ..parser.calibration import FEATURES, Calibration, calibration_error, fit
    from ..training.corpus import UccaCorpus
    from ..training.pipelines import require_parsers

    parser = require_parsers(nlp)[0]
    examples = list(UccaCorpus(data, keep_annotations=False)(nlp))
    seen = list(_judged(nlp, parser, progress(examples, show=show, unit="doc")))
    if not seen:
        raise UccaError(Errors.UC506)
    old, weights = parser.calibration, {}
    before: list[float] = []
    after: list[float] = []
    truth: list[bool] = []
    result: dict[str, Any] = {}
    for kind in FEATURES:
        rows = [(row, right, half) for k, row, right, half in seen if k == kind]
        if not rows:
            continue
        features, right, half = map(numpy.array, zip(*rows))
        bias = shift * numpy.eye(features.shape[1])[0]
        crossed = numpy.zeros(len(rows))
        for h in (0, 1):
            own = fit(features[half != h], right[half != h]) + bias
            crossed[half == h] = Calibration({kind: own.tolist()})(kind, features[half == h])
        weights[kind] = (fit(features, right) + bias).tolist()
        scores = old(kind, features)
        result[kind] = _summary(right.tolist(), scores, crossed.tolist(), calibration_error)
        before, after, truth = before + scores, after + crossed.tolist(), truth + right.tolist()
    result["all"] = _summary(truth, before, after, calibration_error)
    parser.calibration = Calibration({**old.to_dict(), **weights})
    return result


def _judged(
    nlp: "Language", parser: "GraphParser", examples: Iterable[Any]
) -> Iterator[tuple[str, Any, bool, int]]:
    """YIELDS (Tuple[str, ndarray, bool, int]): For each predicted edge that the metric counts: its
    construction, its features, whether it is right, and the half of the data it is in."""
    from spacy.util import minibatch

    from ..metric.compare import compare
    from ..parser.calibration import Recorder
    from ..training.pipelines import without_ucca

    for number, batch in enumerate(minibatch(examples, BATCH_SIZE)):
        with without_ucca(nlp):
            docs = list(nlp.pipe(eg.predicted for eg in batch))
        recorder = Recorder()
        graphs = parser.predict(docs, calibration=recorder, repair=False)
        for i, (eg, graph) in enumerate(zip(batch, graphs)):
            gold = eg.reference._.ucca
            if gold is None or gold.words != graph.words:
                continue
            for edge, right in compare(gold, graph).predicted.right.items():
                kind, features = recorder.rows[int(graph.scores[edge])]
                yield kind, features, right, (number + i) % 2


def _summary(
    right: list[bool], before: list[float], after: list[float], error: Any
) -> dict[str, float]:
    return {
        "edges": len(right),
        "accuracy": sum(right) / len(right),
        "score": sum(after) / len(after),
        "ece_before": error(before, right),
        "ece": error(after, right),
    }


def format_table(calibration: dict[str, Any]) -> str:
    """RETURNS (str): The result of `calibrate` as lines."""
    rows = [["", "edges", "right, %", "error before, %", "error after, %"]]
    for kind, values in calibration.items():
        percents = (f"{100 * values[name]:.1f}" for name in ("accuracy", "ece_before", "ece"))
        rows.append([kind, str(values["edges"]), *percents])
    return table(rows, "<>>>>")
