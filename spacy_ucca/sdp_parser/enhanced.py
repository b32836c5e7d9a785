"""Read Enhanced Universal Dependencies as bilexical graphs: column 9 of CoNLL-U, with the basic tree for features.

Empty words (8.1) are not in the text, so they are no tokens. An arc to an empty word and an arc from it become one arc,
"conj>nsubj", as in the IWPT shared tasks; or both are left out. Labels that contain words, such as `obl:from` and `conj:and`,
can be cut to the relation.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ..conversion.graph import EMPTY, ROOT, Arc, BilexicalGraph, Token
from ..errors import Errors, FormatError
from ..formats.conllu import UdSentence, iter_ud_sentences
from ..formats.rows import Row, fail, is_punct, iter_blocks, read_number
from ..graph.algorithms import find_cycle

JOIN, DROP = "join", "drop"
EMPTY_WORDS = (JOIN, DROP)
VIA = ">"
# Relations whose enhanced labels take up a word (enhanced-syntax.html of the UD guidelines), and the subtypes
# of these that are not words but subtypes of the basic tree.
_CASED = frozenset(("acl", "advcl", "conj", "nmod", "obl"))
_SUBTYPES = frozenset(
    "agent arg cleft desc gobj gsubj lmod npmod part pass poss pred relcl svc tmod unmarked".split()
)


class EnhancedSentence(NamedTuple):
    """A sentence with its enhanced graph and its basic tree.

    graph (BilexicalGraph): The enhanced graph.
    heads (Tuple[int, ...]): The head of each token in the basic tree; a root is its own head.
    deps (Tuple[str, ...]): The label of each token in the basic tree.
    spaces (Tuple[bool, ...]): Whether a space follows each token.
    dropped (int): Arcs that were left out, because of empty words or because they lead from a token to itself.
    """

    graph: BilexicalGraph
    heads: tuple[int, ...]
    deps: tuple[str, ...]
    spaces: tuple[bool, ...]
    dropped: int


def cut_label(label: str) -> str:
    """RETURNS (str): The label without the word in it: `obl:from` becomes `obl`, but `nmod:poss` stays; in "conj:and>obl:in"
    both parts are cut.
    """
    parts = []
    for part in label.split(VIA):
        relation, *subtypes = part.split(":")
        if relation in _CASED:
            subtypes = subtypes[:1] if subtypes and subtypes[0] in _SUBTYPES else []
        parts.append(":".join([relation, *subtypes]))
    return VIA.join(parts)


def iter_enhanced(
    lines: Iterable[str], *, cut: bool = True, empty: str = JOIN, source: str = "text"
) -> Iterator[EnhancedSentence]:
    """Read sentences, one at a time.

    lines (Iterable[str]): The lines, such as those of an open file.
    cut (bool): Whether labels are cut; see `cut_label`.
    empty ("join" or "drop"): Join arcs through empty words, or leave them out.
    source (str): The name of the lines in messages.
    YIELDS (EnhancedSentence): The sentences.
    RAISES (FormatError): If a row is broken, or there is none. The message names the line.
    """
    if empty not in EMPTY_WORDS:
        raise FormatError(Errors.UC880.format(name=empty, known=", ".join(EMPTY_WORDS)))
    for block in iter_blocks(lines, source):
        rows = [(number, line.split("\t")) for number, line in block if not line.startswith("#")]
        for sentence in iter_ud_sentences([line for _, line in block], source, block[0][0]):
            yield _read(rows, sentence, cut, empty == JOIN, source)


def _read(
    rows: list[Row], sentence: UdSentence, cut: bool, join: bool, source: str
) -> EnhancedSentence:
    tokens: list[Token] = []
    heads: list[int] = []
    deps: list[str] = []
    places = {"0": ROOT}
    for line, row in rows:
        if "-" not in row[0] and "." not in row[0]:
            number = read_number(row[0], source, line, "column 1")
            if number != len(tokens) + 1:
                fail(source, line, f"token {number} follows token {len(tokens)}")
            places[row[0]] = len(tokens)
            tokens.append(Token(*(row[i] for i in (1, 2, 3, 4, 5))))
            head = EMPTY if row[6] == EMPTY else read_number(row[6], source, line, "column 7") - 1
            heads.append(number - 1 if head in (EMPTY, ROOT) else int(head))
            deps.append("" if row[7] == EMPTY else row[7])
    for line, row in rows:
        if row[0] in places and heads[places[row[0]]] >= len(tokens):
            fail(source, line, f"the head is {row[6]}, but there are {len(tokens)} tokens")
    cycle = find_cycle((head, token) for token, head in enumerate(heads) if head != token)
    if cycle is not None:
        fail(source, rows[0][0], f"the heads of token {cycle[0] + 1} go round in a circle")
    arcs, dropped = _arcs(rows, places, join, source)
    if cut:
        arcs = [arc._replace(label=cut_label(arc.label)) for arc in arcs]
    punct = tuple(is_punct(token.pos) for token in tokens)
    graph = BilexicalGraph(tuple(tokens), tuple(dict.fromkeys(arcs)), punct, sentence.sent_id)
    return EnhancedSentence(graph, tuple(heads), tuple(deps), sentence.spaces, dropped)


def _arcs(
    rows: list[Row], places: dict[str, int], join: bool, source: str
) -> tuple[list[Arc], int]:
    """RETURNS (Tuple[List[Arc], int]): The arcs, and how many were left out."""
    above: dict[str, list[tuple[str, str]]] = {}
    for line, row in rows:
        if "-" in row[0] or row[8] == EMPTY:
            continue
        for part in row[8].split("|"):
            head, colon, label = part.partition(":")
            if not colon or not label:
                fail(source, line, f"'{part}' in column 9 is not a head and a label, such as 2:obj")
            above.setdefault(row[0], []).append((head, label))
    known = places.keys() | {row[0] for _, row in rows if "." in row[0]}
    for line, row in rows:
        for head, _ in above.get(row[0], ()):
            if head not in known:
                fail(source, line, f"the head in column 9 is {head}, but there is no such token")
    arcs: list[Arc] = []
    dropped = 0
    for name, place in places.items():
        waiting = [(head, label, frozenset((name,))) for head, label in above.get(name, ())]
        waiting.reverse()
        while waiting:
            head, label, seen = waiting.pop()
            if head in places and places[head] != place:
                arcs.append(Arc(places[head], place, label))
            elif head in places or head in seen or not join:
                dropped += 1
            else:
                waiting += [
                    (higher, f"{first}{VIA}{label}", seen | {head})
                    for higher, first in above.get(head, ())
                ]
    return arcs, dropped
