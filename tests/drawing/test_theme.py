"""Colours of pictures: groups of categories differ for every eye, text can be read, and dark places get dark pictures."""

import re
from itertools import combinations

import numpy as np
import pytest

from spacy_ucca.drawing.picture import FORMS
from spacy_ucca.drawing.render import render, render_svg
from spacy_ucca.drawing.theme import DARK, INK, PAPER, SOFT, STYLE, THEMES, apply_theme, mixed
from spacy_ucca.drawing.tree import PALETTE
from spacy_ucca.errors import UccaError
from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.graph import Graph

GROUPS = ("PS", "A", "DT", "CENQR", "HLG", "FU")
GROUP_OF = {category: group for group in GROUPS for category in group}
# Machado, Oliveira and Fernandes 2009, severity 1
SIGHTS = {
    "normal": np.eye(3),
    "protanope": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranope": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanope": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
TO_LMS = [
    [0.4122214708, 0.5363325363, 0.0514459929],
    [0.2119034982, 0.6806995451, 0.1073969566],
    [0.0883024619, 0.2817188376, 0.6299787005],
]
TO_LAB = [
    [0.2104542553, 0.7936177850, -0.0040720468],
    [1.9779984951, -2.4285922050, 0.4505937099],
    [0.0259040371, 0.7827717662, -0.8086757660],
]
APART = 0.075  # in OKLab, where black and white are 1 apart


def linear(color: str) -> np.ndarray:
    values = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def seen(color: str, sight: str) -> np.ndarray:
    """RETURNS (ndarray): A colour in OKLab, as somebody sees it."""
    rgb = np.clip(np.array(SIGHTS[sight]) @ linear(color), 0, 1)
    return np.array(TO_LAB) @ np.cbrt(np.array(TO_LMS) @ rgb)


def contrast(color: str, other: str) -> float:
    """RETURNS (float): The contrast of WCAG 2."""
    first, second = sorted(linear(c) @ [0.2126, 0.7152, 0.0722] for c in (color, other))
    return (second + 0.05) / (first + 0.05)


@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_groups_differ_for_every_eye(theme: str, sight: str) -> None:
    colors = {c: seen(PALETTE[c][theme == "dark"], sight) for c in GROUP_OF}
    for one, other in combinations(colors, 2):
        if GROUP_OF[one] != GROUP_OF[other]:
            assert np.linalg.norm(colors[one] - colors[other]) > APART, (one, other)


def test_groups_differ_without_colours() -> None:
    """By the forms of their labels."""
    forms = {group: {PALETTE[c][3] for c in group} for group in GROUPS}
    assert all(len(found) == 1 for found in forms.values())
    assert len(set.union(*forms.values())) == len(GROUPS)
    assert set.union(*forms.values()) == {*FORMS, "pill", "box", "bare"}
    graph = read_brackets(" ".join(f"[{c} w]" for c in GROUP_OF))[0]
    svg = render_svg(graph, legend=False)
    labels = re.findall(
        r'<g class="label" data-label="(\w)".*?<(?:path d="M|rect)([^/]*)/>', svg, re.S
    )
    drawn = {}
    for label, shape in labels:
        if "height" in shape:
            key = " ".join(re.findall(r'rx="\d+"|stroke="', shape))
        else:
            points = re.findall(r"-?[\d.]+", re.sub(r'" .*', "", shape))
            key = f"cut {float(points[2]) - float(points[0]):.0f} {float(points[4]) - float(points[1]):.0f}"
        drawn.setdefault(GROUP_OF[label], set()).add(key)
    assert len(drawn) == len(GROUPS)
    assert all(not a & b for a, b in combinations(drawn.values(), 2))


@pytest.mark.parametrize("category", PALETTE)
def test_labels_can_be_read(category: str) -> None:
    color, dark = PALETTE[category][0], dict(DARK)
    text, fill = (mixed(color, share, dark) for share in (-0.3, 0.9))
    assert contrast(text, fill) >= 4.5
    assert contrast(dark[text], dark[fill]) >= 4.5


def test_words_can_be_read() -> None:
    for ink in (INK, SOFT):
        assert contrast(ink, PAPER) >= 4.5 and contrast(DARK[ink], DARK[PAPER]) >= 4.5
    palette = {light for light, *_ in PALETTE.values()} - {SOFT}
    assert not palette & {PAPER, INK, SOFT}  # each light colour has one dark one


def colors_in(svg: str) -> set[str]:
    return set(re.findall(r'(?:fill|stroke)="(#\w+)"', STYLE.sub("", svg)))


def test_themes(sample: list[Graph]) -> None:
    for graph in sample[:12]:
        auto, light, dark = (render_svg(graph, theme=theme) for theme in THEMES)
        assert STYLE.sub("", auto).replace("\n", "") == light.replace("\n", "")
        assert "<style>" not in light + dark and colors_in(auto) == colors_in(light)
        rules = dict(re.findall(r"light-dark\((#\w+),(#\w+)\)", auto))
        assert set(rules) == colors_in(light)  # nothing stays light in the dark
        assert set(rules.values()) == colors_in(dark)
        assert not re.search(r'(fill|stroke)="#ffffff"', dark)
    with pytest.raises(UccaError, match=r"UC740.*auto, light, dark"):
        render_svg(sample[0], theme="sepia")


def test_what_the_user_says_of_colours_holds() -> None:
    graph = read_brackets("[H [A Ann] [P came]]")[0]
    svg = render_svg(graph, colors={"A": "#123456", "P": "red"})
    assert 'fill="#123456"' in svg and 'fill="red"' in svg and "#123456,#" not in svg
    svg = render_svg(graph, background="#ffffee")
    assert 'fill="#ffffee"' in svg and "<style>" not in svg  # light ink, whatever the page
    assert 'fill="#ffffee"' in render_svg(graph, background="#ffffee", theme="dark")
    assert "<style>" in render_svg(graph, background=None)


def test_words_are_no_colours() -> None:
    words = ['a fill="#1e293b"', 'stroke="#94a3b8">', "</title>"]
    graph = read_brackets("[H a b c]")[0]
    graph = Graph(words, graph.kinds, graph.edge_tuples)
    title = 'a␣fill="#1e293b" stroke="#94a3b8"&gt; &lt;/title&gt;'
    for theme in THEMES:
        assert f"<title>{title}</title>" in render_svg(graph, theme=theme)


def test_a_page_has_the_style_once() -> None:
    graph = read_brackets("[H [A Ann] [P came]]")[0]
    page = render([graph] * 3, page=True)
    assert page is not None and page.count("<svg xmlns") == 3
    assert page.count("<style>") == 1 and page.count(".ucca:root") == 1
    alone = render_svg(graph)
    for rule in STYLE.findall(alone)[0].splitlines():
        assert page.count(rule) == 1
    assert apply_theme("<svg><title>a</title></svg>", "light") == "<svg><title>a</title></svg>"
