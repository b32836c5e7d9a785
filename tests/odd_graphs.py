"""Random graphs that are valid but odd, for laws of all that reads, writes, draws, divides and scores graphs.

One function makes them of choices: those of Hypothesis, which finds the smallest graph that breaks a law, or those of a
seeded generator, which makes many thousands a minute.
"""

import random
from collections.abc import Callable

from hypothesis import strategies as st

from spacy_ucca.graph import FOUNDATIONAL, IMPLICIT, LINKAGE, PUNCT, EdgeTuple, Graph, GraphBuilder

Choose = Callable[[int], int]  # from a number n, one of 0 to n - 1

WORDS = (
    *("a", "b", "c", "Ann", ".", ",", "!", '"', "(", ")", "[", "]", "{", "}"),
    *(
        ":",
        "/",
        "#",
        "#1",
        "#500",
        "#BOS",
        "#EOS",
        "~",
        "~e.1",
        "=1",
        "^",
        "*",
        "|",
        "\\",
        "\\e",
        "+",
        "-",
    ),
    *(
        "_",
        "--",
        "%%",
        "v0",
        "v1",
        ":A",
        "x/y",
        "A:B",
        "(v0 / FN)",
        "-LRB-",
        "-RRB-",
        "IMPLICIT",
        "LKG",
    ),
    *(
        "a b",
        " a",
        "a\u00a0b",
        "\u00a0",
        "\u2028",
        "a\u2028b",
        "\x85",
        "\t",
        "a\tb",
        "a\nb",
        "\r\n",
        "\n\n",
    ),
    *(
        "1-2",
        "3.1",
        "0",
        "é",
        "e\u0301",
        "🦊",
        "שלום",
        "<&>",
        "]]>",
        "\ufeff",
        "::tok",
        "# ::id x",
        "null",
    ),
    *("<", ">", "&amp;", "'", "%", "\u3000", "x" * 30, ""),
)
CATEGORIES = (
    *(
        "A",
        "P",
        "S",
        "C",
        "E",
        "H",
        "L",
        "F",
        "D",
        "N",
        "R",
        "G",
        "T",
        "Q",
        "U",
        "LR",
        "LA",
        "Terminal",
    ),
    *("X", "A", "P", "C", "E", "H"),
)
ODD_CATEGORIES = (
    *(
        "",
        " ",
        "A B",
        "A\nB",
        "\n",
        "\t",
        ":",
        ":A",
        "A:B",
        "/",
        '"',
        "(",
        ")",
        "A(",
        "#",
        "#1",
        "[",
        "]",
        "{",
        "}",
    ),
    *(
        "|",
        "A|B",
        "*",
        "A*",
        "-",
        "A-",
        "-A",
        "A-B",
        "A-remote",
        "remote",
        "A-of",
        "-of",
        "LR-of",
        "A-down1",
    ),
    *(
        "_",
        "--",
        "%%",
        "v0",
        "v1",
        "~",
        "~e.1",
        "+",
        "A+B",
        "ROOT",
        "TOP",
        "top",
        "Terminal",
        "\\",
        "=",
        "=1",
        "^",
    ),
    *(
        "\u00a0",
        "A\u00a0B",
        "\u2028",
        "é",
        "🦊",
        "<&>",
        "]]>",
        "Process",
        "Parallel Scene",
        "Unanalyzable",
    ),
    *("Uncertain", "0", "punct", "flat", "PUNCT", "FN", "remote", "\ufeff", "'", "x" * 30),
)
IDS = ("p7", "504", "", "a b", "a/b", "#", "x\ny", '"', "é", "..", "::tok x", "\u00a0", "0")
GUIDELINES = ("", "", "v2", "v1", "my own")


