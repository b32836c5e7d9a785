"""Corpora of link graphs: sentences in, links in a file, what became of each counted.

A file of links is CoNLL-U (`formats/conll.py`) whose arcs all go from left to right: the directions say nothing.
Sentences that were not connected are in it too, with no heads, so that nothing is lost.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import Errors, FormatError
from ..formats.conll import format_conllu, iter_conllu
from ..formats.conllu import read_ud_sentences
from .link_grammar import COMPLETE, DISCONNECTED, DROPPED, NO_PARSE, STATUSES, LinkParse, Sentence
from .links import LinkGraph

if TYPE_CHECKING:
    from spacy.language import Language

__all__ = [
    "LinkCounts",
    "format_links",
    "read_links",
    "sentences_of_conllu",
    "sentences_of_lines",
]

CONLLU = ".conllu"


@dataclass
class LinkCounts:
    """How many sentences there were, by what became of them (`LinkParse`).

    statuses (Counter[str]): The number of sentences by status.
    tokens (Counter[str]): The number of their tokens by status.
    """

    statuses: Counter[str] = field(default_factory=Counter)
    tokens: Counter[str] = field(default_factory=Counter)

    def add(self, parse: LinkParse) -> None:
        """Count a sentence."""
        self.statuses[parse.status] += 1
        self.tokens[parse.status] += len(parse.graph.tokens)

    def to_dict(self) -> dict[str, int | float | dict[str, int]]:
        """RETURNS (Dict[str, Union[int, float, Dict]]): Numbers of sentences: all, those whose linked tokens are connected,
        and of these those without dropped tokens; with percentages of the line before, as in section 4 of the draft."""
        n = self.statuses.total()
        complete = self.statuses[COMPLETE]
        connected = complete + self.statuses[DROPPED]
        return {
            "sentences": n,
            "connected": connected,
            "connected_percent": 100 * connected / n if n else 0.0,
            "complete": complete,
            "complete_percent": 100 * complete / connected if connected else 0.0,
            "statuses": {name: self.statuses[name] for name in STATUSES},
            "tokens": self.tokens.total(),
            "complete_tokens": self.tokens[COMPLETE],
        }


def sentences_of_conllu(path: str | Path) -> Iterator[Sentence]:
    """Read the sentences of a CoNLL-U file with their tokens and tags.

    path (Union[str, Path]): The file.
    YIELDS (Sentence): The sentences, as they are divided there.
    RAISES (FormatError): If it is not CoNLL-U; the message says where.
    """
    sentences = read_ud_sentences(path)
    with open(path, encoding="utf-8-sig") as lines:
        for sentence, graph in zip(sentences, iter_conllu(lines, source=str(path)), strict=True):
            yield Sentence(graph.tokens, sentence.spaces, graph.id, graph.punct)


def sentences_of_lines(lines: Iterable[str], nlp: "Language", name: str = "") -> Iterator[Sentence]:
    """Tokenize sentences of plain text, one in each line.

    lines (Iterable[str]): The lines; empty ones are left out.
    nlp (Language): The tokenizer's pipeline; only that is used.
    name (str): What ids begin with; numbers of lines follow.
    YIELDS (Sentence): The sentences. Whitespace is no token.
    """
    for number, line in enumerate(lines, start=1):
        tokens = [token for token in nlp.make_doc(line.strip()) if not token.is_space]
        if tokens:
            doc = tokens[0].doc
            spaces = [
                bool(t.whitespace_) or (t.i + 1 < len(doc) and doc[t.i + 1].is_space) for t in tokens
            ]
            sentence = Sentence.from_words([token.text for token in tokens], spaces)
            punct = tuple(token.is_punct for token in tokens)
            yield sentence._replace(id=f"{name}{number}", punct=punct)


def format_links(graph: LinkGraph) -> str:
    """RETURNS (str): Links as a block of CoNLL-U, all arcs from left to right."""
    return format_conllu(graph.oriented())


def read_links(path: str | Path) -> Iterator[tuple[LinkParse, int]]:
    """Read a file of links; directions are not looked at, so cycles do no harm.

    path (Union[str, Path]): CoNLL-U with links in column 9, as `format_links` writes them.
    YIELDS (Tuple[LinkParse, int]): The links, with the status that they show, and the number of the sentence.
    RAISES (FormatError): If it is not CoNLL-U, or has no links at all.
    """
    found = False
    with open(path, encoding="utf-8-sig") as lines:
        for number, arcs in enumerate(iter_conllu(lines, source=str(path)), start=1):
            graph = LinkGraph.from_bilexical(arcs)
            if not graph.links:
                status = NO_PARSE
            elif not graph.is_connected:
                status = DISCONNECTED
            else:
                status, found = (DROPPED if graph.dropped else COMPLETE), True
            yield LinkParse(status, graph), number
    if not found:
        raise FormatError(Errors.UC904.format(path=path))
