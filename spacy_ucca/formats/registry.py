"""The formats by name: what reads and writes each, its files' suffixes, and what it loses.

A format is one entry of `FORMATS`; its module is imported when it is first used.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal

from ..errors import Errors, FormatError
from ..graph import Graph

PARQUET = "parquet"  # tables of texts, which `parse` reads and writes
Reader = Callable[..., list[Graph]]
# Called with the name and the reason of what cannot be read
OnBad = Callable[[str, Exception], None]
Writer = Callable[..., str]


@dataclass(frozen=True)
class Format:
    """A file format of UCCA graphs.

    name (str): What it is called on the command line. Its module in `formats` is called the same if
        `module` does not say otherwise, and has `read_<name>(text, *, source, first_line)`, which gives a list of
        graphs or raises a FormatError, and `write_<name>(graph)`, which gives text; "-" is "_" in those names.
    title (str): What it is, in one line.
    suffixes (Tuple[str, ...]): Of its files; the first is what new files get. Where formats share a
        suffix, the content says which it is.
    loses (Tuple[str, ...]): What it loses of a graph: names of `roundtrip.KINDS`.
    items ("file", "line" or "block"): How graphs stand in a file: one in a file, one in each line, or
        divided by blank lines.
    starts (Optional[str]): A regular expression of the first line of a graph, where no blank lines divide graphs.
    looks (Optional[str]): A regular expression found near the beginning of its files and not in others.
    reads, writes (bool): Whether there is a reader, a writer.
    makes_text (bool): Whether a graph without a text is written with one: its words joined by spaces.
    binary (bool): Whether the reader takes the bytes of a file, since they say their encoding.
    has_names (bool): Whether a file begins with a line of names of columns.
    takes_docs (bool): Whether the writer takes the Docs of a graph too, if there are some.
    module (str): The module, if it is not called as the format: one of this folder, or, with a dot, of another.
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    loses: tuple[str, ...] = ()
    items: Literal["file", "line", "block"] = "block"
    starts: str | None = None
    looks: str | None = None
    reads: bool = True
    writes: bool = True
    module: str = ""
    makes_text: bool = False
    binary: bool = False
    has_names: bool = False
    takes_docs: bool = False

    def read(self, text: str | bytes, *, source: str = "text", first_line: int = 1) -> list[Graph]:
        """Read graphs.

        text (Union[str, bytes]): The text of a file; its bytes, if the format is `binary`.
        source (str): What to call it in messages, such as the name of the file.
        first_line (int): The number of its first line, for messages, if it is a part of a file. Readers of formats with one
            graph in a file do not take it.
        RETURNS (List[Graph]): The graphs.
        RAISES (FormatError): If it is not of this format, or the format is only written.
        """
        if not self.reads:
            raise FormatError(Errors.UC701.format(name=self.name, done="written", undone="read"))
        reader: Reader = self._function("read")
        if self.binary or self.items == "file":
            return reader(text, source=source)
        return reader(text, source=source, first_line=first_line)

    def write(self, graph: Graph, docs: Sequence[Any] = ()) -> str:
        """Write a graph.

        graph (Graph): The graph.
        docs (Sequence[Doc]): The Docs that it is of, one after the other, for formats of what their tags say too.
        RETURNS (str): Its text, which ends with a line end; nothing, where a format has a line for each Scene and there is none.
        RAISES (FormatError): If it cannot be written so, or the format is only read.
        """
        if not self.writes:
            raise FormatError(Errors.UC701.format(name=self.name, done="read", undone="written"))
        writer: Writer = self._function("write")
        text = writer(graph, docs) if self.takes_docs else writer(graph)
        is_whole = text.endswith("\n") or (not text and self.items == "line")
        return text if is_whole else text + "\n"

    @property
    def separator(self) -> str:
        """RETURNS (str): What stands between two graphs in a file."""
        return "\n" if self.items == "block" else ""

    def following(self, text: str) -> str:
        """RETURNS (str): The text of a graph as it stands after that of another in a file: names of columns stand once."""
        return text.partition("\n")[2] if self.has_names else self.separator + text

    def _function(self, verb: str) -> Callable:
        name = self.name.replace("-", "_")
        inside = f"{__package__}.{self.module or name}"
        module = import_module(self.module if "." in self.module else inside)
        return getattr(module, f"{verb}_{name}")


