"""Pictures: text trees and SVG say all a graph has, and nothing covers a label."""

import html
import inspect
import itertools
import re
import sys
import types
from xml.etree import ElementTree

import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st
from odd_graphs import random_graph
from spacy import displacy
from spacy.tokens import Doc

import spacy_ucca
from spacy_ucca.drawing.layout import (
    GAP,
    LABEL,
    LABEL_HEIGHT,
    label_width,
    make_layout,
)
from spacy_ucca.drawing.render import render, render_inline, render_svg, render_tree
from spacy_ucca.drawing.tree import shown
from spacy_ucca.errors import UccaError
from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.graph import Graph, GraphBuilder

SVG = "{http://www.w3.org/2000/svg}"
TEXT = """
[L#3 After] [H#1 [P graduation] [A* =2]] [U ,]
[H#4 [A#2 John] [P#5 gave] [A it] [P#5- up] [A IMPLICIT]] [U .]
[:LKG [LR =3] [LA =1] [LA =4]]
"""


@pytest.fixture
def graph() -> Graph:
    return read_brackets(TEXT)[0]


def parsed(svg: str) -> ElementTree.Element:
    root = ElementTree.fromstring(svg)
    assert root.tag == SVG + "svg"
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    assert root.attrib["viewBox"] == f"0 0 {root.attrib['width']} {root.attrib['height']}"
    for text in root.iter(SVG + "text"):
        assert 0 <= float(text.attrib["x"]) <= width and 0 < float(text.attrib["y"]) < height
    return root


def test_tree_reads_as_text(graph: Graph) -> None:
    assert render_tree(graph) == (
        "After graduation , John gave it up .\n"
        "├─ L  Linker          After\n"
        "├─ H  Parallel Scene\n"
        "│  ├─ P  Process      graduation\n"
        "│  └─ A* Participant  -> John (remote)\n"
        "├─ U  Punctuation     ,\n"
        "├─ H  Parallel Scene\n"
        "│  ├─ A  Participant  John\n"
        "│  ├─ P  Process      gave ... up\n"
        "│  ├─ A  Participant  it\n"
        "│  └─ A  Participant  (implicit)\n"
        "└─ U  Punctuation     .\n"
        "\n"
        "(linkage)\n"
        "└─ LKG Linkage\n"
        "   ├─ LR Link Relation  -> After\n"
        "   ├─ LA Link Argument  -> graduation\n"
        "   └─ LA Link Argument  -> John gave it up\n"
    )


def test_tree_color_and_ascii_change_nothing_else(sample: list[Graph]) -> None:
    for graph in sample:
        plain = render_tree(graph)
        assert re.sub(r"\x1b\[[0-9;]*m", "", render_tree(graph, color=True)) == plain
        simple = render_tree(graph, ascii=True)
        table = str.maketrans({"├": "|", "└": "`", "│": "|", "─": "-"})
        assert simple == plain.translate(table)


def test_tree_has_every_unit_edge_and_word(sample: list[Graph]) -> None:
    for graph in sample:
        lines = [line for line in render_tree(graph).splitlines() if re.match(r"[│ ]*[├└]", line)]
        inner = sum(len(unit.terminals) for unit in graph.units if unit.edges)
        assert len(lines) == len(graph.edges) + len(graph.linkages) + inner
        assert sum(line.endswith("(remote)") for line in lines) == sum(
            edge.remote for edge in graph.edges
        )
        assert sum(line.endswith("(implicit)") and "->" not in line for line in lines) == sum(
            unit.is_implicit for unit in graph.units
        )


