"""Parse sentences to links and write them to a file, with counts of what became of each sentence.

The file is CoNLL-U. All its arcs go from left to right: their direction has no meaning. Sentences whose links are not
connected are in the file too, without heads, so that no sentence is lost.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..conversion.graph import EMPTY, Token
from ..errors import Errors, FormatError
from ..formats.conll import format_conllu, iter_conllu
from ..formats.conllu import read_ud_sentences
from ..formats.rows import iter_blocks
from ..formats.text import open_lines
from .link_grammar import COMPLETE, DISCONNECTED, DROPPED, NO_PARSE, STATUSES, LinkParse, Sentence
from .links import LinkGraph

if TYPE_CHECKING:
    from spacy.tokens import Doc

LINKS = "links"
TAG = "LinkTag="


@dataclass
class LinkCounts:
    """The numbers of sentences by status (see `LinkParse`).

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
    with open_lines(path) as lines:
        for sentence, graph in zip(sentences, iter_conllu(lines, source=str(path)), strict=True):
            yield Sentence(graph.tokens, sentence.spaces, graph.id, graph.punct)


def sentences_of_docs(docs: Iterable["Doc"], name: str = "") -> Iterator[Sentence]:
    """Take the sentences of Docs; a Doc that is not divided into sentences is one.

    docs (Iterable[Doc]): The Docs.
    name (str): What ids begin with; the number of the sentence follows.
    YIELDS (Sentence): The sentences that are not empty. Whitespace is no token.
    """
    number = 0
    for doc in docs:
        for span in doc.sents if doc.has_annotation("SENT_START") else [doc[:]]:
            tokens = [token for token in span if not token.is_space]
            if not tokens:
                continue
            number += 1
            # Before whitespace that is left out there is a space.
            after = {token.i - 1 for token in span if token.is_space}
            yield Sentence(
                tuple(
                    Token(t.text, t.lemma_ or EMPTY, t.pos_ or EMPTY, t.tag_ or EMPTY)
                    for t in tokens
                ),
                tuple(bool(token.whitespace_) or token.i in after for token in tokens),
                f"{name}{number}",
                tuple(token.is_punct for token in tokens),
            )


def format_links(graph: LinkGraph) -> str:
    """RETURNS (str): Links as a block of CoNLL-U, all arcs from left to right, with the tags in column 10."""
    misc = [tag and TAG + tag for tag in graph.tags]
    return format_conllu(graph.oriented(), framework=LINKS, misc=misc)


def read_links(path: str | Path) -> Iterator[tuple[LinkParse, int]]:
    """Read a file of links. Directions are ignored, so cycles do no harm.

    path (Union[str, Path]): CoNLL-U with links in column 9, as `format_links` writes them.
    YIELDS (Tuple[LinkParse, int]): The links, with their status, and the number of the sentence.
    RAISES (FormatError): If it is not CoNLL-U, or has no links at all.
    """
    has_graph = False
    with open_lines(path) as lines, open_lines(path) as again:
        sentences = zip(iter_conllu(lines, source=str(path)), _tags(again), strict=True)
        for number, (arcs, tags) in enumerate(sentences, start=1):
            graph = replace(LinkGraph.from_bilexical(arcs), tags=tags)
            if not graph.links:
                status = NO_PARSE
            elif not graph.is_connected:
                status = DISCONNECTED
            else:
                status, has_graph = (DROPPED if graph.dropped else COMPLETE), True
            yield LinkParse(status, graph), number
    if not has_graph:
        raise FormatError(Errors.UC904.format(path=path))


def _tags(lines: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """YIELDS (Tuple[str, ...]): The tags of each sentence in column 10, or nothing if no token has one."""
    for block in iter_blocks(lines, LINKS):
        rows = [line.split("\t") for _, line in block]
        # By number, as a token with several heads may have several rows.
        last = {row[0]: row[-1].split("|") for row in rows if row[0].isdigit()}
        if last:
            found = [next((v for v in values if v.startswith(TAG)), "") for values in last.values()]
            yield tuple(tag.removeprefix(TAG) for tag in found) if any(found) else ()
