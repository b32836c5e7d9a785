"""The colours of pictures, light and dark. Pictures are drawn in the light ones, and then get the dark ones or both."""

import re
from collections.abc import Mapping
from importlib.resources import files

from ..errors import Errors, UccaError
from .tree import PALETTE

COLORS = {category: light for category, (light, *_) in PALETTE.items()}
PAPER, INK, LINE, FAINT, SOFT = "#ffffff", "#1e293b", "#94a3b8", "#b8c4d3", "#475569"
ONLY, OTHER, MARKER = "#b91c1c", "#b45309", "#fde68a"
DARK = {
    **{light: dark for light, dark, *_ in PALETTE.values()},
    **{PAPER: "#1e293b", INK: "#e2e8f0", LINE: "#7c8ba1", FAINT: "#5b6b82", SOFT: "#a9b6c8"},
    **{ONLY: "#f87171", OTHER: "#fbbf24", MARKER: "#854d0e"},
}
THEMES = ("auto", "light", "dark")
# Of an element, not of its text, where ">" is escaped
PAINT = re.compile(r'(?<= )(fill|stroke)="(#[0-9a-f]{6})"(?=[^<>]*>)')
STYLE = re.compile(r"<style>([^<]*)</style>\n?")
# An image follows the reader's choice, an element its page, or the theme of JupyterLab or VS Code. Paper is light.
SCHEMES = files(__package__).joinpath("theme.css").read_text("utf8")


def mixed(color: str, share: float, dark: dict[str, str]) -> str:
    """Mix a colour with the paper, or with the colour opposite to it if the share is negative.

    color (str): The colour. What is not written as "#rrggbb" stays as it is.
    share (float): The share of the other colour.
    dark (Dict[str, str]): The dark colours. The mixture gets one, too.
    RETURNS (str): The mixture.
    """
    if not re.fullmatch("#[0-9a-fA-F]{6}", color):
        return color
    grounds = (PAPER, DARK[PAPER]) if share > 0 else ("#000000", PAPER)
    pairs = zip((color, dark.get(color, color)), grounds)
    light, other = (_blend(*pair, abs(share)) for pair in pairs)
    dark.setdefault(light, other)
    return light


def _blend(color: str, other: str, share: float) -> str:
    channels = zip(bytes.fromhex(color[1:]), bytes.fromhex(other[1:]))
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in channels)


def apply_theme(svg: str, theme: str, dark: Mapping[str, str] = DARK) -> str:
    """Give a light picture its theme.

    svg (str): The picture, of the class "ucca", with a title.
    theme (str): "light", "dark", or "auto": light, with a style for dark places. Programs without CSS draw it light.
    dark (Mapping[str, str]): Light colours and the dark ones in their place. Others stay.
    RETURNS (str): The picture.
    RAISES (UccaError): If there is no such theme.
    """
    if theme not in THEMES:
        raise UccaError(Errors.UC740.format(theme=theme, themes=", ".join(THEMES)))
    if theme == "dark":
        return PAINT.sub(lambda paint: f'{paint[1]}="{dark.get(paint[2], paint[2])}"', svg)
    if theme == "auto":
        used = sorted({paint.groups() for paint in PAINT.finditer(svg) if paint[2] in dark})
        rules = "\n".join(f".ucca [{k}='{c}']{{{k}:light-dark({c},{dark[c]})}}" for k, c in used)
        svg = svg.replace("</title>", f"</title>\n<style>{SCHEMES}{rules}</style>", 1)
    return svg


def length_of(svg: str, side: str) -> float:
    """RETURNS (float): The "width" or "height" of a picture in pixels."""
    return float(svg.partition(f' {side}="')[2].partition('"')[0])


def share_styles(page: str) -> str:
    """RETURNS (str): A page whose pictures have their style once, at its beginning."""
    head, body, rest = page.partition("<body>")
    rules = dict.fromkeys(rule for css in STYLE.findall(rest) for rule in css.splitlines())
    return head.replace("</style>", "\n".join([*rules, "</style>"]), 1) + body + STYLE.sub("", rest)
