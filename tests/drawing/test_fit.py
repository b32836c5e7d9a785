"""Pictures fit where they are shown: rows that can be read by themselves, folded units, widths for pages."""

import re
from bisect import bisect_right
from pathlib import Path
from xml.etree import ElementTree

import pytest
from browsing import open_browser
from hypothesis import given, settings
from hypothesis import strategies as st
from odd_graphs import random_graph
from strategies import graphs

from spacy_ucca.drawing.layout import make_layout
from spacy_ucca.drawing.page_comparison import render_comparison
from spacy_ucca.drawing.part import MAX_TOKENS, visible_part
from spacy_ucca.drawing.render import WIDTHS, render, render_inline, render_svg, render_tree
from spacy_ucca.drawing.rows import Row, repeats
from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.graph import Graph

SVG = "{http://www.w3.org/2000/svg}"
LONG = read_brackets(" ".join(["[H [A Ann] [P saw] [A [E the] [C film]]] [U ,]"] * 6))[0]


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.integers(2, 40), st.lists(st.integers(1, 39), max_size=4))
def test_each_row_hangs_together(seed: int, tokens: int, ends: list[int]) -> None:
    """In each row there are the root and all units on which something hangs there, as nodes or rings, and a line to each ring."""
    graph = random_graph(seed, tokens)
    layout = make_layout(graph)
    borders = sorted({layout.tokens[end][0] - 1 for end in ends if end < tokens})

    def row_of(x: float) -> int:
        return bisect_right(borders, x)

    rows = [Row(left, right) for left, right in zip([0.0, *borders], [*borders, layout.width])]
    nodes = {(unit, row_of(layout.places[unit.index][0])) for unit in graph.units}
    rings, lines = {}, {}
    for unit, (x, y), is_new, below in repeats(graph.root, layout, rows):
        row = row_of(x)
        assert y == layout.places[unit.index][1] and is_new == ((unit, row) not in nodes)
        if is_new:
            rings[unit, row] = x, y
        for other, place in below:
            assert rings[other, row] == place and unit in other.ancestors()
            assert (other, row) not in lines
            lines[other, row] = unit
    seen = nodes | rings.keys()
    assert {(graph.root, row) for row in range(len(rows))} <= seen
    assert {key for key in rings if key[0] != graph.root} == set(lines)
    assert {(graph.unit_of(t), row_of(x)) for t, (x, _) in layout.tokens.items()} <= seen
    assert {(unit.parent, row) for unit, row in nodes if unit.parent is not None} <= seen


@pytest.mark.parametrize("direction", ["ltr", "rtl"])
def test_rings_are_within_their_rows(direction: str) -> None:
    root = ElementTree.fromstring(render_svg(LONG, wrap=300, direction=direction))
    rows = [g for g in root.iter(SVG + "g") if g.get("class") == "row"]
    assert len(rows) > 3
    top = min(float(c.attrib["cy"]) for c in root.iter(SVG + "circle"))
    for row in rows:
        (part,) = (s for s in row if s.tag == SVG + "svg")
        left, _, width, _ = map(float, part.attrib["viewBox"].split())
        dots = [c for c in row.iter(SVG + "circle") if float(c.attrib["cy"]) == top]
        assert len(dots) == 1 and left < float(dots[0].attrib["cx"]) < left + width
    assert 'class="again"' not in render_svg(LONG, wrap=None)


@settings(max_examples=60)
@given(graphs(max_roots=3, max_words=12, max_units=12))
def test_folding_loses_no_scene_token_or_remote_edge(graph: Graph) -> None:
    part = visible_part(graph, None, None, collapse=True)
    assert {scene.index for scene in graph.scenes} <= set(part.units)
    assert {e.index for e in graph.edges if e.remote or e.is_linkage} <= set(part.edges)
    for edge in part.graph.edges:
        whole = graph.edge_tuples[part.edges[edge.index]]
        assert part.units[edge.parent.index] == whole.parent
        assert edge.categories == whole.categories and edge.remote == whole.remote
        assert part.units[edge.child.index] == whole.child
    for unit in part.graph.units:  # inside of what holds no Scene there is nothing
        whole_unit = graph[part.units[unit.index]]
        if unit.kind == "LKG":
            continue
        below = {u for u in whole_unit.iter() if u.kind != "LKG"}
        holds = any(u.is_scene or any(e.remote for e in u.edges) for u in below)
        ends = any(e.remote or e.is_linkage for u in below - {whole_unit} for e in u.incoming)
        assert holds or ends or whole_unit.is_root or not unit.children
        if whole_unit.is_root:
            assert len(unit.children) == len(whole_unit.children)
        assert unit.tokens() == whole_unit.tokens()
    svg = ElementTree.fromstring(render_svg(graph, collapse=True))
    tokens = [t.text for t in svg.iter(SVG + "text") if t.get("class") == "token"]
    assert len(tokens) == len(graph.words)


