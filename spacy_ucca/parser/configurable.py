"""Components with settings: checked when they are set, saved with the component, and kept in the configuration."""

import json
import weakref
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, fields, replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from thinc.api import Config

from ..errors import Errors, SettingError

if TYPE_CHECKING:
    from spacy.language import Language

__all__ = ["Configurable", "Owner", "Setting", "owned"]

S = TypeVar("S")
T = TypeVar("T")
C = TypeVar("C", bound="Configurable")

# Keys of what is saved: text, as spaCy's JSON library does not read 0.3 exactly
SETTINGS, CONFIGURED = "settings", "configured"


class Setting(Generic[T]):
    """An attribute of a component that reads and replaces a field of its `settings`."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, component: Any, owner: type) -> T:
        return self if component is None else getattr(component.settings, self.name)  # type: ignore[return-value]

    def __set__(self, component: Any, value: T) -> None:
        # A threshold may come from an array: JSON has no NumPy numbers.
        plain = value.item() if type(value).__module__ == "numpy" else value  # type: ignore[attr-defined]
        component.settings = replace(component.settings, **{self.name: plain})


class Owner:
    """The pipeline that a component was made for, if it still exists. A copy or pickle has none.

    nlp (Optional[Language]): The pipeline.
    """

    def __init__(self, nlp: "Language | None" = None) -> None:
        self._nlp = None if nlp is None else weakref.ref(nlp)

    def __reduce__(self) -> tuple[type, tuple]:
        return Owner, ()

    def config_of(self, component: Any) -> dict[str, Any] | None:
        """RETURNS (Optional[Dict]): The configuration of a component in the pipeline, which may be changed; None if the
        pipeline does not have the component."""
        nlp = None if self._nlp is None else self._nlp()
        for name, pipe in () if nlp is None else nlp.components:
            if pipe is component:
                return nlp.get_pipe_config(name)  # type: ignore[union-attr]
        return None


class Configurable(Generic[S]):
    """Mixin of components. `settings` is a dataclass that checks its values; each field is an attribute, too, a `Setting`.
    Once a component has settings, no other public attribute can be added, so that a misspelt setting is refused. Subclasses
    declare attributes of their own in the class body.

    settings (S): The settings. May be set.
    """

    name: str
    error_handler: Callable  # set by `Language.set_error_handler`
    _settings: S
    _owner = Owner()

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
        config = self._owner.config_of(self)
        if config is not None:
            new = asdict(self._settings)  # type: ignore[call-overload]
            config.update({key: value for key, value in new.items() if value != old[key]})

    def _change_settings(self, settings: S) -> None:
        """Check settings that a user gives, and set them."""
        self._set_settings(settings)

    def _set_settings(self, settings: S) -> None:
        self._settings = settings

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name.startswith("_") or hasattr(type(self), name) or self._may_add(name)):
            known = [field.name for field in fields(self._settings)]  # type: ignore[arg-type]
            close = get_close_matches(name, known, n=1)
            hint = f" Did you mean `{close[0]}`?" if close else ""
            message = Errors.UC350.format(
                name=self.name, attribute=name, hint=hint, known=", ".join(known)
            )
            raise SettingError(message)
        super().__setattr__(name, value)

    def _may_add(self, name: str) -> bool:
        """RETURNS (bool): Whether an attribute may be set that the class does not have."""
        if name in self.__dict__ or "_settings" not in self.__dict__:
            return True
        return any(name in vars(c).get("__annotations__", {}) for c in type(self).__mro__)

    # Saving and loading

    def _saved_settings(self, path: str | Path | None, exclude: Iterable[str]) -> dict[str, Any]:
        """Make what is saved of the settings.

        path (Optional[Union[str, Path]]): The directory of the component; None for bytes.
        exclude (Iterable[str]): Fields that are left out. Pipelines leave out the vocabulary, which they save themselves.
        RETURNS (Dict): The settings, and what the configuration of the pipeline says of them.
        """
        values = asdict(self._settings)  # type: ignore[call-overload]
        in_pipeline = path is not None and "vocab" in exclude
        before = _configured(Path(path), values) if in_pipeline else {}  # type: ignore[arg-type]
        return {SETTINGS: json.dumps(values), CONFIGURED: json.dumps(before)}

    def _restore_settings(
        self, saved: Mapping[str, Any], path: str | Path | None, exclude: Iterable[str]
    ) -> None:
        """Take settings over that were saved. Where the configuration that the component was made of says something else than
        that of the saved pipeline, somebody has changed it since, or has overridden it: it holds.

        saved (Mapping[str, Any]): What `_saved_settings` gave. Older versions have saved nothing.
        path (Optional[Union[str, Path]]): The directory of the component; None for bytes.
        exclude (Iterable[str]): Fields that are left out.
        RAISES (ValueError): If this is damaged.
        """
        values, before = (json.loads(saved.get(key, "{}")) for key in (SETTINGS, CONFIGURED))
        if not isinstance(values, dict) or not isinstance(before, dict):
            raise ValueError("`cfg` has settings that are no table")
        config = None
        if path is not None and "vocab" in exclude:
            config = self._owner.config_of(self)
        known = {field.name for field in fields(self._settings)}  # type: ignore[arg-type]
        kept = {
            key: value
            for key, value in values.items()
            if key in known
            and (config is None or key not in before or config.get(key) == before[key])
        }
        self._set_settings(replace(self._settings, **kept))  # type: ignore[type-var]


def owned(component: C, nlp: "Language") -> C:
    """RETURNS (Configurable): A new component, whose settings `nlp.config` will have."""
    component._owner = Owner(nlp)
    return component


def _configured(path: Path, names: Iterable[str]) -> dict[str, Any]:
    """RETURNS (Dict): What the saved configuration of a pipeline, if there is one, says of the settings of a component."""
    try:
        config = Config().from_disk(path.parent / "config.cfg", interpolate=False)
        own = config["components"][path.name]
    except (OSError, KeyError, ValueError):
        return {}
    return {name: own[name] for name in names if name in own}
