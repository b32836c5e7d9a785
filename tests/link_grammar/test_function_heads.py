"""Function words as heads: laws of the conversion, and examples of what becomes of a sentence."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from spacy_ucca.conversion.graph import ROOT, Arc, BilexicalGraph, Token
from spacy_ucca.errors import GraphError
from spacy_ucca.link_grammar.agreement import FUNCTION_WORDS, function_heads
from spacy_ucca.link_grammar.properties import is_reachable

LABELS = [*FUNCTION_WORDS, "aux|pass", "conj", "nsubj", "advmod", "obl", "punct"]
TOKENS = [Token("a", pos="X"), Token("'s", pos="PART"), Token("not", feats="Polarity=Neg")]


@st.composite
def trees(draw: st.DrawFn) -> BilexicalGraph:
    """Trees of all shapes, with function words anywhere."""
    n = draw(st.integers(1, 8))
    order = draw(st.permutations(range(n)))
    arcs = [Arc(ROOT, order[0], draw(st.sampled_from(["root", *LABELS])))]
    for i in range(1, n):
        arcs.append(
            Arc(order[draw(st.integers(0, i - 1))], order[i], draw(st.sampled_from(LABELS)))
        )
    tokens = tuple(draw(st.sampled_from(TOKENS)) for _ in range(n))
    return BilexicalGraph(tokens, tuple(draw(st.permutations(arcs))), id="s")


def relation(arc: Arc) -> str:
    return arc.label.partition("|")[0]


def has_plain_function_words(tree: BilexicalGraph) -> bool:
    """Whether function words have no dependents that are function words, as the guidelines of UD want it."""
    function = {arc.dependent for arc in tree.arcs if relation(arc) in FUNCTION_WORDS}
    return not any(arc.head in function and arc.dependent in function for arc in tree.arcs)


@given(trees())
def test_a_tree_stays_a_tree_over_the_same_tokens(tree):
    found = function_heads(tree)
    assert found.tokens == tree.tokens and found.id == tree.id
    assert [arc.dependent for arc in found.arcs] == list(range(len(tree.tokens)))
    assert is_reachable([arc[:2] for arc in found.arcs], len(tree.tokens))


@given(trees())
def test_only_function_words_get_new_dependents(tree):
    old, new = ({arc.dependent: arc.head for arc in t.arcs} for t in (tree, function_heads(tree)))
    function = {arc.dependent for arc in tree.arcs if relation(arc) in FUNCTION_WORDS}
    for token, head in new.items():
        assert head == old[token] or head in function or token in function


@given(trees())
def test_a_second_time_nothing_changes(tree):
    assume(has_plain_function_words(tree))
    found = function_heads(tree)
    assert function_heads(found) == found


@given(trees())
def test_without_function_words_nothing_changes(tree):
    plain = tuple(
        a._replace(label="obl") if relation(a) in FUNCTION_WORDS else a for a in tree.arcs
    )
    tree = BilexicalGraph(tree.tokens, tuple(sorted(plain, key=lambda a: a.dependent)))
    assert function_heads(tree) == tree


def convert(rows: str) -> dict[str, str]:
    """RETURNS (Dict[str, str]): By word, its head and relation. Rows have a word, the place of its head, and a relation."""
    cells = [row.split("/") for row in rows.split()]
    special = {"'s": Token("'s", pos="PART"), "not": Token("not", feats="Polarity=Neg")}
    tokens = tuple(special.get(word, Token(word)) for word, _, _ in cells)
    arcs = tuple(Arc(int(head) - 1, i, label) for i, (_, head, label) in enumerate(cells))
    words = [*(word for word, _, _ in cells), "ROOT"]
    found = function_heads(BilexicalGraph(tokens, arcs))
    return {words[arc.dependent]: f"{words[arc.head]}/{arc.label}" for arc in found.arcs}


@pytest.mark.parametrize(
    "rows, expected",
    [
        # The draft: "Jack <- is falling", and "is -> Jack" in questions
        ("Jack/3/nsubj is/3/aux falling/0/root", "Jack/is/nsubj is/ROOT/root falling/is/VC"),
        ("is/3/aux Jack/3/nsubj falling/0/root", "Jack/is/nsubj is/ROOT/root falling/is/VC"),
        (
            "she/2/nsubj says/0/root that/8/mark he/8/nsubj may/8/aux not/8/advmod be/8/cop happy/2/ccomp",
            "that/says/ccomp may/that/SUB he/may/nsubj not/may/advmod be/may/VC happy/be/PRD",
        ),
        (
            "is/6/cop he/6/nsubj not/6/advmod a/6/det good/6/amod man/0/root",
            "he/is/nsubj not/is/advmod a/man/det good/man/amod man/is/PRD",
        ),
        (
            "goes/0/root to/3/case Paris/1/obl and/6/cc by/6/case bus/3/conj",
            "to/goes/obl Paris/to/PMOD and/Paris/conj by/and/CONJ bus/by/PMOD",
        ),
        (
            "And/4/cc Jill/4/nmod|poss 's/2/case dog/0/root",
            "And/dog/cc Jill/dog/nmod|poss 's/Jill/case",
        ),
    ],
)
def test_sentences(rows, expected):
    found = convert(rows)
    for row in expected.split():
        word, _, rest = row.partition("/")
        assert found[word] == rest


def test_what_is_no_tree():
    tokens = tuple(map(Token, "ab"))
    for arcs in (
        [Arc(ROOT, 0, "root")],
        [Arc(0, 1, "x"), Arc(1, 0, "x")],
        [Arc(ROOT, 0, "root"), Arc(0, 1, "x"), Arc(ROOT, 1, "x")],
        [Arc(ROOT, 0, "root"), Arc(ROOT, 1, "root")],
    ):
        with pytest.raises(GraphError, match=r"UC912.*'s' \('a b'\)"):
            function_heads(BilexicalGraph(tokens, tuple(arcs), id="s"))