def test_svg_has_every_unit_edge_and_word(sample: list[Graph]) -> None:
    for graph in sample:
        root = parsed(render_svg(graph, legend=False))
        groups = list(root.iter(SVG + "g"))
        units = [int(g.attrib["data-unit"]) for g in groups if "data-unit" in g.attrib]
        assert sorted(units) == list(range(len(graph)))
        labels = sorted(g.attrib["data-label"] for g in groups if "data-label" in g.attrib)
        assert labels == sorted(edge.label for edge in graph.edges)
        remote = [p for p in root.iter(SVG + "path") if p.attrib.get("class") == "remote"]
        assert len(remote) == sum(edge.remote for edge in graph.edges)
        assert all("stroke-dasharray" in p.attrib for p in remote)
        tokens = [t for t in root.iter(SVG + "text") if t.attrib.get("class") == "token"]
        assert len(tokens) == len(graph.words)


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["Hi"],
        ["<b>", "&amp;", '"'],
        ["👩‍👩‍👧", "❤️"],
        ["\n", " ", "", "\x00\ud800"],
        ["x" * 500],
    ],
)
def test_any_words_give_well_formed_svg(words: list[str]) -> None:
    builder = GraphBuilder(words)
    if words:
        root, unit = builder.add_unit(), builder.add_unit()
        builder.add_edge(root, unit, "H")
        for token in range(len(words)):
            builder.add_terminal(unit, token)
    for graph in (builder.build(), Graph(words, [], [])):
        tokens = [t for t in parsed(render_svg(graph)).iter(SVG + "text")]
        found = [t.text for t in tokens if t.attrib.get("class") == "token"]
        assert len(found) == len(words)
        for word, text in zip(words, found, strict=True):
            assert text == shown(word) or (text.endswith("…") and word.startswith(text[:-1]))
        tree = render_tree(graph)
        assert all(shown(word) in tree for word in words)
        assert tree.count("\n") <= 2


@pytest.mark.parametrize(
    "category",
    ["<b>", "</text>", '"&', "'", "]]>", "&#0;", "<script>x</script>", "\x00", "\x1b[2J", "a\nb"],
)
def test_any_categories_give_well_formed_svg(category: str) -> None:
    def elements(category: str) -> list[str]:
        builder = GraphBuilder(["It", "rains"])
        root, scene = builder.add_unit(), builder.add_unit()
        builder.add_edge(root, scene, category)
        for token in range(2):
            unit = builder.add_unit()
            builder.add_edge(scene, unit, category)
            builder.add_terminal(unit, token)
        tree = parsed(render_svg(builder.build()))
        labels = [g.attrib["data-label"] for g in tree.iter() if "data-label" in g.attrib]
        assert labels == [re.sub("[\x00\x1b]", "\ufffd", category)] * 3
        text = render_tree(builder.build(), ascii=True)
        assert text.count("\n") == 4 and "\x00" not in text and "\x1b" not in text
        return [element.tag for element in tree.iter()]

    assert elements(category) == elements("ZZ")


def test_right_to_left_mirrors(graph: Graph) -> None:
    ltr, rtl = make_layout(graph), make_layout(graph, rtl=True)
    for places, mirrored in ((ltr.tokens, rtl.tokens), (ltr.places, rtl.places)):
        for key, (x, y) in places.items():
            assert mirrored[key] == (pytest.approx(ltr.width - x), y)
    words = ["שלום", "עולם"]
    auto = render_svg(Graph(words, [], []))
    assert auto == render_svg(Graph(words, [], []), direction="rtl")
    assert auto != render_svg(Graph(words, [], []), direction="ltr")
    with pytest.raises(UccaError, match="UC604"):
        render_svg(graph, direction="up")


LANGS = ("ja", "zh-Hant-TW", "de-CH-1996", "sr-Latn", "es-419", "en-a-myext-b-another", "yue-x-own")
NO_LANGS = (
    "",
    "xx",
    "xx-DE",
    "zh_CN",
    "ja ",
    "ja\n",
    "日",
    "\u212ak",
    'ja" onload="alert(1)',
    "<b>",
    "-",
    "a-b",
)


@pytest.mark.parametrize("lang", [*LANGS, *NO_LANGS])
def test_what_is_drawn_names_its_language(graph: Graph, lang: str) -> None:
    named = graph.replace(details={"lang": lang})
    for options in ({}, {"max_tokens": 1}, {"max_depth": 1}):
        svg = render_svg(named, **options)
        assert parsed(svg).get("lang", "") == (lang if lang in LANGS else "")
        assert lang in LANGS or svg == render_svg(graph, **options)
    for drawn in (
        render(Graph.join([named, named])),
        render_inline(named),
        render(named, page=True),
    ):
        assert drawn.count(f'lang="{lang}"') == (lang in LANGS) * drawn.count("<svg xmlns")
    tree = render(named, style="tree", page=True)
    assert f'<pre lang="{lang if lang in LANGS else ""}">' in tree


