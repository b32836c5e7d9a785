"""The app: its commands, which are imported when they are called, refuse empty arguments and options, import the user's code,
and tell of the user's mistakes without a traceback; and the options that several of them have."""

from collections.abc import Callable, Sequence
from functools import wraps
from importlib import import_module
from inspect import Parameter, signature
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command_from_info, get_group

from ..errors import Errors
from ._util import file_or_stream, user_errors

Model = Annotated[str, typer.Option("--model", "-m", help="Pipeline: its name or directory")]
ModelArgument = Annotated[str, typer.Argument(help="Pipeline: its name or directory")]
Json = Annotated[
    Path | None,
    typer.Option("--json", help="Write the figures to this file as JSON ('-': standard output)"),
]
Lang = Annotated[
    str | None,
    typer.Option(
        "--lang",
        help="Code of the language of the texts, such as fr. Default: that of the pipeline; if this is for any (xx), a guess for each text",
    ),
]
Gpu = Annotated[int, typer.Option("--gpu-id", "-g", help="GPU id; -1: CPU")]
Limit = Annotated[int, typer.Option("--limit", min=0, help="Maximum number of sentences; 0: all")]
BeamWidth = Annotated[
    int | None,
    typer.Option(
        "--beam-width",
        min=1,
        help="Beam width: 1 is fastest; 4 gives other graphs, not always better ones, in twice the time",
    ),
]
Guidelines = Annotated[
    str | None,
    typer.Option(
        "--guidelines", help="Guidelines to follow, such as v1. Default: those of the pipeline"
    ),
]
Lists = Annotated[
    list[Path],
    typer.Option(
        "--list",
        "-l",
        exists=True,
        help="File of ids of passages or sentences, one per line; only these are used. May be given several times",
    ),
]
Ud = Annotated[
    list[Path],
    typer.Option(
        "--ud",
        exists=True,
        help="CoNLL-U file: divide passages into its sentences. Default: by the annotation",
    ),
]
Passages = Annotated[bool, typer.Option("--passages", help="Do not divide passages into sentences")]
Mapping = Annotated[
    list[str],
    typer.Option("--map", help="Replace a category on both sides: T=D. May be given several times"),
]
PerType = Annotated[bool, typer.Option("--per-type", help="Also print each category")]
Show = Annotated[
    bool | None,
    typer.Option(
        "--progress/--no-progress",
        help="Show a progress bar on standard error. Default: only on a terminal",
    ),
]

CODE_HELP = "Python file with code of yours, such as a transition system, imported first"

COMMANDS = """annotate bilexical calibrate compare convert dependencies download evaluate find finetune label links oracle orient parse render samsa
    score serve split stats usim validate""".split()
GROUPS = {"annotate"}  # of commands
# The files of this folder that have commands of other names than theirs.
FILES = {
    "dependencies": "bilexical",
    "oracle": "stats",
    "orient": "links",
    "samsa": "_text_pairs",
    "usim": "_text_pairs",
}


def flag(help: str, *names: str) -> Any:
    """RETURNS (OptionInfo): An option without a value, off unless it is given."""
    return typer.Option(False, *names, help=help)


def output_to(help: str, *, stream: bool = False) -> Any:
    """RETURNS (OptionInfo): The option `--output`. Where it can be a stream, "-" is standard output."""
    callback = file_or_stream if stream else None
    return typer.Option(None, "--output", "-o", callback=callback, help=help)


def model_option(help: str) -> Any:
    """RETURNS (OptionInfo): The option `--model`, where a command goes without a pipeline, too."""
    return typer.Option(None, "--model", "-m", help=help)


def choice(default: str | None, values: Sequence[str], *names: str, **options: Any) -> Any:
    """RETURNS (OptionInfo): An option that takes one of some values."""

    def check(value: str | None) -> str | None:
        if value is not None and value not in values:
            known = ", ".join(map(repr, values))
            raise typer.BadParameter(f"'{value}' is not one of {known}.")
        return value

    return typer.Option(default, *names, callback=check, metavar=f"[{'|'.join(values)}]", **options)


def existing(help: str, **options: Any) -> Any:
    """RETURNS (ArgumentInfo): An argument for a path, or for several, that there has to be."""
    return typer.Argument(..., help=help, exists=True, **options)


class Command(TyperCommand):
    """A command that refuses empty values: `Path("")` would be the current directory. It ends with a message and exit code 1,
    without a traceback, if the user made a mistake."""

    def invoke(self, ctx: Any) -> Any:
        with user_errors():
            return super().invoke(ctx)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        given, _, _ = self.make_parser(ctx).parse_args(args=[*args])
        params: list[Any] = self.params
        for param in params:
            value = given.get(param.name or "")
            if param.default == "":  # empty is as good as not given
                continue
            if value == "" or (isinstance(value, list | tuple) and "" in value):
                what = "input" if param.param_type_name == "argument" else "value"
                raise typer.BadParameter(Errors.UC582.format(what=what), ctx=ctx, param=param)
        return super().parse_args(ctx, args)


class Commands(TyperGroup):
    """The commands. One that is called is imported; help, and a name that is wrong, import all."""

    def get_command(self, ctx: Any, name: str) -> Any:
        if name in COMMANDS and name not in self.commands:
            module = import_module(f"{__package__}.{FILES.get(name, name)}")
            if name in GROUPS:
                self.add_command(get_group(module.app), name)
            else:
                info = next(info for info in app.registered_commands if info.name == name)
                self.add_command(
                    get_command_from_info(info, pretty_exceptions_short=True, rich_markup_mode=None)
                )
        if name not in COMMANDS:
            self.list_commands(ctx)
        return super().get_command(ctx, name)

    def list_commands(self, ctx: Any) -> list[str]:
        for name in COMMANDS:
            self.get_command(ctx, name)
        return [*COMMANDS]


class App(typer.Typer):
    """A command line of such commands."""

    def command(self, name: str | None = None, **options: Any) -> Any:
        register = super().command(name, **{"cls": Command, **options})

        def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
            register(_with_code(function))
            return function

        return decorate


app = App(
    name="spacy-ucca",
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(value: bool) -> None:
    if value:
        from .. import __version__
        from ..native.load import compiled

        way = "compiled" if compiled() else "plain Python"
        typer.echo(f"spacy-ucca {__version__} (loop over states: {way})")
        raise typer.Exit()


@app.callback()
def callback(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Show the version and exit"
    ),
):
    """Parse, score and look at UCCA graphs with spaCy."""


def _with_code(function: Callable[..., Any]) -> Callable[..., Any]:
    """RETURNS (Callable): A command with one more option, `--code`."""

    @wraps(function)
    def run(*args: Any, code: Path | None = None, **kwargs: Any) -> Any:
        if code is not None:
            from ..training.pipelines import import_code

            import_code(code.resolve())
        return function(*args, **kwargs)

    own = signature(function)
    taken = {
        name
        for parameter in own.parameters.values()
        for name in getattr(parameter.default, "param_decls", None) or ()
    }
    short = {"-c"} - taken
    option = typer.Option(None, "--code", *short, help=CODE_HELP, exists=True, dir_okay=False)
    more = Parameter("code", Parameter.KEYWORD_ONLY, default=option, annotation=Path)
    run.__signature__ = own.replace(parameters=[*own.parameters.values(), more])  # type: ignore[attr-defined]
    run.__annotations__ = {**function.__annotations__, "code": Path}
    return run
