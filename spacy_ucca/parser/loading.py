"""Check a component that was loaded: its labels, the sizes of its model, its weights. Damage is named, not parsed with."""

import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy
import srsly
from thinc.api import Model

from ..errors import Errors, UccaError, VersionError

CHECKSUMS = "checksums"  # the key in the `cfg` of a component
OLD_SETTINGS = ("settings", "configured")  # keys of 0.2, whose `config.cfg` says the same
# By key of the settings, keys of which each label is one of `labels`
_PARTS = (
    *("remote_labels", "remote_children", "remote_siblings"),
    *("remote_only", "implicit", "guidelines"),
)


def checksums(settings: Mapping[str, Any], model: Model) -> dict[str, int]:
    """Compute what tells changed settings and weights from those that were saved.

    settings (Mapping[str, Any]): The `cfg` of a component.
    model (Model): Its model. Weights outside of Thinc, such as those of PyTorch, do not count.
    RETURNS (Dict[str, int]): CRC-32 of `settings` and `weights`.
    """
    kept = {key: value for key, value in sorted(settings.items()) if key != CHECKSUMS}
    weights = 0
    for _, name, value in _params(model):
        weights = zlib.crc32(
            numpy.ascontiguousarray(value).tobytes(), zlib.crc32(name.encode(), weights)
        )
    return {"settings": zlib.crc32(srsly.json_dumps(kept).encode()), "weights": weights}


@contextmanager
def loading(name: str, path: str | Path | None = None) -> Iterator[None]:
    """Name the component in whatever a damaged file raises.

    name (str): The name of the component.
    path (Optional[Union[str, Path]]): Its directory.
    RAISES (UccaError): In place of errors of libraries.
    """
    try:
        yield
    except (OSError, ImportError, VersionError):
        raise
    except Exception as err:
        reason = " ".join(str(err).split())[:200].rstrip(".") or type(err).__name__
        where = "" if path is None else f" in {path}"
        raise UccaError(Errors.UC340.format(name=name, where=where, reason=reason)) from err


def check_given_labels(data: Any, name: str) -> None:
    """Check the labels that `initialize` is given: their types, and that none is there twice.

    data (Any): The `label_data` of a component.
    name (str): The name of the component.
    RAISES (UccaError): If they are of the wrong types, or none.
    """
    table = data if isinstance(data, Mapping) else {"labels": data}
    reason = next(_faults(table), "")
    if not reason and not table.get("labels") and not table.get("spans"):
        reason = "there are none"
    if reason:
        raise UccaError(Errors.UC354.format(name=name, reason=reason))


def _faults(table: Mapping[str, Any]) -> Iterator[str]:
    """YIELDS (str): What is wrong with each list of labels."""
    known = table.get("labels")
    for where, value in _label_lists(table):
        if not isinstance(value, list | tuple):
            yield f"'{where}' is no list"
            continue
        bags = value if where == "implicit" else [[item] for item in value]
        if not all(isinstance(bag, list | tuple) for bag in bags):
            yield f"'{where}' has what is no list"
            continue
        items = [item for bag in bags for item in bag]
        if any(not isinstance(item, str) or not item for item in items):
            yield f"'{where}' has what is no label"
        elif len(set(map(tuple, bags))) < len(bags):
            yield f"'{where}' has a label twice"
        elif known and where.split(".")[0] in _PARTS and (new := sorted({*items} - {*known})):
            yield f"'{where}' has what is not among the labels: {', '.join(new)}"


def _label_lists(data: Any) -> Iterator[tuple[str, Any]]:
    for where in ("labels", "spans", "deps", "tags", "rare", *_PARTS):
        value = data.get(where, [])
        if isinstance(value, Mapping) and where == "guidelines":
            yield from ((f"{where}.{name}", own) for name, own in value.items())
        elif where != "guidelines" or value != []:
            yield where, value


def check_sizes(model: Model, expected: Mapping[str, Mapping[str, int]]) -> None:
    """Check that a model fits its labels, and has all its weights.

    model (Model): The model.
    expected (Mapping[str, Mapping[str, int]]): By the name of a part of the model, "" for the whole, its dimensions.
    RAISES (ValueError): If it does not.
    """
    for part, dims in expected.items():
        layer = model.get_ref(part) if part else model
        for dim, size in dims.items():
            found = layer.get_dim(dim)
            if found != size:
                where = f"'{part}' of the model" if part else "the model"
                raise ValueError(
                    f"labels and columns of features need {dim} = {size} in {where}, which has {found}"
                )
    for layer in model.walk():
        for name in layer.param_names:
            if layer.has_param(name) is None:
                raise ValueError(
                    f"the layer {layer.name} has no weights '{name}', as the config needs"
                )


def check_weights(model: Model, name: str, error: str) -> None:
    """Check that all weights are finite.

    model (Model): The model.
    name (str): The name of the component.
    error (str): The message, with places for `name` and `what`.
    RAISES (UccaError): If one is not.
    """
    for layer, param, value in _params(model):
        if value.dtype.kind == "f" and not numpy.isfinite(value).all():
            what = f"weights of its layer {layer} ({param}) are"
            raise UccaError(error.format(name=name, what=what))


def _params(model: Model) -> Iterable[tuple[str, str, numpy.ndarray]]:
    """YIELDS (Tuple[str, str, ndarray]): The layer, the name and the value of each parameter that is set."""
    for layer in model.walk():
        for name in layer.param_names:
            if layer.has_param(name):
                yield layer.name, name, layer.ops.to_numpy(layer.get_param(name))