def test_folded_units_are_their_words() -> None:
    graph = read_brackets(
        "[H [A#c [E The] [C film [E we]]] [P [C fell] [F apart]]] [H [P end] [A* =c]] [U .]"
    )[0]
    assert render_tree(graph, collapse=True).splitlines() == [
        "The film we fell apart end .",
        "├─ H  Parallel Scene",
        "│  ├─ A  Participant  The film we",
        "│  └─ P  Process      fell apart",
        "├─ H  Parallel Scene",
        "│  ├─ P  Process      end",
        "│  └─ A* Participant  -> The film we (remote)",
        "└─ U  Punctuation     .",
    ]
    assert render_svg(graph, collapse=True).count('class="unit"') == 7
    # A remote edge leads to what the graph says, and what is under a root is there.
    (graph,) = read_brackets("[A [E [E of] [C x]] [C#x man]] [A* =x]")
    assert "-> man (remote)" in render_tree(graph, collapse=True)
    assert "of x" in render_tree(graph, collapse=True)


def widths(html: str) -> list[float]:
    return [float(width) for width in re.findall(r'<svg xmlns[^>]* width="([\d.]+)"', html)]


def test_pages_have_the_widths_that_they_need() -> None:
    page = render(LONG, page=True) or ""
    found = widths(page)
    assert len(found) == len(WIDTHS) and all(a <= b for a, b in zip(found, WIDTHS))
    assert page.count('style="display: none"') == len(WIDTHS) - 1 and page.count("ucca-print") >= 1
    assert widths(render_inline(LONG)) == found
    short = read_brackets("[H [A Ann] [P came]]")[0]
    assert len(widths(render(short, page=True) or "")) == 1
    assert widths(render(LONG, page=True, options={"wrap": 500}) or "") == widths(
        render_svg(LONG, wrap=500)
    )
    many = Graph.join([LONG] * (MAX_TOKENS // len(LONG.words) + 1))
    assert len(widths(render(many, page=True, options={"max_tokens": 20}) or "")) == 1
    pair = render_comparison(LONG, LONG)
    assert len(widths(pair)) == 2 * len(WIDTHS)
    assert len(widths(render_comparison(LONG, LONG, options={"wrap": 500}))) == 2


def test_the_picture_that_fits_is_shown(tmp_path: Path) -> None:
    """In a browser: one of the pictures, as wide as there is room; on paper, one; in dark places, dark."""
    path = tmp_path / "page.html"
    path.write_text(render(LONG, page=True) or "", "utf8")
    shown = """return [...document.querySelectorAll('.ucca-fit svg.ucca')].filter(svg => svg.getBoundingClientRect().width)
        .map(svg => [svg.getBoundingClientRect().width, document.documentElement.scrollWidth,
          getComputedStyle(svg.querySelector('rect')).fill])"""
    with open_browser(tmp_path) as browser:
        chrome = browser.chrome
        chrome.get(path.as_uri())
        for width, media, scheme, least in (
            *((360, "", "light", 200), (800, "", "dark", 500), (1280, "", "dark", 720)),
            (700, "print", "dark", 500),
        ):
            size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False}
            chrome.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
            features = [{"name": "prefers-color-scheme", "value": scheme}]
            chrome.execute_cdp_cmd(
                "Emulation.setEmulatedMedia", {"media": media, "features": features}
            )
            ((drawn, scroll, fill),) = chrome.execute_script(shown)
            assert least <= drawn <= width and scroll <= width
            dark = scheme == "dark" and not media
            assert fill == ("rgb(30, 41, 59)" if dark else "rgb(255, 255, 255)")
        path.write_text(f'<body data-jp-theme-light="false">{render_inline(LONG)}', "utf8")
        chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})
        chrome.get(path.as_uri())
        ((_, _, fill),) = chrome.execute_script(shown)
        assert fill == "rgb(30, 41, 59)"
