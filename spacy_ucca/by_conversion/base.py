"""Base class of the components that convert the output of another component to UCCA graphs, without training."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import srsly
from spacy.pipeline.pipe import Pipe
from spacy.tokens import Doc

from ..errors import Errors, OldFileError
from ..graph import Graph
from ..parser.configurable import Configurable
from ..parser.loading import loading
from ..parser.settings import ConversionSettings
from ..rules.linkage import add_linkage
from ..rules.repair import repair as repair_graph
from ..tokens.extension import get_punct

Self = TypeVar("Self", bound="GraphMaker")


class GraphMaker(Configurable[ConversionSettings], Pipe, settings=ConversionSettings):
    """Base class: sets `doc._.ucca`, one root per sentence, to what `make_graph` gives. The fields of the settings are also
    attributes, such as `component.repair`, and may be set.

    name (Optional[str]): The component instance name; None is that of the factory.
    scorer (Optional[Callable]): The scoring method.
    **settings: The fields of its settings.
    """

    default_name: str

    def __init__(
        self, name: str | None = None, *, scorer: Callable | None = None, **settings: Any
    ) -> None:
        self.name = self.default_name if name is None else name
        self.scorer = scorer
        self._set_settings(self._settings_type(**settings))

    def __call__(self, doc: Doc) -> Doc:
        """Set the graph of a Doc.

        doc (Doc): The Doc, with the annotation that the graph is made of.
        RETURNS (Doc): The same Doc.
        RAISES (UccaError): If that is missing, or not of UCCA.
        """
        graph = self.make_graph(doc)
        if self.settings.repair:
            graph = repair_graph(graph, get_punct(doc))
        doc._.ucca = add_linkage(graph) if self.settings.linkage else graph
        return doc

    def make_graph(self, doc: Doc) -> Graph:
        """RETURNS (Graph): The graph that the annotation of a Doc stands for."""
        raise NotImplementedError

    # Serialization

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """RETURNS (bytes): The settings."""
        return srsly.json_dumps(self._saved_settings(None, exclude)).encode()

    def from_bytes(self: Self, bytes_data: bytes, *, exclude: Iterable[str] = ()) -> Self:
        """Load the settings from a bytestring.

        bytes_data (bytes): The result of `to_bytes`.
        exclude (Iterable[str]): What the pipeline saves itself.
        RETURNS (GraphMaker): The component.
        RAISES (ValueError): If they are damaged.
        """
        with loading(self.name):
            self._restore_settings(srsly.json_loads(bytes_data), None, exclude)
        return self

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Save the settings.

        path (Union[str, Path]): The directory.
        exclude (Iterable[str]): What the pipeline saves itself.
        """
        Path(path).mkdir(parents=True, exist_ok=True)
        srsly.write_json(Path(path) / "cfg", self._saved_settings(path, exclude))

    def from_disk(self: Self, path: str | Path, *, exclude: Iterable[str] = ()) -> Self:
        """Load the settings.

        path (Union[str, Path]): The directory.
        exclude (Iterable[str]): What the pipeline saves itself.
        RETURNS (GraphMaker): The component.
        RAISES (ValueError): If they are damaged.
        """
        file = Path(path) / "cfg"
        if not file.exists():
            raise OldFileError(Errors.UC327.format(name=self.name))
        with loading(self.name, path):
            self._restore_settings(srsly.read_json(file), path, exclude)
        return self
