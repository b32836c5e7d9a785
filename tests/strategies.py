"""Hypothesis strategies: random graphs of every kind that UCCA allows, and random changes of them."""

from hypothesis import strategies as st

from spacy_ucca.conversion.graph import Token
from spacy_ucca.conversion.tree import (
    ConstituencyTree,
    LabeledSpan,
    NodeLabel,
    format_chain,
)
from spacy_ucca.graph import EdgeTuple, Graph
from spacy_ucca.graph.categories import FOUNDATIONAL, IMPLICIT, LINKAGE, PUNCT

PUNCTUATION_MARKS = (".", "!", "?", ",", '"')
PLAIN_WORDS = st.sampled_from(("a", "b", "Dr.", *PUNCTUATION_MARKS, "."))
# Everything XML can hold, with what it has to escape
ODD_WORDS = st.one_of(
    st.sampled_from(("<&>\"'", " ", "\n\t\r", "🦊", "שלום", "é", "]]>", "&amp;")),
    st.text(
        st.characters(blacklist_categories=("Cs", "Cc"), blacklist_characters="\ufffe\uffff"),
        max_size=4,
    ),
)
ASCII_SPACES = (" ", "   ", "\t", "\n", "\r\n", "\x0b")
UNICODE_SPACES = ("\x85", "\xa0", "\u2009", "\u2028", "\u3000")
LABELS = st.sampled_from(
    [(c,) for c in "HPSADCENRFLGTQ"] + [("P", "A"), ("A", "S"), ("D", "T"), ("H", "L")]
)


@st.composite
def graphs(
    draw, *, words=PLAIN_WORDS, max_words=8, max_units=7, max_roots=1, linkage=True, loose=True
):
    """A graph: discontinuous units, remote edges, implicit units, linkage, units without anything,
    several categories; units and edges numbered in any order.

    loose: also tokens attached to nothing.
    """
    text = draw(st.lists(words, max_size=max_words))
    punct = [word in PUNCTUATION_MARKS for word in text]
    n_roots = draw(st.integers(1, max_roots))
    kinds = [FOUNDATIONAL] * n_roots
    edges: list[EdgeTuple] = []
    for _ in range(draw(st.integers(0, max_units))):
        parent = draw(st.integers(0, len(kinds) - 1))
        edges.append(EdgeTuple(parent, len(kinds), draw(LABELS)))
        kinds.append(FOUNDATIONAL)
    inner = len(kinds)
    for token, is_punct in enumerate(punct):
        parent = draw(st.integers(-1 if loose else 0, inner - 1))
        if parent < 0:
            continue
        if is_punct and draw(st.booleans()):
            edges.append(EdgeTuple(parent, len(kinds), ("U",)))
            parent = len(kinds)
            kinds.append(PUNCT)
        edges.append(EdgeTuple(parent, ~token, ("Terminal",)))
    with_children = {edge.parent for edge in edges}
    for unit in range(n_roots, inner):
        if unit not in with_children and draw(st.booleans()):
            kinds[unit] = IMPLICIT
    own = {(edge.parent, edge.child) for edge in edges}
    if inner - n_roots >= 2:
        for _ in range(draw(st.integers(0, 3))):
            child = draw(st.integers(n_roots, inner - 1))
            parent = draw(st.integers(0, child - 1))  # parents come first, so there is no cycle
            if (parent, child) not in own and kinds[parent] != IMPLICIT:
                own.add((parent, child))
                edges.append(EdgeTuple(parent, child, draw(LABELS), True))
    if linkage and inner - n_roots >= 3:
        for _ in range(draw(st.integers(0, 2))):
            chosen = draw(st.permutations(range(n_roots, inner)))[: draw(st.integers(2, 3))]
            for category, child in zip(("LR", "LA", "LA"), chosen, strict=False):
                edges.append(EdgeTuple(len(kinds), child, (category,)))
            kinds.append(LINKAGE)
    paragraph, paragraphs = 1, []
    for _ in text:
        paragraphs.append(paragraph)
        paragraph += draw(st.sampled_from((0, 0, 0, 1)))
    graph = Graph(text, kinds, edges, punct=punct, paragraphs=paragraphs, details={"id": "p7"})
    return draw(renumbered(graph))