@pytest.mark.parametrize("words, way", [("שלום עולם (Go) .", "rtl"), ("Dr. (Ann) left...", "ltr")])
def test_only_words_run_from_right_to_left(words: str, way: str) -> None:
    """Labels and the legend do not, in a page of Hebrew neither."""
    (graph,) = read_brackets(f"[H [A? {words}]]")
    tree = parsed(render_svg(graph))
    inside = {child: parent for parent in tree.iter() for child in parent}
    for text in tree.iter(SVG + "text"):
        above: ElementTree.Element | None = text
        while above is not None and "direction" not in above.attrib:
            above = inside.get(above)
        assert above is not None
        assert above.attrib["direction"] == (way if text.get("class") == "token" else "ltr")


# Words, and their widths in fonts of Noto at 15 pixels
WIDTHS = {
    **{"خصوص": 48.2, "أغسطس": 56.8, "आलेखक": 49.2, "പുസ്തകം": 74.3, "குழந்தைகள்": 98.8},
    **{"කියවනවා": 70.4, "ဖတ်ကြသည်": 80.8, "ქართული": 70.8, "երեխաները": 95.9, "መጽሐፍ": 42.8},
    **{"ᎦᏬᏂᎯᏍᏗ": 76.0, "ᐅᖃᐅᓯᖅ": 60.2, "щшжюЩШЖЮ": 102.5, "美味しい": 60.0, "그녀가": 41.5},
    **{"หนังสือ": 43.2, "ⵜⴰⵎⴰⵣⵉⵖⵜ": 84.3, "𒀀𒁀𒂀": 60.3, "ܟܬܒܐ": 45.7, "ÆÆŒŒ": 60.0, "ΜΜΜ": 37.5},
}


@pytest.mark.parametrize("rtl", [False, True])
def test_each_word_is_within_its_column(rtl: bool) -> None:
    words = [*WIDTHS, *reversed(WIDTHS)]
    places = make_layout(Graph(words, [], []), rtl=rtl).tokens
    ends = [
        (places[i][0] - WIDTHS[w] / 2, places[i][0] + WIDTHS[w] / 2) for i, w in enumerate(words)
    ]
    for (_, right), (left, _) in itertools.pairwise(ends[::-1] if rtl else ends):
        assert right + GAP / 4 < left


def test_sentences_stand_below_each_other(graph: Graph) -> None:
    both = make_layout(Graph.join([graph, graph]))
    n = len(graph.words)
    lowest = max(y for token, (_, y) in both.tokens.items() if token < n)
    upper = [y for unit, (_, y) in both.places.items() if unit >= len(graph)]
    assert min(upper) > lowest
    assert [both.tokens[i][0] for i in range(n)] == [both.tokens[i + n][0] for i in range(n)]


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.integers(1, 14), st.booleans())
def test_nothing_covers_anything(seed: int, tokens: int, rtl: bool) -> None:
    graph = random_graph(seed, tokens)
    layout = make_layout(graph, rtl=rtl)
    assert set(layout.places) == set(range(len(graph)))
    nodes = list(layout.places.values())
    for i, (x, y) in enumerate(nodes):
        for other_x, other_y in nodes[:i]:
            assert abs(x - other_x) > 16 or abs(y - other_y) > 16
    labels, drops = {}, {}
    for unit in graph.units:
        if unit.parent is not None:
            x, bar = layout.places[unit.index][0], layout.places[unit.parent.index][1]
            labels[unit] = (x, bar + LABEL, label_width(unit.label) / 2)
            drops[unit] = (x, bar, layout.places[unit.index][1])
            assert bar < layout.places[unit.index][1]
    for unit, (x, y, half) in labels.items():
        for other, (other_x, other_y, other_half) in labels.items():
            if other != unit:
                apart = abs(x - other_x) > half + other_half or abs(y - other_y) > LABEL_HEIGHT
                assert apart, (unit, other)
        for other, (other_x, top, bottom) in drops.items():
            if other != unit:
                assert abs(x - other_x) > half or not top < y < bottom, (unit, other)
    bars: dict[float, list[tuple[float, float]]] = {}  # what children hang on
    for unit in graph.units:
        ends = [layout.places[e.child.index][0] for e in unit.edges if not e.remote]
        ends += [layout.tokens[token][0] for token in unit.terminals]
        x, y = layout.places[unit.index]
        bar = min(x, *ends, x), max(x, *ends, x)
        for left, right in bars.setdefault(y, []):
            assert right < bar[0] or bar[1] < left
        bars[y].append(bar)
    parsed(render_svg(graph, direction="rtl" if rtl else "ltr", wrap=None))


