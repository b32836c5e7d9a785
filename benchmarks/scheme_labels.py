"""How annotation schemes label constructions, and how a graph does.

Guidelines 1.x are called v1, guidelines 2.0 v2. The labels that tell them apart were found in gold graphs: English Wiki 1.2
and EWT 2.0.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import constructions as english
from spacy.tokens import Doc, Token

from spacy_ucca.graph import Graph, Unit

MAIN_RELATIONS = ("P", "S")
NO_UNIT = "no unit"  # the words are part of an unanalyzable unit, or no unit has just these


class Construction(NamedTuple):
    """A construction, and how each annotation scheme labels it.

    tokens (Callable[[Token], List[Token]]): The tokens to label, if the construction is found at a token.
    label (Callable[[Graph, List[int]], str]): Their label in a graph.
    v1 (FrozenSet[str]): Labels of guidelines 1.x alone.
    v2 (FrozenSet[str]): Labels of guidelines 2.0 alone.
    """

    tokens: Callable[[Token], list[Token]]
    label: Callable[[Graph, list[int]], str]
    v1: frozenset[str] = frozenset()
    v2: frozenset[str] = frozenset()


def unit_of_words(graph: Graph, tokens: list[int]) -> Unit | None:
    """RETURNS (Optional[Unit]): The lowest unit that has these words and no others, punctuation aside."""
    wanted = {i for i in tokens if not graph.punct[i]}
    unit = graph.unit_of(min(wanted)) if wanted else None
    while unit is not None and not unit.is_root:
        of_unit = set(unit.tokens(punct=False))
        if of_unit == wanted:
            return unit
        if not of_unit < wanted:
            break
        unit = unit.parent
    return None


def main_relation_over(unit: Unit) -> str:
    """RETURNS (str): "P" or "S" if a unit is part of a main relation, by way of Centers or directly; otherwise ""."""
    over = unit.parent
    while over is not None and over.label == "C":
        over = over.parent
    return over.label if over is not None and over.label in MAIN_RELATIONS else ""


def category(graph: Graph, tokens: list[int]) -> str:
    """RETURNS (str): The label of the unit of some words."""
    unit = unit_of_words(graph, tokens)
    return NO_UNIT if unit is None else unit.label


def category_and_place(graph: Graph, tokens: list[int]) -> str:
    """RETURNS (str): The label of the unit of some words; "F in P" if it is part of a main relation."""
    unit = unit_of_words(graph, tokens)
    if unit is None:
        return NO_UNIT
    over = main_relation_over(unit)
    return f"{unit.label} in {over}" if over else unit.label


def category_of_head(graph: Graph, tokens: list[int]) -> str:
    """RETURNS (str): The label of the largest unit that a word is the Center of, and its place."""
    unit = graph.unit_of(tokens[0])  # "has to" is often unanalyzable
    if unit is None:
        return NO_UNIT
    while unit.label == "C" and unit.parent is not None and unit.parent.parent is not None:
        unit = unit.parent
    over = main_relation_over(unit)
    return f"{unit.label} in {over}" if over else unit.label


def places(graph: Graph, tokens: list[int]) -> str:
    """RETURNS (str): Whether words are "outside" the main relation, "inside" it, or "mixed"; NO_UNIT if one of them has no
    unit."""
    units = [unit_of_words(graph, [token]) for token in tokens]
    inside = {bool(main_relation_over(unit)) for unit in units if unit is not None}
    if None in units:
        return NO_UNIT
    return "mixed" if len(inside) > 1 else "inside" if True in inside else "outside"


def labels(text: str) -> frozenset[str]:
    return frozenset(text.split())


E = frozenset(["E", "E in P", "E in S"])
IN_RELATION = E | frozenset(f"{label} in {over}" for label in "FC" for over in MAIN_RELATIONS)

CONSTRUCTIONS: dict[str, Construction] = {
    "article": Construction(
        english.single(lambda t: english.word(t) in english.ARTICLES and t.dep_ == "det"),
        category,
        E,
        labels("F"),
    ),
    "time expression": Construction(
        english.time_expression, category, labels("D"), labels("T D|T")
    ),
    "number": Construction(
        english.single(lambda t: t.dep_ == "nummod" and t.tag_ == "CD"), category, E, labels("Q")
    ),
    "quantifier": Construction(english.single(english.is_quantifier), category, E, labels("Q")),
    "modal": Construction(
        english.single(lambda t: t.tag_ == "MD" and t.dep_ == "aux"),
        category_and_place,
        IN_RELATION,
        labels("D F"),
    ),
    "auxiliary": Construction(
        english.single(english.is_auxiliary), category_and_place, IN_RELATION, labels("F")
    ),
    "modal and auxiliaries": Construction(
        english.verb_stack, places, labels("inside"), labels("outside")
    ),
    "copula": Construction(
        english.single(lambda t: t.dep_ == "cop"), category_and_place, IN_RELATION, labels("F")
    ),
    "infinitive to": Construction(
        english.single(lambda t: t.tag_ == "TO" and t.dep_ == "mark"),
        category_and_place,
        IN_RELATION,
        labels("F"),
    ),
    "verb with infinitive": Construction(
        english.verb_of_infinitive, category_of_head, IN_RELATION, labels("D")
    ),
    "light verb": Construction(
        english.light_verb, category_and_place, E, frozenset(["F", "F in P", "F in S"])
    ),
    "possessive pronoun": Construction(
        english.single(lambda t: t.tag_ == "PRP$" and t.dep_ == "nmod:poss"),
        category,
        E,
        labels("A S|A S"),
    ),
    "adjective": Construction(
        english.single(lambda t: t.dep_ == "amod" and english.word(t) not in english.QUANTIFIERS),
        category,
        E,
        labels("S D"),
    ),
    "that-clause": Construction(
        english.single(
            lambda t: english.word(t) == "that" and t.dep_ == "mark" and t.head.dep_ == "ccomp"
        ),
        category,
        labels("F"),
        labels("R"),
    ),
    "relative pronoun": Construction(
        english.single(lambda t: t.tag_ in ("WDT", "WP") and t.head.dep_ == "acl:relcl"),
        category,
        labels("F"),
        labels("R L"),
    ),
    "and between clauses": Construction(english.single(english.joins_clauses), category),
    "and between nouns": Construction(english.single(english.joins_nouns), category),
    "subordinator": Construction(
        english.single(lambda t: t.dep_ == "mark" and t.head.dep_ == "advcl" and t.tag_ == "IN"),
        category,
    ),
    "preposition": Construction(
        english.single(lambda t: t.dep_ == "case" and t.tag_ == "IN"), category
    ),
    "possessive 's": Construction(english.single(lambda t: t.tag_ == "POS"), category),
    "there is": Construction(english.single(lambda t: t.tag_ == "EX"), category),
    "negation": Construction(
        english.single(lambda t: english.word(t) in ("not", "n't")), category_and_place
    ),
}


def instances(syntax: Doc, graph: Graph) -> Iterator[tuple[str, str]]:
    """Find all constructions of a sentence.

    syntax (Doc): The sentence with tags and dependencies.
    graph (Graph): Its graph, over the same tokens.
    YIELDS (Tuple[str, str]): The name of a construction and its label in the graph.
    """
    for token in syntax:
        for name, construction in CONSTRUCTIONS.items():
            if found := construction.tokens(token):
                yield name, construction.label(graph, [t.i for t in found])
