"""Base class of the components that convert the output of another component to UCCA graphs, without training."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import srsly
from spacy.pipeline.pipe import Pipe
from spacy.tokens import Doc
from spacy.util import from_disk, to_disk

from ..graph import Graph
from ..parser.configurable import Configurable, Setting
from ..parser.loading import loading
from ..parser.settings import check_flags
from ..rules.linkage import add_linkage
from ..rules.repair import repair as repair_graph
from ..tokens.extension import get_punct

Self = TypeVar("Self", bound="GraphMaker")


@dataclass(frozen=True, kw_only=True)
class ConversionSettings:
    """Settings of the components that convert.

    levels, one_unit (bool): Which conversion to use: see `from_bilexical`.
    linkage (bool): Whether to link linkers to the Scenes beside them.
    repair (bool): Whether to repair graphs that break the rules of UCCA.
    clear (bool): Whether to remove dependencies from the Doc afterwards; its sentences stay.
    RAISES (ValueError): If one is neither true nor false.
    """

    levels: bool = True
    one_unit: bool = False
    linkage: bool = False
    repair: bool = True
    clear: bool = False

    def __post_init__(self) -> None:
        check_flags(self, "levels", "one_unit", "linkage", "repair", "clear")


class GraphMaker(Configurable[ConversionSettings], Pipe):
    """Base class: sets `doc._.ucca`, one root per sentence, to what `make_graph` gives. The fields of the settings are also
    attributes, such as `component.repair`, and may be set.

    name (str): The component instance name.
    scorer (Optional[Callable]): The scoring method.
    **settings: The fields of `ConversionSettings`.
    """

    levels = Setting[bool]()
    one_unit = Setting[bool]()
    linkage = Setting[bool]()
    repair = Setting[bool]()

    def __init__(self, name: str, *, scorer: Callable | None = None, **settings: Any) -> None:
        self.name = name
        self.scorer = scorer
        self._set_settings(ConversionSettings(**settings))

    def __call__(self, doc: Doc) -> Doc:
        """Set the graph of a Doc.

        doc (Doc): The Doc, with the annotation that the graph is made of.
        RETURNS (Doc): The same Doc.
        RAISES (UccaError): If that is missing, or not of UCCA.
        """
        graph = self.make_graph(doc)
        if self.repair:
            graph = repair_graph(graph, get_punct(doc))
        doc._.ucca = add_linkage(graph) if self.linkage else graph
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
        saved = self._saved_settings(path, exclude)
        to_disk(path, {"cfg": lambda p: srsly.write_json(p, saved)}, exclude)

    def from_disk(self: Self, path: str | Path, *, exclude: Iterable[str] = ()) -> Self:
        """Load the settings. Older versions have saved none.

        path (Union[str, Path]): The directory.
        exclude (Iterable[str]): What the pipeline saves itself.
        RETURNS (GraphMaker): The component.
        RAISES (ValueError): If they are damaged.
        """

        def read(file: Path) -> None:
            if file.exists():
                self._restore_settings(srsly.read_json(file), path, exclude)

        with loading(self.name, path):
            from_disk(path, {"cfg": read}, exclude)
        return self