# Arcs between tokens have no place for units.
_BILEXICAL = (
    *("units", "punctuation units", "implicit units", "linkage units", "roots", "attachments"),
    *("remote edges", "remote marks", "categories", "places of words", "added units"),
    *("paragraphs", "scores", "details"),
)
_IN_SCENES = ("units", "punctuation units", "linkage units", "categories", "paragraphs", "details")
# fmt: off
_ALL = (
    Format("xml", "standard UCCA XML", (".xml",), loses=("roots", "scores", "details"), items="file", looks=r"<(\?xml|root)\b", module="as_text", binary=True),
    Format("jsonl", "JSON lines of this package, with scores and all details", (".jsonl",), items="line", looks=r'^\{.*"words": *\[.*"units": *\[', module="records"),
    Format("brackets", "the bracket notation of this package", (".txt",), loses=("scores", "details"), looks=r"^\["),
    Format("uccaapp", "JSON of the UCCAApp annotation tool", (".json",), loses=("linkage units", "paragraphs", "punctuation units", "added units", "places of words", "roots", "categories", "scores", "details"), items="file", looks=r'"annotation_units"', makes_text=True),
    Format("mrp", "JSON lines of the MRP shared tasks 2019 and 2020", (".mrp", ".jsonl"), loses=("linkage units", "paragraphs", "punctuation marks", "units", "categories", "scores", "details"), items="line", looks=r'^\{.*("framework": *"ucca"|"nodes": *\[)', makes_text=True),
    Format("sdp", "SDP 2015: bilexical graphs of SemEval 2015 Task 18", (".sdp",), loses=_BILEXICAL, looks=r"^\d+\t.*\t[+-]\t[+-]\t"),
    Format("conll", "CoNLL-X: bilexical graphs, a row for each head", (".conll", ".conllx"), loses=_BILEXICAL),
    Format("conllu", "CoNLL-U: bilexical graphs in column 9", (".conllu",), loses=_BILEXICAL, looks=r"^\d+\t([^\t\n]+\t){8}[^\t\n]+$", module="conll", makes_text=True),
    Format("export", "NeGra export", (".export",), loses=("paragraphs", "scores", "details"), starts=r"#BOS\s", looks=r"^#BOS\s"),
    Format("penn", "brackets of the Penn Treebank: constituency trees", (".mrg", ".ptb"), loses=("units", "implicit units", "linkage units", "remote edges", "roots", "categories", "punctuation marks", "paragraphs", "scores", "ids", "details"), items="line", looks=r"^\((TOP[\s)]|\s*([A-Z][A-Z0-9$=|-]*\s*)?\([A-Z][A-Z0-9$=|-]*\s+(\(|[^\s()]+\)))"),
    Format("penman", "PENMAN, the notation of AMR", (".penman", ".amr"), loses=("roots", "paragraphs", "scores", "details"), looks=r"^# ::(id|tok|snt)\b"),
    Format("amr", "PENMAN with words as concepts, for tools of AMR", (".amr",), loses=("paragraphs", "scores", "details"), reads=False, makes_text=True),
    Format("scenes", "Scenes as JSON lines, with their places in the text", (".jsonl",), loses=_IN_SCENES, items="line", reads=False),
    Format("csv", "who did what to whom: a row for each predication", (".csv",), loses=_IN_SCENES, items="line", reads=False, has_names=True, takes_docs=True, module="spacy_ucca.extract.csv"),
    Format("dot", "DOT, for pictures by Graphviz", (".dot", ".gv"), loses=("punctuation marks", "paragraphs", "scores", "details"), reads=False),
)
# fmt: on
FORMATS: dict[str, Format] = {entry.name: entry for entry in _ALL}
# Files with rooms of their own: Docs, which `convert` without a format writes, and tables, which `parse` does
_BINARY = (
    Format("spacy", "Docs of spaCy", (".spacy",), writes=False, binary=True, module="spacy_ucca.training.corpus"),
    Format(PARQUET, "tables of parsed texts", (".parquet",), writes=False, binary=True, module="spacy_ucca.distributed.graph_table"),
)  # fmt: skip
# All formats that commands read
READABLE: dict[str, Format] = {e.name: e for e in (*_ALL, *_BINARY) if e.reads}


def find_format(name: str) -> Format:
    """RETURNS (Format): The format of that name.
    RAISES (FormatError): If there is none."""
    if name not in FORMATS and name not in READABLE:
        raise FormatError(Errors.UC700.format(name=name, names=", ".join(FORMATS)))
    return FORMATS.get(name) or READABLE[name]
