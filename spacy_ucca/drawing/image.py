"""Pictures as PNG and PDF, by Typst, which shapes every script and embeds its fonts."""

import warnings

from ..errors import Errors, UccaError, Warnings
from ..methods import load_package
from .theme import STYLE, length_of

IMAGES = ("png", "pdf")
SCALE = 2.0  # pixels of a PNG for one of the SVG; 1 at least, if it is large
MAX_PIXELS = 150_000_000  # of a PNG: 600 MB while it is drawn
POINT = 0.75  # of a pixel
MAX_POINTS = 14_400  # the longest side of a page that viewers of PDF show
SOURCE = b"""#set page(width: auto, height: auto, margin: 0pt)
#image(bytes(sys.inputs.svg), format: "svg", width: float(sys.inputs.width) * 1pt)"""


def render_image(svg: str, format: str = "png") -> bytes:
    """Turn a picture into a PNG or a PDF. What no installed font has is drawn as a box, with a warning.

    svg (str): An SVG of `render`. A theme of "auto" is light.
    format (str): "png", of 192 dots per inch or, if it is large, 96, or "pdf": PDF/A on one page, with its fonts.
    RETURNS (bytes): The file.
    RAISES (UccaError): If it is no picture, or several, the format is unknown, the package `typst` is missing, or the PNG would be too large.
    """
    if format not in IMAGES:
        raise UccaError(Errors.UC601.format(style=format, styles=", ".join(IMAGES)))
    if not isinstance(svg, str) or svg.count("<svg") != 1 or not svg.startswith("<svg"):
        raise UccaError(Errors.UC743)
    typst = load_package("typst", "pip install 'spacy-ucca[pictures]'")
    width, height = length_of(svg, "width"), length_of(svg, "height")
    area = width * height
    if format == "png" and area > MAX_PIXELS:
        raise UccaError(Errors.UC742.format(n=area / 1e6, most=MAX_PIXELS / 1e6))
    points = width * min(POINT, MAX_POINTS / max(width, height))
    inputs = {"svg": STYLE.sub("", svg), "width": f"{points:.2f}"}
    try:  # PDF/A takes no text without glyphs
        image = typst.compile(SOURCE, format="pdf", pdf_standards="a-2b", sys_inputs=inputs)
    except typst.TypstError as err:
        _, text, rest = f"{err}``".split("`", 2)
        if "could not be displayed" not in rest:
            raise
        warnings.warn(Warnings.UW744.format(text=text), stacklevel=2)
        image = typst.compile(SOURCE, format="pdf", sys_inputs=inputs)
    ppi = 72 / POINT * min(SCALE, (MAX_PIXELS / max(area, 1)) ** 0.5)
    is_pdf = format == "pdf"
    return image if is_pdf else typst.compile(SOURCE, format="png", ppi=ppi, sys_inputs=inputs)
