"""Base class of the trainable components: updates, checks of examples, warnings about missing annotation."""

import warnings
from collections.abc import Iterable
from typing import Any

from spacy.errors import Errors as SpacyErrors
from spacy.pipeline import TrainablePipe
from spacy.tokens import Doc
from spacy.training import Example, validate_examples
from thinc.api import Optimizer

from ..errors import Errors, Warnings
from .collector import collector_paused

__all__ = ["TrainableParser"]

# Annotation that parsers read, what it is called, and where it comes from
ANNOTATION = {
    "SENT_START": ("sentence boundaries", "a `parser`, `senter` or `sentencizer`"),
    "TAG": ("tags", "a `tagger`"),
    "DEP": ("dependencies", "a `parser`"),
}


class TrainableParser(TrainablePipe):
    """Base class of trainable components. Subclasses implement the methods that raise NotImplementedError."""

    _warned: set[str]  # attributes whose absence has been warned about

    @collector_paused()
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
        loss = self._learn(examples, drop)
        if loss is None:
            return losses
        losses[self.name] += loss
        if sgd is not None:
            self.finish_update(sgd)
        return losses

    def rehearse(self, examples: Iterable[Example], **kwargs: Any) -> dict[str, float]:
        """Not supported: train on old and new graphs together instead.
        RAISES (NotImplementedError): Always."""
        raise NotImplementedError(Errors.UC313.format(name=self.name))

    def _require_initialized(self) -> None:
        if not self.labels or not self._is_initialized():
            raise ValueError(SpacyErrors.E109.format(name=self.name))

    def _warn_of_missing(self, docs: Iterable[Doc]) -> None:
        """Warn once about each kind of annotation that some Docs lack."""
        for attr, (what, remedy) in ANNOTATION.items():
            if attr in self._warned:
                continue
            if any(len(doc) > 1 and not doc.has_annotation(attr) for doc in docs):
                self._warned.add(attr)
                message = Warnings.UW301.format(name=self.name, what=what, remedy=remedy)
                warnings.warn(message, stacklevel=3)

    @property
    def labels(self) -> tuple[str, ...]:
        """RETURNS (Tuple[str, ...]): The labels."""
        raise NotImplementedError

    def _is_initialized(self) -> bool:
        """RETURNS (bool): Whether the model has its weights."""
        raise NotImplementedError

    def _learn(self, examples: list[Example], drop: float) -> float | None:
        """RETURNS (Optional[float]): The loss, once gradients are with the model; None, if there is nothing to learn."""
        raise NotImplementedError