def row_shift(row: ElementTree.Element, group: ElementTree.Element) -> tuple[float, float]:
    numbers = [0.0, 0.0]
    for element in (row, group):
        found = re.fullmatch(r"translate\((\S+) (\S+)\)", element.attrib.get("transform", ""))
        if found:
            numbers = [n + float(x) for n, x in zip(numbers, found.groups(), strict=True)]
    return numbers[0], numbers[1]


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.integers(12, 40), st.booleans(), st.sampled_from((300.0, 700.0)))
def test_rows_have_everything_once(seed: int, tokens: int, rtl: bool, wrap: float) -> None:
    graph = random_graph(seed, tokens)
    direction = "rtl" if rtl else "ltr"
    root = ElementTree.fromstring(render_svg(graph, direction=direction, wrap=wrap, legend=False))
    whole = ElementTree.fromstring(render_svg(graph, direction=direction, wrap=None, legend=False))
    rows = [g for g in root.iter(SVG + "g") if g.attrib.get("class") == "row"]
    width = float(root.attrib["width"])
    if float(whole.attrib["width"]) <= wrap:
        assert not rows
        return
    assert len(rows) > 1 and width < float(whole.attrib["width"])
    read: list[list[tuple[float, str]]] = []
    for row in rows:
        (moved,) = (g for g in row if g.tag == SVG + "g")
        (part,) = (s for s in row if s.tag == SVG + "svg")
        dx, dy = row_shift(row, moved)
        left = row_shift(row, part)[0]
        assert 0 <= left and left + float(part.attrib["width"]) <= width + 0.2
        read.append([])
        for text in moved.iter(SVG + "text"):
            assert -1 <= float(text.attrib["x"]) + dx <= width + 1
            assert 0 < float(text.attrib["y"]) + dy < float(root.attrib["height"])
            if text.attrib.get("class") == "token":
                read[-1].append((float(text.attrib["x"]) + dx, text.text or ""))
    # read row by row, in the direction of writing, the words are the sentence's
    words = [word for row in read for _, word in sorted(row, reverse=rtl)]
    assert words == list(graph.words)
    for what in ("data-unit", "data-edge"):
        numbers = [g.attrib[what] for g in root.iter(SVG + "g") if what in g.attrib]
        assert len(numbers) == len(set(numbers))
        assert set(numbers) == {g.attrib[what] for g in whole.iter(SVG + "g") if what in g.attrib}
    for kind in ("primary", "remote", "terminal"):
        paths = [
            {p.attrib["d"] for p in tree.iter(SVG + "path") if p.get("class") == kind}
            for tree in (root, whole)
        ]
        assert paths[0] == paths[1]


def test_rows_are_as_wide_as_asked(sample: list[Graph]) -> None:
    for graph in sample:
        svg = parsed(render_svg(graph, wrap=None, legend=False))
        if float(svg.attrib["width"]) > 420:
            cut = ElementTree.fromstring(render_svg(graph, wrap=400, legend=False))
            assert float(cut.attrib["width"]) <= 400
    with pytest.raises(UccaError, match="UC605"):
        render_svg(sample[0], wrap=10)


def test_render_is_the_way_in(graph: Graph) -> None:
    assert render(graph) == render_svg(graph)
    assert render([graph, graph], style="tree") == "\n".join([render_tree(graph)] * 2)
    assert render(graph, options={"legend": False}) == render_svg(graph, legend=False)
    with pytest.raises(UccaError, match="UC601"):
        render(graph, style="dep")
    with pytest.raises(UccaError, match=r"UC606.*'compact'.*legend"):
        render(graph, options={"compact": True})
    with pytest.raises(UccaError, match="UC607"):
        render({"words": []}, manual=True)
    with pytest.raises(UccaError, match="UC603"):
        render([3])


