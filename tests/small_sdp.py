"""Files in the shape of those of SemEval 2014 Task 8, from treebanks with enhanced dependencies, so that the project for the
licensed data runs without it.

    python tests/small_sdp.py DIRECTORY TREEBANK.conllu ...

The labels are invented. As in the task, tokens such as punctuation are singletons, no token of PAS has two outgoing edges with
one label, graphs of PCEDT can have several tops, and an id says which section a sentence is from. Of five sentences, one is
of section 20 and one of section 21.
"""

import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from spacy_ucca.conversion.graph import ROOT, TOP, Arc, BilexicalGraph
from spacy_ucca.formats.sdp import format_sdp
from spacy_ucca.sdp_parser.enhanced import iter_enhanced

# Relations whose arcs each formalism lacks: their dependents are singletons
LEFT_OUT = {
    "dm": {"punct", "det", "aux", "case", "mark", "cop"},
    "pas": {"punct", "det"},
    "pcedt": {"punct", "det", "aux", "case"},
}
ARGUMENTS = {"nsubj": "ARG1", "obj": "ARG2", "iobj": "ARG3"}


def write_sdp(directory: Path, treebanks: Iterable[Path], *, year: int = 2014) -> None:
    """Write dm.sdp, pas.sdp and pcedt.sdp.

    directory (Path): Where to.
    treebanks (Iterable[Path]): Files of CoNLL-U.
    year (int): 2014, or 2015: other columns, and the names en.dm.sdp, en.pas.sdp and en.psd.sdp.
    """
    directory.mkdir(parents=True, exist_ok=True)
    graphs = []
    for path in treebanks:
        with path.open(encoding="utf8") as lines:
            graphs += [sentence.graph for sentence in iter_enhanced(lines)]
    for name in LEFT_OUT:
        blocks = [
            format_sdp(replace(convert(graph, name), id=sentence_id(number)), year=year)
            for number, graph in enumerate(graphs)
        ]
        head = "" if year == 2014 else "#SDP 2015\n"
        file = name if year == 2014 else f"en.{'psd' if name == 'pcedt' else name}"
        (directory / f"{file}.sdp").write_text(head + "\n".join(blocks), "utf8")


def sentence_id(number: int) -> str:
    """RETURNS (str): An id of the task: 2, two digits for the section, two for the document, three for the sentence."""
    section = {3: 20, 4: 21}.get(number % 5, number // 5 % 20)
    return f"2{section:02}{number // 1000:02}{number % 1000:03}"


def convert(graph: BilexicalGraph, formalism: str) -> BilexicalGraph:
    """RETURNS (BilexicalGraph): The graph with the arcs and labels of another formalism."""
    arcs: dict[tuple[int, int], Arc] = {}
    n_arguments: Counter[int] = Counter()
    for head, dependent, label, _ in graph.arcs:
        if label in LEFT_OUT[formalism]:
            continue
        if head == ROOT:
            label = TOP
        elif formalism == "dm":
            label = ARGUMENTS.get(label, label)
        elif formalism == "pas":
            n_arguments[head] += 1
            label = f"{graph.tokens[head].pos.lower()}_ARG{n_arguments[head]}"
        elif label.startswith("conj") and head in graph.tops:
            arcs[ROOT, dependent] = Arc(ROOT, dependent, TOP)
        arcs[head, dependent] = Arc(head, dependent, label)
    return replace(graph, arcs=tuple(arcs.values()))


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    write_sdp(Path(sys.argv[1]), map(Path, sys.argv[2:]))
