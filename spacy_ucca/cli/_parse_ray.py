"""`spacy-ucca parse --engine ray`: parse files on a Ray cluster to Parquet."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import typer

from ._parse_resume import check_run, describe_run, keep_run
from ._util import progress_bar, user_errors, warn


class RayOptions(NamedTuple):
    """The options of `spacy-ucca parse` that this engine has; they are described there."""

    sources: list[Path]
    output: Path | None
    model: str
    guidelines: str | None
    beam_width: int | None
    lines: bool
    n_process: int
    resume: bool


def refuse_options(options: Mapping[str, Any]) -> None:
    """RAISES (BadParameter): If one of these options is given."""
    for name, value in options.items():
        if value is not None:
            raise typer.BadParameter("--engine ray has none: leave it out.", param_hint=name)


def parse_with_ray(options: RayOptions, *, show: bool | None) -> None:
    """Parse files.

    options (RayOptions): What and how.
    show (Optional[bool]): Whether to show progress.
    RAISES (BadParameter): If there is no directory for the output.
    RAISES (Exit): With 1 and a message, if the user made another mistake.
    """
    if options.output is None:
        raise typer.BadParameter("--engine ray needs a directory.", param_hint="--output")
    output = options.output
    with user_errors():
        from ..distributed.ray_engine import Summary, parse_texts
        from ..distributed.stage import ParseStage
        from ..distributed.texts import Reader

        stage = ParseStage(
            options.model, guidelines=options.guidelines, beam_width=options.beam_width
        )
        _ = stage.nlp  # so that a mistake is told before Ray starts
        run = describe_run(options.model, options.guidelines, options.beam_width, "parser")
        if options.resume:
            check_run(output, run)
        with progress_bar(show=show, unit="text") as advance:

            def report(done: Summary) -> None:
                keep_run(output, run)
                advance(done.texts, None)

            done = parse_texts(
                options.sources,
                options.output,
                stage,
                reader=Reader(lines=options.lines),
                workers=options.n_process,
                resume=options.resume,
                advance=report,
            )
        warn(
            f"{options.output}: {done.texts:,} texts of {done.tokens:,} tokens in {done.files:,} new files."
        )
        if done.errors:
            warn(f"{done.errors:,} texts have no graph: the column `error` says why.")
