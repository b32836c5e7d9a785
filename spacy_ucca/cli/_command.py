"""Commands that refuse empty arguments and options."""

from typing import Any

import typer
from typer.core import TyperCommand

from ..errors import Errors


class Command(TyperCommand):
    """A command that refuses empty values: `Path("")` would be the current directory."""

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


class App(typer.Typer):
    """A command line of such commands."""

    def command(self, name: str | None = None, **options: Any) -> Any:
        return super().command(name, **{"cls": Command, **options})
