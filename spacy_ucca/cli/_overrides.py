"""Settings of a configuration that options replace, as in `spacy train`: --training.dropout 0.2."""

import inspect
from collections.abc import Iterator
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import typer

from ..errors import Errors, UccaError

if TYPE_CHECKING:
    from thinc.api import Config

# What spaCy reads of a component that has a `source`; it ignores everything else there.
OF_SOURCED = ("component", "replace_listeners")


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
