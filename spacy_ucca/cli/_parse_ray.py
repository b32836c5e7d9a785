"""`spacy-ucca parse --engine ray`: parse files on a Ray cluster to Parquet."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ._parse_resume import check_run, describe_run, keep_run
from ._util import progress_bar, warn


def parse_with_ray(
    sources: Sequence[Path],
    output: Path,
    model: str,
    guidelines: str | None,
    beam_width: int | None,
    *,
    lines: bool,
    n_process: int,
    resume: bool,
    show: bool | None,
) -> None:
    """Parse files, by the options of `spacy-ucca parse` that are described there.

    RAISES (UccaError): If the user made a mistake.
    """
    from ..distributed.ray_engine import Summary, parse_texts
    from ..distributed.stage import ParseStage
    from ..distributed.texts import Reader

    stage = ParseStage(model, guidelines=guidelines, beam_width=beam_width)
    _ = stage.nlp  # so that a mistake is told before Ray starts
    run = describe_run(model, guidelines, beam_width, "parser")
    if resume:
        check_run(output, run)
    with progress_bar(show=show, unit="text") as advance:

        def report(done: Summary) -> None:
            keep_run(output, run)
            advance(done.texts, None)

        options: dict[str, Any] = {"reader": Reader(lines=lines), "workers": n_process}
        done = parse_texts(sources, output, stage, resume=resume, advance=report, **options)
    warn(f"{output}: {done.texts:,} texts of {done.tokens:,} tokens in {done.files:,} new files.")
    if done.errors:
        warn(f"{done.errors:,} texts have no graph: the column `error` says why.")
