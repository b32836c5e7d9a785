"""Components with settings: checked when they are set, saved with the component, and kept in the configuration."""

import json
import weakref
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, fields, replace
from difflib import get_close_matches
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from thinc.api import Config

from ..errors import Errors, OldFileError, SettingError

if TYPE_CHECKING:
    from spacy.language import Language

S = TypeVar("S")
F = TypeVar("F", bound=Callable)
C = TypeVar("C", bound="Configurable")

# Keys of what is saved: text, as spaCy's JSON library does not read 0.3 exactly
SETTINGS, CONFIGURED = "settings", "configured"

# Settings that are null in configs of 0.2, and keys that these still have, without a value
NULLABLE = ("remote_threshold", "implicit_threshold")
OLD_KEYS = {"extras_threshold": None, "beam_votes": False}


def with_settings(settings: type, **others: Any) -> Callable[[F], F]:
    """Let a factory take the fields of settings as arguments. They are declared once: spaCy checks a config by its signature.

    settings (type): A dataclass.
    **others: Keys of saved configs that are no fields, with their defaults.
    RETURNS (Callable): The decorator of a factory that takes `**settings`.
    """
    types = {field.name: field.type for field in fields(settings)}
    types.update({name: float | None for name in NULLABLE if name in types})
    more = [Parameter(key, Parameter.KEYWORD_ONLY, annotation=types[key]) for key in types]
    more += [Parameter(key, Parameter.KEYWORD_ONLY, default=others[key]) for key in others]

    def decorate(factory: F) -> F:
        own = [p for p in signature(factory).parameters.values() if p.kind != p.VAR_KEYWORD]
        factory.__signature__ = Signature([*own, *more])  # type: ignore[attr-defined]
        return factory

    return decorate


def make_settings(settings: type[S], values: Mapping[str, Any], component: str) -> S:
    """Make the settings that a config says.

    settings (type): A dataclass.
    values (Mapping[str, Any]): Its fields, and keys of `OLD_KEYS`, which have to be empty.
    component (str): The name of the component.
    RETURNS (S): The settings.
    RAISES (ValueError): If an old key has a value, or a setting is out of range.
    """
    if any(values.get(key) for key in OLD_KEYS):
        raise OldFileError(Errors.UC327.format(name=component))
    given = {key: value for key, value in values.items() if key not in OLD_KEYS}
    return settings(**{key: value for key, value in given.items() if value is not None})


def _attribute_of(name: str) -> property:
    """RETURNS (property): The attribute of a component that reads and replaces a field of its `settings`."""

    def get_value(component: Any) -> Any:
        return getattr(component.settings, name)

    def set_value(component: Any, value: Any) -> None:
        # A threshold may come from an array: JSON has no NumPy numbers.
        plain = value.item() if type(value).__module__ == "numpy" else value
        component.settings = replace(component.settings, **{name: plain})

    return property(get_value, set_value)


