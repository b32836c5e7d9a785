"""The component `ucca_encoder`: spaCy's `tok2vec`, saved in files that hosts of code accept."""

import itertools
from collections.abc import Iterable
from pathlib import Path

from spacy.pipeline import Tok2Vec

from ..errors import Errors, UccaError

MAX_FILE = 48 * 10**6  # bytes: several hosts take no file of 50 MB


class UccaEncoder(Tok2Vec):
    """A `tok2vec` whose model is saved as files of less than 50 MB: "model", "model.1" and so on."""

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Save the component; see `spacy.pipeline.TrainablePipe`."""
        super().to_disk(path, exclude=(*exclude, "model"))
        if "model" not in exclude:
            data = self.model.to_bytes()
            for old in _files(Path(path)):
                old.unlink()
            for i, start in enumerate(range(0, len(data), MAX_FILE)):
                _file(Path(path), i).write_bytes(data[start : start + MAX_FILE])

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> "UccaEncoder":
        """Load the component; see `spacy.pipeline.TrainablePipe`.

        RAISES (UccaError): If a file is damaged, or not there.
        """
        super().from_disk(path, exclude=(*exclude, "model"))
        if "model" not in exclude:
            files = _files(Path(path)) or [_file(Path(path), 0)]
            try:
                self.model.from_bytes(b"".join(file.read_bytes() for file in files))
            except (ValueError, KeyError, TypeError) as err:
                reason = f"{files[-1].name} is damaged, or the file after it is not there"
                where = f" in {path}"
                message = Errors.UC340.format(name=self.name, where=where, reason=reason)
                raise UccaError(message) from err
        return self


def _file(path: Path, i: int) -> Path:
    return path / (f"model.{i}" if i else "model")


def _files(path: Path) -> list[Path]:
    names = (_file(path, i) for i in itertools.count())
    return list(itertools.takewhile(Path.exists, names))
