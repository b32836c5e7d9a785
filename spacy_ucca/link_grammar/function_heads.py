"""Convert trees of Universal Dependencies to a scheme like that of CoNLL 2007-2009, in which function words are heads.

"Deriving Multi-Headed Projective Dependency Parses from Link Grammar Parses" compares links with "CoNLL" trees, which were
not given with it. They have heads as Link Grammar's, and its examples show which: in section 2, *is* is the head of the
subject in "Jack is falling" and "is Jack falling", and *boy* is the object of *with*. So, with the names of relations
that the English trees of CoNLL 2008 have (Surdeanu et al.):

- Prepositions (`case`), auxiliaries, copulas and subordinators (`mark`) are heads, and so are conjunctions (`cc`) of the
  conjunct after them. Of several the conjunction is the highest, then subordinator, auxiliaries, copula and preposition.
- Determiners, possessive 's, numerals and conjunctions at the beginning of a sentence stay dependents, as they are in CoNLL.
- The relation to the words above goes to the highest function word.
- A dependent beyond a function word goes to that, so that arcs do not cross. What stands between an auxiliary and its verb
  goes to the auxiliary ("has *not* gone", "is *Jack* falling"); of what stands between copula and predicate, the subject and
  the negation do.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from ..conversion.graph import ROOT, Arc, BilexicalGraph
from ..errors import Errors, GraphError
from ..graph.categories import SEPARATOR
from .properties import is_reachable

# Relations of function words, the highest first, and the relation of what is below them.
KINDS = {"cc": "CONJ", "mark": "SUB", "aux": "VC", "cop": "PRD", "case": "PMOD"}
SUBJECTS = ("nsubj", "csubj", "expl")
PARTICLE = "PART"  # the part of speech of the possessive 's
NEGATION = "Polarity=Neg"


def function_heads(tree: BilexicalGraph) -> BilexicalGraph:
    """Make function words heads.

    tree (BilexicalGraph): A tree of Universal Dependencies, with their parts of speech.
    RETURNS (BilexicalGraph): A tree over the same tokens. Converted again, it stays as it is.
    RAISES (GraphError): If it is no tree.
    """
    n = len(tree.tokens)
    above = {arc.dependent: arc for arc in tree.arcs}
    roots = sum(arc.head == ROOT for arc in tree.arcs)
    if len(tree.arcs) != n or roots > 1 or not is_reachable([arc[:2] for arc in tree.arcs], n):
        raise GraphError(Errors.UC912.format(id=tree.id, text=" ".join(tree.words)[:60]))
    chains = _chains(tree, above)
    arcs = []
    for token, (head, _, label, _) in above.items():
        chain = chains[token]
        for word, lower in pairwise((*chain, token)):
            # A function word may have function words of its own.
            child = token if lower == token else _highest(chains, lower)
            arcs.append(Arc(word, child, KINDS[_relation(above[word].label)]))
        if head == ROOT or token not in chains[head]:
            new = head if head == ROOT else _head(tree, above, chains[head], token)
            arcs.append(Arc(new, _highest(chains, token), label))
    return replace(tree, arcs=tuple(sorted(arcs, key=lambda arc: arc.dependent)))


def _chains(tree: BilexicalGraph, above: dict[int, Arc]) -> list[list[int]]:
    """RETURNS (List[List[int]]): The function words of each token, the highest first."""
    chains: list[list[int]] = [[] for _ in tree.tokens]
    for token, (head, _, label, _) in above.items():
        relation = _relation(label)
        stays = (relation == "case" and tree.tokens[token].pos == PARTICLE) or (
            relation == "cc" and head != ROOT and _relation(above[head].label) != "conj"
        )
        if head != ROOT and relation in KINDS and not stays:
            chains[head].append(token)
    ranks = {relation: rank for rank, relation in enumerate(KINDS)}
    for head, chain in enumerate(chains):
        chain.sort(key=lambda word: (ranks[_relation(above[word].label)], -abs(word - head)))
    return chains


def _head(tree: BilexicalGraph, above: dict[int, Arc], chain: Sequence[int], token: int) -> int:
    """RETURNS (int): Of a token's head and its chain of function words, what becomes the token's head."""
    head = above[token].head
    moves = _relation(above[token].label) in SUBJECTS or NEGATION in tree.tokens[token].feats.split(
        "|"
    )
    for word, lower in pairwise((*chain, head)):
        relation = _relation(above[word].label)
        takes = relation == "aux" or (relation == "cop" and (moves or lower != head))
        if takes and _between(word, token, lower) and _between(word, token, head):
            return word
    return next((word for word in chain if _between(token, word, head)), head)


def _between(i: int, j: int, k: int) -> bool:
    return i < j < k or k < j < i


def _highest(chains: Sequence[Sequence[int]], token: int) -> int:
    while chains[token]:
        token = chains[token][0]
    return token


def _relation(label: str) -> str:
    """RETURNS (str): A relation without its subtype."""
    return label.partition(SEPARATOR)[0]