@st.composite
def with_spaces(draw, graph):
    """The same graph with tokens of white space, one of them of ASCII, that hang on nothing."""
    spaces = [draw(st.sampled_from(ASCII_SPACES))]
    spaces += draw(st.lists(st.sampled_from((*ASCII_SPACES, *UNICODE_SPACES)), max_size=3))
    old = list(range(len(graph.words)))
    order = draw(st.permutations([*old, *(-1 - i for i in range(len(spaces)))]))
    words_in_order = iter(old)
    order = [next(words_in_order) if i >= 0 else i for i in order]
    place = {i: new for new, i in enumerate(order)}
    last, paragraphs = 1, []
    for i in order:
        last = graph.paragraphs[i] if i >= 0 else last
        paragraphs.append(last)
    return Graph(
        [graph.words[i] if i >= 0 else spaces[-1 - i] for i in order],
        graph.kinds,
        [e if e.child >= 0 else e._replace(child=~place[~e.child]) for e in graph.edge_tuples],
        punct=[i >= 0 and graph.punct[i] for i in order],
        paragraphs=paragraphs,
        details=graph.details,
    )


@st.composite
def renumbered(draw, graph):
    """The same graph with other numbers of units and another order of edges."""
    number = draw(st.permutations(range(len(graph.kinds))))
    kinds = list(graph.kinds)
    for old, new in enumerate(number):
        kinds[new] = graph.kinds[old]
    edges = [
        EdgeTuple(number[e.parent], e.child if e.child < 0 else number[e.child], *e[2:])
        for e in draw(st.permutations(graph.edge_tuples))
    ]
    return Graph(
        graph.words,
        kinds,
        edges,
        punct=graph.punct,
        paragraphs=graph.paragraphs,
        details=graph.details,
    )


@st.composite
def changed(draw, graph):
    """The same graph but for one thing that matters."""
    words, kinds, edges = list(graph.words), list(graph.kinds), list(graph.edge_tuples)
    ways = ["unit"]
    if words:
        ways.append("word")
    if edges:
        ways += ["category", "categories"]
    remotes = [i for i, edge in enumerate(edges) if edge.remote]
    if remotes:
        ways.append("remote")
    way = draw(st.sampled_from(ways))
    if way == "unit":
        kinds.append(FOUNDATIONAL)
        edges.append(EdgeTuple(graph.roots[0].index, len(kinds) - 1, ("A",)))
    elif way == "word":
        words[draw(st.integers(0, len(words) - 1))] += "x"
    elif way == "remote":
        del edges[draw(st.sampled_from(remotes))]
    else:
        i = draw(st.integers(0, len(edges) - 1))
        before = edges[i].categories
        categories = ("X",) if way == "category" else (*before, "X")
        edges[i] = edges[i]._replace(categories=categories)
    return Graph(words, kinds, edges, punct=graph.punct, paragraphs=graph.paragraphs)


NAMES = st.sampled_from(["A", "C", "H", "U", "S|A", "ROOT", "Terminal", "x-y", "NP"])
NODE_LABELS = st.builds(
    lambda name, remote, move, steps: NodeLabel(name, remote, move, steps if move else 0),
    NAMES,
    st.booleans(),
    st.sampled_from(["", "", "down", "left"]),
    st.integers(0, 4),
)


@st.composite
def trees(draw):
    """Any tree, as an untrained parser gives it."""
    n = draw(st.integers(0, 7))
    spans: dict[tuple[int, int], str] = {}
    waiting = [(0, n)] if n else []
    while waiting:
        start, end = waiting.pop()
        if draw(st.booleans()):
            chain = draw(st.lists(NODE_LABELS, min_size=1, max_size=3))
            spans[start, end] = format_chain(chain)
        if end - start > 1:
            middle = draw(st.integers(start + 1, end - 1))
            waiting += [(start, middle), (middle, end)]
    punct = draw(st.one_of(st.just([]), st.lists(st.booleans(), min_size=n, max_size=n)))
    tokens = tuple(Token(f"w{i}") for i in range(n))
    return ConstituencyTree(
        tokens, tuple(LabeledSpan(*s, label) for s, label in spans.items()), tuple(punct)
    )
