"""Base class of the trainable components: updates, checks of examples, warnings about missing annotation, saving and loading.
Damage of saved labels and weights is named, not parsed with.
"""

import math
import warnings
import zlib
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy
import srsly
from spacy.errors import Errors as SpacyErrors
from spacy.pipeline import TrainablePipe
from spacy.tokens import Doc
from spacy.training import Example, validate_examples
from spacy.util import minibatch, raise_error
from spacy.vocab import Vocab
from thinc.api import Model, Optimizer

from ..errors import Errors, UccaError, VersionError, Warnings
from ..layers.numpy_products import undisturbed
from .settings import Configurable

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


Self = TypeVar("Self", bound="TrainableParser")
S = TypeVar("S")

# Annotation that parsers read, what it is called, and where it comes from
ANNOTATION = {
    "SENT_START": ("sentence boundaries", "a `parser`, `senter` or `sentencizer`"),
    "TAG": ("tags", "a `tagger`"),
    "DEP": ("dependencies", "a `parser`"),
}


class TrainableParser(Configurable[S], TrainablePipe, Generic[S]):
    """Base class of trainable components. Subclasses implement the methods that raise NotImplementedError.

    vocab (Vocab): The shared vocabulary.
    model (Model): The model.
    name (Optional[str]): The component instance name; None is that of the factory.
    scorer (Optional[Callable]): The scoring method.
    settings (Optional[S]): The settings. Each field is an attribute, too, and may be set.
    """

    default_name: str
    cfg: dict[str, Any]
    _is_checked = True  # whether the weights are known to be finite
    _warned: set[str]  # attributes whose absence has been warned about

    def __init__(
        self,
        vocab: Vocab,
        model: Model[list[Doc], Any],
        name: str | None = None,
        *,
        scorer: Callable | None = None,
        settings: S | None = None,
    ) -> None:
        self.vocab = vocab
        self.model = model
        self.name = self.default_name if name is None else name
        self.scorer = scorer
        self.cfg = {}
        self._warned = set()
        self._set_settings(self._settings_type() if settings is None else settings)

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """Parse a stream of Docs. If a batch fails and there is an error handler that goes on, its Docs are parsed one by one,
        so that only those are lost that fail by themselves.

        stream (Iterable[Doc]): The Docs.
        batch_size (int): The number of Docs to parse together.
        YIELDS (Doc): The parsed Docs, in order.
        """
        error_handler = self.get_error_handler()
        for batch in minibatch(stream, batch_size):
            docs = list(batch)
            try:
                self.set_annotations(docs, self.predict(docs))
            except Exception as err:
                if error_handler is raise_error or len(docs) == 1:
                    error_handler(self.name, self, docs, err)
                    continue
                docs = list(self._parse_singly(docs, error_handler))
            yield from docs

    def _parse_singly(self, docs: Iterable[Doc], error_handler: Callable) -> Iterator[Doc]:
        for doc in docs:
            try:
                self.set_annotations([doc], self.predict([doc]))
            except Exception as err:
                error_handler(self.name, self, [doc], err)
            else:
                yield doc

    @undisturbed()
    def update(
        self,
        examples: Iterable[Example],
        *,
        drop: float = 0.0,
        sgd: Optimizer | None = None,
        losses: dict[str, float] | None = None,
    ) -> dict[str, float]:
        """Update the model on a batch.

        examples (Iterable[Example]): The batch; references without a graph are skipped.
        drop (float): The dropout rate.
        sgd (Optional[Optimizer]): The optimizer; without it, gradients accumulate.
        losses (Optional[Dict[str, float]]): Losses by component name, added to.
        RETURNS (Dict[str, float]): The losses.
        """
        losses = {} if losses is None else losses
        losses.setdefault(self.name, 0.0)
        examples = list(examples)
        validate_examples(examples, f"{type(self).__name__}.update")
        self._require_initialized()
        try:
            loss = self._learn(examples, drop)
        except Exception:
            self._check_weights(changed=True)  # a better reason, if it is one
            raise
        if loss is None:
            return losses
        if not math.isfinite(loss):
            self._check_weights(changed=True)
            raise UccaError(Errors.UC342.format(name=self.name, what="its losses are"))
        losses[self.name] += loss
        if sgd is not None:
            self.finish_update(sgd)
        return losses

    def finish_update(self, sgd: Optimizer) -> None:
        """Update the weights by the gradients that have been added up.

        sgd (Optimizer): The optimizer.
        """
        super().finish_update(sgd)
        self._is_checked = False

    def rehearse(self, examples: Iterable[Example], **kwargs: Any) -> dict[str, float]:
        """Not supported: train on old and new graphs together instead.
        RAISES (NotImplementedError): Always."""
        raise NotImplementedError(Errors.UC313.format(name=self.name))

    # Serialization: labels are in `cfg`, weights in the model, settings in the configuration of the pipeline

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """Serialize to a bytestring.

        exclude (Iterable[str]): Fields to leave out: "vocab", "cfg", "model".
        RETURNS (bytes): The component.
        """
        self.cfg[CHECKSUMS] = checksums(self.cfg, self.model)
        return super().to_bytes(exclude=exclude)

    def from_bytes(self: Self, bytes_data: bytes, *, exclude: Iterable[str] = ()) -> Self:
        """Load from a bytestring.

        bytes_data (bytes): The result of `to_bytes`.
        exclude (Iterable[str]): Fields to leave out: "vocab", "cfg", "model".
        RETURNS (TrainableParser): The component.
        RAISES (ValueError): If labels or weights are damaged, or do not fit each other.
        """
        with self._reading(None, exclude):
            super().from_bytes(bytes_data, exclude=exclude)
        return self

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Serialize to a directory.

        path (Union[str, Path]): The directory.
        exclude (Iterable[str]): Fields to leave out: "vocab", "cfg", "model".
        """
        self.cfg[CHECKSUMS] = checksums(self.cfg, self.model)
        super().to_disk(path, exclude=exclude)

    def from_disk(self: Self, path: str | Path, *, exclude: Iterable[str] = ()) -> Self:
        """Load from a directory.

        path (Union[str, Path]): The directory.
        exclude (Iterable[str]): Fields to leave out: "vocab", "cfg", "model".
        RETURNS (TrainableParser): The component.
        RAISES (ValueError): If labels or weights are damaged, or do not fit each other.
        """
        with self._reading(path, exclude):
            super().from_disk(path, exclude=exclude)
        return self

    @contextmanager
    def _parsing(self) -> Iterator[None]:
        """The context that a batch is parsed in.
        RAISES (UccaError): If scores are not finite."""
        try:
            with undisturbed():
                yield
        except FloatingPointError:
            raise UccaError(Errors.UC343.format(name=self.name)) from None

    @contextmanager
    def _reading(self, path: str | Path | None, exclude: Iterable[str]) -> Iterator[None]:
        """Replace `cfg` by what is read in this context.
        RAISES (ValueError): If what was loaded is damaged, or of spacy-ucca 0.1."""
        if "cfg" not in exclude:
            self.cfg.clear()
        try:
            with loading(self.name, path):
                yield
                self._check_labels_and_sizes(exclude)
        except ValueError:
            has_labels = any(isinstance(value, list) for value in self.cfg.values())
            if has_labels and CHECKSUMS not in self.cfg:
                raise VersionError(Errors.UC327.format(name=self.name)) from None
            raise
        self._loaded(exclude)

    def _check_weights(self, *, changed: bool = False) -> None:
        """RAISES (UccaError): If weights that have changed since the last check are not finite."""
        if changed or not self._is_checked:
            check_weights(self.model, self.name, Errors.UC342)
        self._is_checked = True

    def _check_labels_and_sizes(self, exclude: Iterable[str]) -> None:
        """RAISES (ValueError): If what was loaded is damaged, or does not fit together."""
        self._clear_caches()
        has_model = "model" not in exclude and self._is_initialized()
        if "cfg" not in exclude:
            if has_model and not self.cfg:
                raise ValueError("`cfg` has no labels, and the model has weights")
            saved, now = self.cfg[CHECKSUMS], checksums(self.cfg, self.model)
            if now["settings"] != saved["settings"]:
                raise ValueError("`cfg` has changed since it was saved")
            for key in OLD_SETTINGS:
                self.cfg.pop(key, None)
            if "model" not in exclude and now["weights"] != saved["weights"]:
                warnings.warn(Warnings.UW308.format(name=self.name), stacklevel=6)
        if has_model:
            check_sizes(self.model, self._sizes)

    def _loaded(self, exclude: Iterable[str]) -> None:
        """Called when the component has been loaded."""
        if "model" not in exclude:
            check_weights(self.model, self.name, Errors.UC341)

    def _clear_caches(self) -> None:
        """Drop what depends on labels: they have changed."""

    def _require_initialized(self) -> None:
        if not self._is_initialized():  # then it has labels
            raise ValueError(SpacyErrors.E109.format(name=self.name))

    def _warn_of_missing(self, docs: Iterable[Doc], unread: Container[str] = ()) -> None:
        """Warn once about each kind of annotation that some Docs lack, unless the parser has learned without it."""
        for attr, (what, remedy) in ANNOTATION.items():
            if attr in self._warned or attr in unread:
                continue
            for doc in docs:
                if len(doc) > 1 and not doc.has_annotation(attr):
                    self._warned.add(attr)
                    message = Warnings.UW301.format(name=self.name, what=what, remedy=remedy)
                    warnings.warn(message, stacklevel=3)
                    break

    @property
    def labels(self) -> tuple[str, ...]:
        """RETURNS (Tuple[str, ...]): The labels."""
        raise NotImplementedError

    @property
    def _sizes(self) -> Mapping[str, Mapping[str, int]]:
        """RETURNS (Mapping[str, Mapping[str, int]]): By part of the model, the dimensions that the labels need."""
        raise NotImplementedError

    def _is_initialized(self) -> bool:
        """RETURNS (bool): Whether the model has its weights."""
        raise NotImplementedError

    def _learn(self, examples: list[Example], drop: float) -> float | None:
        """RETURNS (Optional[float]): The loss, once gradients are with the model; None, if there is nothing to learn."""
        raise NotImplementedError