def odd_graph(choose: Choose, *, odd_categories: bool = True) -> Graph:
    """Make a valid graph: any units, edges and tokens that break no invariant.

    choose (Callable[[int], int]): Gives one of so many numbers.
    odd_categories (bool): Whether categories may be any text.
    RETURNS (Graph): The graph.
    """

    def chance(one_in: int) -> bool:
        return choose(one_in) == one_in - 1

    def pick(values: tuple) -> object:
        return values[choose(len(values))]

    def categories() -> tuple[str, ...]:
        known = ODD_CATEGORIES if strange and chance(4) else CATEGORIES
        return tuple(str(pick(known)) for _ in range(2 if chance(6) else 1))

    strange = odd_categories and chance(2)
    any_words = chance(2)
    words = [str(pick(WORDS if any_words else WORDS[:14])) for _ in range(choose(8))]
    punct = [word in ".,!" if not chance(8) else chance(2) for word in words]
    n_roots = choose(4) if chance(2) else 1
    n_units = n_roots + choose(8) if n_roots else 0
    kinds = [FOUNDATIONAL] * n_units
    edges: list[EdgeTuple] = []
    for unit in range(n_roots, n_units):
        edges.append(EdgeTuple(choose(unit), unit, categories()))
    for token in range(len(words)):
        parent = choose(n_units + 1) - 1
        if parent < 0:
            continue
        if punct[token] and chance(2):
            edges.append(EdgeTuple(parent, len(kinds), ("U",)))
            parent = len(kinds)
            kinds.append(PUNCT)
        label = categories() if chance(12) else ("Terminal",)
        edges.append(EdgeTuple(parent, ~token, label))
    full = {edge.parent for edge in edges}
    for unit in range(n_roots, n_units):
        if unit not in full and chance(2):
            kinds[unit] = IMPLICIT
        elif chance(16):
            kinds[unit] = PUNCT
    for unit in range(n_units):
        if chance(24):
            kinds[unit] = LINKAGE
    # A rank says which units may lead where, so that remote edges close no cycle: the primary tree goes downwards
    for _ in range(choose(6) if n_units > 1 else 0):
        parent, child = sorted((choose(n_units), choose(n_units)))
        if parent != child and not (kinds[parent] == IMPLICIT and not chance(4)):
            edges.append(EdgeTuple(parent, child, categories(), True))
    if n_units > 1 and chance(4):
        above = choose(n_units - 1)
        edges.append(EdgeTuple(above, len(kinds), categories()))
        edges.append(
            EdgeTuple(len(kinds), above + 1 + choose(n_units - above - 1), categories(), True)
        )
        kinds.append(FOUNDATIONAL)
    for _ in range(choose(3) if n_units and chance(4) else 0):
        for label in ("LR", "LA", "LA")[: choose(4)]:
            named = (label,) if not chance(8) else categories()
            edges.append(EdgeTuple(len(kinds), choose(n_units), named, chance(16)))
        kinds.append(LINKAGE)
    order = list(range(len(kinds)))
    if chance(2):
        for i in range(len(order) - 1, 0, -1):
            j = choose(i + 1)
            order[i], order[j] = order[j], order[i]
    placed = [""] * len(kinds)
    for old, new in enumerate(order):
        placed[new] = kinds[old]
    moved = [
        EdgeTuple(order[e.parent], order[e.child] if e.child >= 0 else e.child, *e[2:])
        for e in edges
    ]
    paragraphs = [1]
    for _ in words[1:]:
        paragraphs.append(paragraphs[-1] + chance(5))
    details: dict[str, str] = {"id": str(pick(IDS))} if not chance(4) else {}
    if name := pick(GUIDELINES):
        details["guidelines"] = str(name)
    return Graph(
        words, placed, moved, punct=punct, paragraphs=paragraphs[: len(words)], details=details
    )


@st.composite
def odd_graphs(draw, **options: bool):
    """RETURNS (Graph): A valid graph that may be odd."""
    return odd_graph(lambda n: draw(st.integers(0, n - 1)), **options)


def seeded_graph(seed: int, **options: bool) -> Graph:
    """RETURNS (Graph): The graph of a seed."""
    return odd_graph(random.Random(seed).randrange, **options)


def traits(graph: Graph) -> set[str]:
    """RETURNS (Set[str]): What is odd about a graph."""
    found = set()
    for unit in graph.units:
        out = [graph.edge_tuples[i] for i in graph.index.out[unit.index]]
        if out and all(edge.remote for edge in out):
            found.add("a unit with remote edges only")
        if unit.is_root and not graph.index.masks[unit.index]:
            found.add("a root without tokens")
    if any(not c.isalpha() for e in graph.edge_tuples for c in e.categories):
        found.add("a category with special characters")
    if any(not w.isalnum() for w in graph.words):
        found.add("a word with special characters")
    return found


def random_graph(seed: int, tokens: int) -> Graph:
    """Any tree over the tokens, most of its units discontinuous, with implicit units and remotes."""
    rng = random.Random(seed)
    builder = GraphBuilder([f"w{i}" * rng.randint(1, 4) for i in range(tokens)])
    top = []
    for token in range(tokens):
        unit = builder.add_unit()
        builder.add_terminal(unit, token)
        top.append(unit)
    while len(top) > 1:
        span = top if rng.random() < 0.4 else top[(i := rng.randrange(len(top))) : i + 3]
        picked = rng.sample(span, min(len(span), rng.randint(1, 3)))
        parent = builder.add_unit()
        for child in picked:
            builder.add_edge(parent, child, *rng.sample("PSADCE", rng.choice((1, 1, 2))))
        if rng.random() < 0.2:
            builder.add_edge(parent, builder.add_unit("IMPLICIT"), "A")
        # The place of the new unit among the others is that of one of its children.
        top[top.index(rng.choice(picked))] = parent
        top = [unit for unit in top if unit not in picked]
        if len(builder.kinds) > 6 * tokens:
            break
    root = builder.add_unit()
    for unit in top:
        builder.add_edge(root, unit, "H")
    return builder.build()
