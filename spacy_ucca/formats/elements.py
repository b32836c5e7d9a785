"""XML as a tree of small elements that know their line, read safely; and escaping for writing.

Nothing here knows UCCA. Document types, entities and so all references outside the file are
refused: see "XML vulnerabilities" in the documentation of Python's `xml` package.
"""

import re
from typing import NoReturn
from xml.parsers import expat

from ..errors import Errors, FormatError

_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}
_ESCAPES |= {"\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}
_TABLE = str.maketrans(_ESCAPES)
# Everything XML 1.0 (section 2.2) has no place for: control characters and lone surrogates
FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


NO_CHILDREN: list["Element"] = []


class Element:
    """One XML element. Text between elements is not kept: UCCA XML has none.

    tag (str): Its name.
    attrib (Dict[str, str]): Its attributes.
    line (int): The line it starts on, from 1.
    """

    __slots__ = ("attrib", "children", "line", "tag")

    def __init__(self, tag: str, attrib: dict[str, str], line: int) -> None:
        self.tag, self.attrib, self.line = tag, attrib, line
        self.children: list[Element] = NO_CHILDREN

    def plain(self) -> dict:
        """RETURNS (Dict): The element as plain data, for msgpack or JSON."""
        children = [child.plain() for child in self.children]
        return {"tag": self.tag, "attrib": self.attrib, "children": children}


def parse_elements(data: bytes | str, name: str, skip_empty: str = "") -> Element:
    """Read XML safely.

    data (Union[bytes, str]): The XML.
    name (str): The file's name, for messages.
    skip_empty (str): Leave out elements of that name that have no attributes. What is inside them
        counts as inside their parent.
    RETURNS (Element): The outermost element.
    RAISES (FormatError): If it is empty, not well-formed, or declares a document type or entities.
    """
    if not data.strip():
        raise FormatError(Errors.UC115.format(where=name))
    # Text is decoded already, whatever encoding the file declares.
    parser = expat.ParserCreate("utf-8" if isinstance(data, str) else None)
    top: list[Element] = []
    stack: list[Element] = []

    def start(tag: str, attrib: dict[str, str]) -> None:
        if not attrib and tag == skip_empty and stack:
            stack.append(stack[-1])
            return
        element = Element(tag, attrib, parser.CurrentLineNumber)
        if not stack:
            top.append(element)
        elif stack[-1].children:
            stack[-1].children.append(element)
        else:  # most elements have none, so lists are made when needed
            stack[-1].children = [element]
        stack.append(element)

    def end(tag: str) -> None:
        stack.pop()

    def refuse(*_: object) -> NoReturn:
        raise FormatError(Errors.UC102.format(where=f"{name}, line {parser.CurrentLineNumber}"))

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    parser.ExternalEntityRefHandler = refuse
    try:
        parser.Parse(data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data, True)
    except (expat.ExpatError, LookupError, ValueError) as err:
        if isinstance(err, FormatError):
            raise
        where, reason = f"{name}, line {parser.CurrentLineNumber}", str(err)
        if isinstance(err, expat.ExpatError):
            reason = expat.ErrorString(err.code) or reason
        raise FormatError(Errors.UC101.format(where=where, reason=reason)) from None
    return top[0]


def escape(value: str) -> str:
    """RETURNS (str): The value as it stands between double quotes in XML. What XML cannot hold is
    replaced by U+FFFD."""
    return FORBIDDEN.sub("\ufffd", value).translate(_TABLE)
