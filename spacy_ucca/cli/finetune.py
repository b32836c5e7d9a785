"""`spacy-ucca finetune`: train the parser of a pipeline further on sentences of one's own."""

import inspect
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ..errors import Errors, UccaError
from ..files.whole import naming
from ._command import Gpu, app, flag, output_to
from ._util import BadFiles, make_directory, progress_bar, warn

if TYPE_CHECKING:
    from thinc.api import Config

PIPELINES = ("model-best", "model-last", "unfinished")  # the names that `finetune` gives
# What spaCy reads of a component that has a `source`; it ignores everything else there.
OF_SOURCED = ("component", "replace_listeners")


@app.command(
    "finetune", context_settings={"allow_extra_args": True, "ignore_unknown_options": True}
)
def finetune_cli(
    ctx: typer.Context,
    model: str = typer.Argument(..., help="Pipeline with ucca_parser: its name or directory"),
    train: Path = typer.Argument(
        ...,
        help="Gold graphs: .spacy files, graphs of any format, or tasks of `annotate export`; a file or a directory",
        exists=True,
    ),
    dev: Path = typer.Argument(..., help="The same, to choose the best step by", exists=True),
    output: Path = output_to("Directory for the pipelines model-best and model-last"),
    seed: int = typer.Option(0, "--seed", min=0, help="Seed of the random numbers"),
    max_steps: int = typer.Option(
        0, "--max-steps", min=0, help="Number of updates; 0: by the size of the training data"
    ),
    name: str = typer.Option(None, "--name", help="Name of the new pipeline, for its meta.json"),
    description: str = typer.Option(None, "--description", help="Its description, likewise"),
    gpu_id: Gpu = -1,
    force: bool = flag("Replace pipelines in the output", "--force", "-f"),
    print_config: bool = flag(
        "Print the configuration, which spacy train takes, and stop", "--print-config"
    ),
) -> None:
    """Train the ucca_parser of a pipeline further on sentences of your own; 50 are enough to begin.

    All other components stay as they are, but for a pretrained encoder. The pipeline is scored on DEV before training and at
    least ten times in training, and the best one is kept. Settings of the configuration can be overridden, as in spacy
    train: --training.dropout 0.2.
    """
    overrides = parse_overrides(ctx.args)
    if print_config:
        output = output or Path("output")
    elif output is None:
        raise typer.BadParameter("Name a directory.", param_hint="--output")
    else:
        check_output(output, model, force=force, data=[train, dev])
    bad, meta = BadFiles(), {"name": name, "description": description}
    data: list[Path] = []
    with _without_leftovers(output, [train, dev], data):
        for path, file in ((train, "train.spacy"), (dev, "dev.spacy")):
            data.append(training_data(path, output / file, model, bad, write=not print_config))
        config = make_config(
            model,
            data[0],
            data[1],
            output,
            overrides=overrides,
            seed=seed,
            max_steps=max_steps,
            meta={k: v for k, v in meta.items() if v},
            gpu_id=gpu_id,
        )
    if print_config:
        typer.echo(config.to_str())
        return
    from ..training.finetune import finetune

    make_directory(output)
    with naming(output):
        best = finetune(config, output, gpu_id=gpu_id)
    before, score = 100 * best.before, 100 * best.score
    if best.step:
        warn(f"{best.path}: labeled F1 {score:.1f} after {best.step} steps, {before:.1f} before.")
        noise = f"{100 * best.noise:.1f}"
        warn(f"DEV has {best.n} sentences: gains below {noise} are within noise.")
    else:
        warn(f"{best.path}: nothing was better than {model}, labeled F1 {before:.1f}.")
    bad.finish()


@contextmanager
def _without_leftovers(output: Path, given: list[Path], data: list[Path]) -> Iterator[None]:
    """Remove the data that were written, and not given, if there is an error, so that the command can be given again."""
    is_new = not output.exists()
    try:
        yield
    except BaseException:
        for path in set(data).difference(given):
            path.unlink()
        if is_new and output.is_dir() and not any(output.iterdir()):
            output.rmdir()
        raise


def check_output(
    output: Path, model: str, *, force: bool = False, data: Iterable[Path] = ()
) -> None:
    """Check that nothing is lost in the directory for output.

    output (Path): The directory, which need not exist.
    model (str): The pipeline to read.
    force (bool): Whether pipelines of an earlier training may be replaced.
    data (Iterable[Path]): The data to read.
    RAISES (UccaError): If it cannot be used.
    """
    if output.resolve() in (Path(model).resolve(), *Path(model).resolve().parents):
        raise UccaError(Errors.UC511.format(model=model, path=output))
    for path in data:
        places = (path.resolve(), *path.resolve().parents)
        for name in PIPELINES:
            if (output / name).resolve() in places:
                raise UccaError(Errors.UC526.format(path=path, directory=output / name))
    if output.exists() and not output.is_dir():
        raise UccaError(Errors.UC504.format(path=output, reason="it is a file"))
    if output.exists() and any(output.iterdir()) and not force:
        raise UccaError(Errors.UC514.format(path=output))


