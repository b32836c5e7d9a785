"""Brackets of the Penn Treebank: trees come back, other readers read them, broken ones are refused."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from strategies import ODD_WORDS, graphs, trees

from spacy_ucca.conversion.constituency import from_constituency, to_constituency
from spacy_ucca.conversion.graph import Token
from spacy_ucca.conversion.tree import ConstituencyTree
from spacy_ucca.errors import FormatError
from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.formats.penn import format_penn, iter_penn, read_penn, write_penn
from spacy_ucca.text.spacing import without_spaces


def read_one(text: str) -> ConstituencyTree:
    (tree,) = iter_penn(text.split("\n"))
    return tree


@given(graphs(words=ODD_WORDS, max_roots=2).map(without_spaces))
def test_trees_of_graphs_come_back(graph):
    tree = to_constituency(graph)
    for fold in (False, True):
        line = format_penn(tree, fold=fold)
        assert line.count("\n") == 1
        found = read_one(line)
        assert found.spans == tree.spans and found.words == tree.words
        assert found.words == () or found.punct == graph.punct
    (back,) = read_penn(write_penn(graph))
    assert back.same_structure(from_constituency(tree)) and back.punct == graph.punct


@given(trees())
def test_any_tree_comes_back(tree):
    for fold in (False, True):
        assert read_one(format_penn(tree, fold=fold)).spans == tree.spans


def parse(text):
    """What readers like `nltk.Tree.fromstring` do: a token after "(" is a label, all others are leaves."""
    stack = [[]]
    for opened, closed, leaf in re.findall(r"\(\s*([^\s()]+)?|(\))|([^\s()]+)", text):
        if leaf:
            stack[-1].append(leaf)
        elif closed:
            node = stack.pop()
            stack[-1].append(node)
        else:
            stack.append([opened])
    ((tree,),) = stack
    return tree


def nested(tree: ConstituencyTree):
    """The same from the value: nodes as lists that begin with their labels."""
    top = ["TOP"]
    made = [[str(node.label)] for node in tree.nodes]
    items = [(n.start, -n.end, i) for i, n in enumerate(tree.nodes)]
    items += [(t, 0, ~t) for t in range(len(tree.tokens))]
    for _, _, i in sorted(items):
        parent = tree.token_parents[~i] if i < 0 else tree.nodes[i].parent
        node = made[i] if i >= 0 else ["_", tree.words[~i]]
        (made[parent] if parent >= 0 else top).append(node)
    return top


@given(trees())
def test_other_readers_read_them(tree):
    assert parse(format_penn(replace(tree, punct=()))) == nested(tree)


@pytest.fixture(scope="module")
def nltk():
    return pytest.importorskip("nltk")


@given(tree=trees())
def test_nltk_reads_them(nltk, tree):
    found = nltk.Tree.fromstring(format_penn(tree))
    assert found.leaves() == list(tree.words)
    assert len(list(found.subtrees())) == 1 + len(tree.nodes) + len(tree.tokens)


def test_tags():
    tokens = (
        Token("a", pos="DET", tag="DT"),
        Token("b", tag="NN"),
        Token("."),
        Token("?", pos="X"),
    )
    tree = ConstituencyTree(tokens, ((0, 4, "ROOT"),), (False, False, True, True))
    line = format_penn(tree)
    assert line == "(TOP (ROOT (DET a) (NN b) (PUNCT .) (PUNCT ?)))\n"
    found = read_one(line)
    assert found.punct == tree.punct
    assert [token.pos for token in found.tokens] == ["DET", "NN", "PUNCT", "PUNCT"]
    # Not punctuation, whatever its tag
    plain = ConstituencyTree((Token("%", pos="PUNCT", tag="NN"), Token("#", pos="PUNCT")), ())
    assert format_penn(replace(plain, punct=(False, False))) == "(TOP (NN %) (_ #))\n"


@pytest.mark.parametrize(
    ("text", "spans", "words"),
    [
        # Of other tools: no label at the top, several lines, words without tags, dots and slashes
        ("( (S (NP (DT the) (NN dog))\n   (VP barks loudly)))", "S NP VP", "the dog barks loudly"),
        ("(S (NP (NP (NNP Tom))) (VP (V ran)))", "S NP+NP VP", "Tom ran"),
        ("\ufeff(TOP (A (X 1\\/2) (Y -LRB-) (Z :-RRB-)))", "A", "1/2 ( :)"),
        (r"(TOP (A (X \-LRB-) (Y \\) (Z \e) (Z a\u0020b)))", "A", "-LRB- \\  a b"),
        ("(TOP)", "", ""),
        ("()", "", ""),
        ("(TOP (X word))", "", "word"),
    ],
)
def test_trees_of_other_tools(text, spans, words):
    tree = read_one(text)
    assert " ".join(s.label for s in tree.spans) == spans
    assert " ".join(tree.words) == words


def test_several_trees():
    text = "(TOP (A (X a))) (TOP (B (X b)))\n\n(TOP\n(C (X c)))\n"
    assert [t.spans[0].label for t in iter_penn(text.split("\n"))] == ["A", "B", "C"]
    lines = iter(["(TOP (A (X a)))", "(TOP (", "nothing ends this"])
    assert next(iter_penn(lines)).words == ("a",)  # one at a time


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "UC115"),
        ("\n \n", "UC115"),
        ("(TOP (A (X a))", r"line 1: the bracket opened in line 1 is not closed"),
        ("(TOP (A (X a)))\n\n(TOP\n", r"the bracket opened in line 3 is not closed"),
        ("(TOP (A (X a))))", r"'\)' stands outside"),
        ("# id\n(TOP)", "line 1: '#' stands outside"),
        ("(TOP (A))", "'A' has no words"),
        ("(TOP ((X a)))", "a node has no label"),
        ("(TOP (A ()))", "a node has no label"),
    ],
)
def test_broken(text, reason):
    with pytest.raises(FormatError, match=reason):
        read_penn(text, source="file")


def test_deep():
    n = 5000
    line = "(TOP " + "(A " * n + "(X a) b" + ")" * n + ")"
    assert len(read_one(line).nodes) == n
    assert format_penn(read_one(line)).replace("_", "X", 1).count("(A") == n


def test_brackets_in_words():
    (graph,) = read_brackets("[H [A :)] [P (] [A -LRB-] [U \\[]]")
    assert read_penn(write_penn(graph))[0].words == (":)", "(", "-LRB-", "[")


@pytest.mark.parametrize(
    "trace", ["(-NONE- *T*-1)", "(NP (-NONE- *))", "(S (NP (-NONE- 0)) (VP (-NONE- *)))"]
)
def test_traces_are_no_words(trace):
    """The Penn Treebank has them; with and without them a tree is the same graph."""
    tree = "( (S {0} (NP (NNP Ann)) (VP (VBD left) {0} (NP {0} (PRP it))) {0} (. .) {0}) )"
    graph, without = (read_penn(tree.format(inside))[0] for inside in (trace, ""))
    assert graph.words == ("Ann", "left", "it", ".") and graph.same_structure(without)
    with pytest.raises(FormatError, match="no words"):
        read_penn("(TOP (A (B) ) )")


def test_a_word_with_the_tag_of_a_trace_stays():
    tokens = {"0": {"extra": {"pos": "-NONE-", "tag": "-NONE-"}}}
    graph = read_brackets("[H [P Go]]")[0]
    graph = graph.replace(details={"xml": {"tokens": tokens}})
    assert read_penn(write_penn(graph))[0].words == ("Go",)