class Owner:
    """The pipeline that a component was made for, if it still exists. A copy or pickle has none.

    nlp (Optional[Language]): The pipeline.
    """

    def __init__(self, nlp: "Language | None" = None) -> None:
        self._nlp = None if nlp is None else weakref.ref(nlp)

    def __reduce__(self) -> tuple[type, tuple]:
        return Owner, ()

    def __deepcopy__(self, memo: dict[int, Any]) -> "Owner":
        return Owner(memo.get(id(self._nlp())) if self._nlp is not None else None)

    def configs_of(self, component: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """RETURNS (Tuple[Dict, Dict]): The configuration of a component in the pipeline, which may be changed, and the one that
        `Language.from_disk` has just read, with its overrides. Empty if the pipeline does not have the component."""
        nlp = None if self._nlp is None else self._nlp()
        for name, pipe in () if nlp is None else nlp.components:
            if pipe is component:
                own = nlp.get_pipe_config(name)  # type: ignore[union-attr]
                read = nlp._config.get("components", {})  # type: ignore[union-attr]
                return own, read.get(name, own)
        return {}, {}


class Configurable(Generic[S]):
    """Mixin of components. `settings` is a dataclass that checks its values, named by the argument `settings` of the class; each
    field is an attribute, too. A new attribute whose name is close to that of a setting is refused: it is misspelt.

    settings (S): The settings. May be set.
    """

    name: str
    _settings: S
    _settings_type: type
    _owner = Owner()

    def __init_subclass__(cls, settings: type | None = None, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if settings is None:  # those of the base class
            return
        cls._settings_type = settings
        for field in fields(settings):
            setattr(cls, field.name, _attribute_of(field.name))

    @property
    def settings(self) -> S:
        """RETURNS (S): The settings; may be set.
        RAISES (ValueError): If the component cannot have them."""
        return self._settings

    @settings.setter
    def settings(self, settings: S) -> None:
        if not isinstance(settings, type(self._settings)):
            expected, found = type(self._settings).__name__, type(settings).__name__
            raise SettingError(Errors.UC351.format(name=self.name, expected=expected, found=found))
        old = asdict(self._settings)  # type: ignore[call-overload]
        self._change_settings(settings)
        self._update_config(old)

    def _update_config(self, old: Mapping[str, Any]) -> None:
        """Write settings that have changed into the configuration of the pipeline."""
        config, _ = self._owner.configs_of(self)
        new = asdict(self._settings)  # type: ignore[call-overload]
        config.update({key: value for key, value in new.items() if value != old[key]})

    def _change_settings(self, settings: S) -> None:
        """Check settings that a user gives, and set them."""
        self._set_settings(settings)

    def _set_settings(self, settings: S) -> None:
        self._settings = settings

    def _check_settings(self, settings: S) -> S:
        """RETURNS (S): The settings, with what is left to the component filled in."""
        return settings

    def __setattr__(self, name: str, value: Any) -> None:
        is_new = not (name.startswith("_") or hasattr(type(self), name) or name in self.__dict__)
        if is_new and "_settings" in self.__dict__:
            known = [field.name for field in fields(self._settings)]  # type: ignore[arg-type]
            for close in get_close_matches(name, known, n=1):
                raise SettingError(
                    Errors.UC350.format(
                        name=self.name, attribute=name, close=close, known=", ".join(known)
                    )
                )
        super().__setattr__(name, value)

    if TYPE_CHECKING:  # the fields of the settings

        def __getattr__(self, name: str) -> Any: ...

    # Saving and loading

    def _saved_settings(self, path: str | Path | None, exclude: Iterable[str]) -> dict[str, Any]:
        """Make what is saved of the settings.

        path (Optional[Union[str, Path]]): The directory of the component; None for bytes.
        exclude (Iterable[str]): Fields that are left out. Pipelines leave out the vocabulary, which they save themselves.
        RETURNS (Dict): The settings, and what the configuration of the pipeline says of them.
        """
        values = asdict(self._settings)  # type: ignore[call-overload]
        before: dict[str, Any] = {}
        if path is not None and "vocab" in exclude:
            default = {field.name: field.default for field in fields(self._settings)}  # type: ignore[arg-type]
            defaults = asdict(self._check_settings(replace(self._settings, **default)))  # type: ignore[call-overload,type-var]
            before = _configured(Path(path), values, defaults)
        return {SETTINGS: json.dumps(values), CONFIGURED: json.dumps(before)}

    def _restore_settings(
        self, saved: Mapping[str, Any], path: str | Path | None, exclude: Iterable[str]
    ) -> None:
        """Take settings over that were saved. Where the configuration of the pipeline says something else than it did when the
        pipeline was saved, somebody has changed it since, or has overridden it: it holds.

        saved (Mapping[str, Any]): What `_saved_settings` gave.
        path (Optional[Union[str, Path]]): The directory of the component; None for bytes.
        exclude (Iterable[str]): Fields that are left out.
        RAISES (ValueError): If this is damaged.
        """
        values, before = (json.loads(saved[key]) for key in (SETTINGS, CONFIGURED))
        if not isinstance(values, dict) or not isinstance(before, dict):
            raise ValueError("`cfg` has settings that are no table")
        config: dict[str, Any] = {}
        if path is not None and "vocab" in exclude:
            _, config = self._owner.configs_of(self)
        old = asdict(self._settings)  # type: ignore[call-overload]
        new = {}
        for key in old.keys() & values.keys():
            said = config.get(key, before.get(key))
            if is_variable(config.get(key)):  # the component was made with its value
                continue
            if key not in before or said == before[key]:
                new[key] = values[key]
            elif said is not None:
                new[key] = said
        self._set_settings(replace(self._settings, **new))  # type: ignore[type-var]
        self._update_config(old)


def owned(component: C, nlp: "Language") -> C:
    """RETURNS (Configurable): A new component, whose settings `nlp.config` will have."""
    component._owner = Owner(nlp)
    return component


def _configured(
    path: Path, values: Mapping[str, Any], defaults: Mapping[str, Any]
) -> dict[str, Any]:
    """Find what the saved configuration of a pipeline, if there is one, says of the settings of a component. What is outdated
    there is corrected: only the pipeline that a component was made for is told of changes, not one that sourced it.

    path (Path): The directory of the component.
    values (Mapping[str, Any]): Its settings.
    defaults (Mapping[str, Any]): The settings that None in a configuration stands for.
    RETURNS (Dict): The settings that the configuration has.
    """
    file = path.parent / "config.cfg"
    try:
        config = Config().from_disk(file, interpolate=False)
        own = config["components"][path.name]
    except (OSError, KeyError, ValueError):
        return {}
    outdated = {}
    for name, value in values.items():
        said = own.get(name, value)
        meant = defaults[name] if said is None else said
        if meant != value and not is_variable(said):
            outdated[name] = value
    if outdated:
        own.update(outdated)
        config.to_disk(file, interpolate=False)
    return {name: own[name] for name in values if name in own}


def is_variable(value: Any) -> bool:
    """RETURNS (bool): Whether a value of a configuration names a variable."""
    return isinstance(value, str) and "${" in value
