"""The bridge to and from passages of the official `ucca` package, which is loaded only when asked.

It goes through the elements of standard UCCA XML, which both sides know to read and write whole.
"""

from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from ..errors import Errors
from ..graph import Graph
from .xml import read_xml_string, write_xml_string

if TYPE_CHECKING:
    from ucca.core import Passage


def from_passage(passage: "Passage") -> Graph:
    """Read a passage of the `ucca` package.

    passage (ucca.core.Passage): The passage.
    RETURNS (Graph): The same passage: its ids, attributes and extra are in the details.
    RAISES (FormatError): If it is no graph that standard UCCA XML can hold.
    """
    element = _convert().to_standard(passage)
    return read_xml_string(ElementTree.tostring(element), name=f"passage {passage.ID}")


def to_passage(graph: Graph) -> "Passage":
    """Make a passage of the `ucca` package; the inverse of `from_passage`.

    graph (Graph): The graph. If it has several roots, their children go under one, as `write_xml` does.
    RETURNS (ucca.core.Passage): The passage.
    RAISES (ImportError): If the `ucca` package is not installed.
    """
    return _convert().from_standard(ElementTree.fromstring(write_xml_string(graph)))


def _convert() -> Any:
    try:
        from ucca import convert
    except ImportError as err:
        raise ImportError(Errors.UC120) from err
    return convert