def training_data(
    path: Path, converted: Path, model: str, bad: BadFiles, *, write: bool = True
) -> Path:
    """Convert gold graphs to training data, if they are none.

    path (Path): .spacy files, graphs of any format, or a folder of tasks.
    converted (Path): The .spacy file to write. An earlier one is replaced.
    model (str): The pipeline whose tags and dependencies it gets.
    bad (BadFiles): Collects what cannot be used.
    write (bool): Whether it may be written.
    RETURNS (Path): Training data: what was given, or the file.
    RAISES (UccaError): If nothing can be used.
    """
    from ..annotation.tasks import PREDICTED, read_tasks

    is_tasks = (path / PREDICTED).is_file()
    if path.suffix == ".spacy" or (path.is_dir() and not is_tasks and any(path.rglob("*.spacy"))):
        return path
    if not write:
        command = "annotate import" if is_tasks else "convert"
        message = Errors.UC520.format(path=path, command=command)
        raise typer.BadParameter(message, param_hint="--print-config")
    from ..training.convert import convert_corpus, write_sentences
    from ._pipelines import load_pipeline
    from .convert import name_skipped

    nlp = load_pipeline(model)
    if is_tasks:
        n = write_sentences(read_tasks(path, bad.add).gold.values(), converted, nlp)
    else:
        with progress_bar() as advance:
            report = convert_corpus(path, converted, nlp=nlp, on_passage=advance)
        name_skipped(report, bad)
        n = report.sentences
    warn(f"{path}: {n} sentences.")
    return converted


def make_config(
    model: str,
    train: Path,
    dev: Path,
    output: Path,
    *,
    overrides: dict[str, Any] | None = None,
    gpu_id: int = -1,
    **options: Any,
) -> "Config":
    """Make the configuration of the training.

    model (str): The name or directory of a pipeline with `ucca_parser`.
    train (Path): A .spacy file with gold graphs, or a directory of them.
    dev (Path): The same.
    output (Path): The directory for output.
    overrides (Optional[Dict[str, Any]]): Settings to replace, such as {"training.dropout": 0.2}.
    gpu_id (int): The GPU to use, or -1.
    options: Other arguments of `finetune_config`.
    RETURNS (Config): The configuration.
    RAISES (UccaError): If the pipeline, the data or a setting cannot be used.
    """
    from ..training.finetune import LOG, finetune_config
    from ..training.settings import check_settings, wrong_settings
    from ._pipelines import load_pipeline

    nlp = load_pipeline(model, gpu_id)
    # Warm-up and evaluations follow the number of steps, too.
    steps = (overrides or {}).get("training.max_steps")
    if isinstance(steps, int) and steps > 0:
        options["max_steps"] = steps
    config = finetune_config(nlp, model, train, dev, output, **options)
    with wrong_settings():
        config = override(config, overrides or {})
    check_settings(config)
    log = str(output / LOG)
    file = config["training"]["logger"].get("output_file")
    if file != log:
        key = "training.logger.output_file"
        raise UccaError(Errors.UC517.format(key=key, value=file, what=f"{log}, which is read"))
    return config


def parse_overrides(args: list[str]) -> dict[str, Any]:
    """RETURNS (Dict[str, Any]): Settings of a configuration by name, of options such as "--training.dropout 0.2".
    RAISES (BadParameter): If an option is none of a configuration."""
    from spacy.cli._util import NoSuchOption, parse_config_overrides

    try:
        return parse_config_overrides(list(args))
    except NoSuchOption as err:
        raise typer.BadParameter(str(err)) from None


def override(config: "Config", overrides: dict[str, Any]) -> "Config":
    """Replace settings of a configuration.

    config (Config): The configuration of a training.
    overrides (Dict[str, Any]): Settings by name, such as {"training.dropout": 0.2}.
    RETURNS (Config): The new configuration.
    RAISES (UccaError): If there is no such setting. spaCy and Thinc accept some of these, and ignore them.
    RAISES (ConfigValidationError): If there is no such section.
    """
    # Another registered function in a section has other arguments.
    functions = {key: overrides[key] for key in overrides if "@" in key}
    known = set(_settings(_replace(config, functions)))
    for key in overrides:
        if key not in known and f"{_split(key)[0]}.**" not in known:
            close = _close(key, known)
            hint = f"Did you mean --{close}? " if close else ""
            raise UccaError(Errors.UC516.format(key=key, hint=hint))
    return _replace(config, overrides)


def _close(key: str, known: set[str]) -> str:
    """RETURNS (str): The setting that is most like a mistyped one, in section and in name; "" if none is."""
    settings = sorted(known - {_split(name)[0] for name in known})
    for name in get_close_matches(key, settings, n=len(settings), cutoff=0.7):
        if get_close_matches(_split(key)[1], [_split(name)[1]]):
            return name
    return ""


def _split(key: str) -> tuple[str, str]:
    """RETURNS (Tuple[str, str]): The section of a setting, and its name there."""
    section, _, name = key.rpartition(".")
    return section, name


def _replace(config: "Config", overrides: dict[str, Any]) -> "Config":
    from thinc.api import Config

    return Config().from_str(config.to_str(), overrides=overrides, interpolate=False)


def _settings(config: "Config") -> Iterator[str]:
    """YIELDS (str): The name of each setting that spaCy and the functions of a configuration take, given or not.
    "section.**" stands for any name in a section."""
    from spacy.language import DEFAULT_CONFIG

    for name in config["components"]:
        yield from (f"components.{name}.{key}" for key in OF_SOURCED)
    yield from _names(DEFAULT_CONFIG.merge(config), "")


def _names(section: dict[str, Any], prefix: str) -> Iterator[str]:
    from spacy.util import registry

    for key, value in section.items():
        yield prefix + key
        if key.startswith("@"):
            arguments = inspect.signature(registry.get(key[1:], str(value))).parameters.values()
            for arg in arguments:
                yield prefix + ("**" if arg.kind is arg.VAR_KEYWORD else arg.name)
        elif isinstance(value, dict):
            yield from _names(value, f"{prefix}{key}.")
