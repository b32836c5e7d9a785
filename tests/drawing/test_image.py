"""PNG and PDF."""

import re
import sys
import warnings

import pytest

from spacy_ucca.drawing import image
from spacy_ucca.drawing.image import render_image
from spacy_ucca.drawing.render import render_svg
from spacy_ucca.errors import UccaError
from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.graph import Graph

pytest.importorskip("typst", reason="typst is not installed")
SVG = render_svg(read_brackets("[H [A Ann] [P came]]")[0])


def size(png: bytes) -> tuple[int, int]:
    assert png.startswith(b"\x89PNG")
    return int.from_bytes(png[16:20], "big"), int.from_bytes(png[20:24], "big")


def sides(svg: str) -> list[float]:
    return [float(n) for n in re.findall(r'(?:width|height)="([\d.]+)"', svg)[:2]]


@pytest.mark.parametrize("theme", ["auto", "dark"])
def test_images_are_as_large_as_the_picture(theme: str) -> None:
    svg = render_svg(read_brackets("[H [A Ann] [P came]]")[0], theme=theme)
    assert size(render_image(svg)) == pytest.approx([2 * n for n in sides(svg)], abs=1)
    pdf = render_image(svg, "pdf")
    box = re.search(rb"/MediaBox ?\[0 0 ([\d.]+) ([\d.]+)\]", pdf)
    assert box is not None
    assert [float(n) for n in box.groups()] == pytest.approx([0.75 * n for n in sides(svg)], abs=1)
    assert b"/FontFile" in pdf


def test_large_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    width, height = sides(SVG)
    monkeypatch.setattr(image, "MAX_PIXELS", int(width * height * 1.5))
    assert size(render_image(SVG))[0] == pytest.approx(width * 1.5**0.5, abs=2)
    monkeypatch.setattr(image, "MAX_PIXELS", int(width * height * 0.9))
    with pytest.raises(UccaError, match=r"UC742.*--max-tokens"):
        render_image(SVG)
    monkeypatch.setattr(image, "MAX_POINTS", 50)
    found = re.search(rb"/MediaBox ?\[0 0 ([\d.]+) ([\d.]+)\]", render_image(SVG, "pdf"))
    assert found is not None and max(map(float, found.groups())) == pytest.approx(50, abs=1)


def test_a_missing_font_is_named() -> None:
    for form in image.IMAGES:
        with pytest.warns(UserWarning, match="UW744.*f1234.*Noto"):
            assert render_image(render_svg(Graph(["a\U000f1234"], [], [])), form)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for words in ([], [""], ["Ann", "<b>&"]):
            assert render_image(render_svg(Graph(words, [], [])))


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "typst", None)
    with pytest.raises(UccaError, match=r"UC570.*spacy-ucca\[pictures\]"):
        render_image(SVG)


def test_what_is_no_picture_is_refused() -> None:
    with pytest.raises(UccaError, match=r"UC601.*png, pdf"):
        render_image(SVG, "gif")


@pytest.mark.parametrize("svg", ["", None, SVG + SVG, "<!DOCTYPE html>" + SVG, "Ann"])
def test_what_is_no_picture(svg: object) -> None:
    with pytest.raises(UccaError, match="UC743"):
        render_image(svg)  # type: ignore[arg-type]