def test_render_asks_docs_for_their_graph(graph: Graph) -> None:
    import spacy

    import spacy_ucca  # noqa: F401

    nlp = spacy.blank("en")
    doc = spacy.tokens.Doc(nlp.vocab, words=graph.words)
    with pytest.raises(UccaError, match="UC602"):
        render(doc)
    doc._.ucca = graph
    assert render(doc, style="tree") == render_tree(graph)


def test_render_takes_what_displacy_takes(graph: Graph) -> None:
    theirs = inspect.signature(displacy.render).parameters
    ours = inspect.signature(spacy_ucca.render).parameters
    assert list(ours) == list(theirs)
    assert all(ours[name].kind == theirs[name].kind for name in theirs)
    for name in ("page", "minify", "jupyter", "manual"):
        assert ours[name].default == theirs[name].default
    page = render([graph, graph], page=True)
    assert page.startswith("<!DOCTYPE html>") and page.count('<div class="ucca-fit ucca-1200') == 2
    assert "charset" in page and 'lang="en"' in page
    tree = render(graph, style="tree", page=True)
    assert html.escape(render_tree(graph)) in tree
    assert ">\n" not in render(graph, minify=True)
    small = ElementTree.canonicalize(render(graph, minify=True))
    assert small == ElementTree.canonicalize(render(graph), strip_text=True)
    assert render(graph.to_record(), manual=True) == render(graph)
    assert render([graph.to_record()] * 2, manual=True) == render([graph] * 2)


def test_a_span_is_drawn_with_its_sentences(graph: Graph) -> None:
    nlp = spacy.blank("en")
    doc = Doc(nlp.vocab, words=list(graph.words) * 3)
    doc._.ucca = Graph.join([graph.without(linkage=True)] * 3)
    n = len(graph.words)
    for start, end, count in ((0, 1, 1), (n, n + 2, 1), (n - 1, n + 1, 2), (0, 3 * n, 3)):
        assert render(doc[start:end]).count('class="token"') == count * n
    assert render(doc).count('class="token"') == 3 * n


def test_in_a_notebook_it_is_shown(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    shown_there: list = []
    module = types.ModuleType("IPython.display")
    module.HTML = lambda text: text
    module.display = lambda what, **_: shown_there.append(what)
    monkeypatch.setitem(sys.modules, "IPython", types.ModuleType("IPython"))
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    assert render(graph, jupyter=True) is None
    assert (
        shown_there[0].startswith('<div class="tex2jax_ignore ucca-box"')
        and "<svg " in shown_there[0]
    )
    assert render(graph, style="tree", jupyter=True) is None
    assert shown_there[1] == {"text/plain": render_tree(graph)}
    assert render(graph, jupyter=False) == render_svg(graph)


def test_highlighted_units_are_bold_and_have_a_ring():
    first, second = read_brackets("[H [A Ann] [P came]]\n\n[H [A Bob] [P left]]")
    graph = Graph.join([first, second])
    bob = graph.units_by("A")[1]
    for item in (bob, bob.index):
        svg = render_svg(graph, highlight=[item])
        assert svg.count('class="highlight"') == 1
        assert re.findall(r'font-weight="700"[^>]*>(\w+)<', svg) == ["Bob"]
    alone = render(bob, jupyter=False)
    assert "Bob" in alone and "Ann" not in alone and alone.count('class="highlight"') == 1
    assert "highlight" not in render(bob, jupyter=False, options={"highlight": []})
    for wrong in (len(graph), first.root):
        with pytest.raises(UccaError, match="UC609"):
            render_svg(graph, highlight=[wrong])


@pytest.mark.parametrize(
    "option, code",
    [
        ({"wrap": "300"}, "UC605"),
        ({"wrap": []}, "UC605"),
        ({"max_tokens": 1.5}, "UC608"),
        ({"colors": [1]}, "UC744"),
        ({"colors": {"A": None}}, "UC744"),
        ({"highlight": "A"}, "UC609"),
    ],
)
def test_options_of_other_types(option: dict, code: str) -> None:
    with pytest.raises(UccaError, match=code):
        render_svg(read_brackets("[H [A Ann] [P came]]")[0], **option)
