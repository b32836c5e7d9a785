"""Standard UCCA XML as the registry wants every format: text in, a list of graphs out, and back."""

from pathlib import PurePath

from ..graph import Graph
from .xml import write_xml_string
from .xml_reader import XmlReader


def read_xml(text: str | bytes, *, source: str = "text") -> list[Graph]:
    """RETURNS (List[Graph]): The one passage of a file; see `xml.read_xml`.
    RAISES (FormatError): If it cannot be read as UCCA XML."""
    return [XmlReader(source, PurePath(source).stem).read(text)]


def write_xml(graph: Graph) -> str:
    """RETURNS (str): What `xml.write_xml` writes."""
    return write_xml_string(graph).decode("utf8")
