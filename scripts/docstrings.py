"""An extension of griffe, which reads docstrings for the reference of the site: those of this package, in spaCy's form, become the
sections that griffe knows.

    name (type): text                  Args:
    RETURNS (type): text         ->    Returns:
    YIELDS (type): text                Yields:
    RAISES (Error): text               Raises:
"""

import re
from typing import Any

from griffe import Extension, Object

SECTIONS = {"RETURNS": "Returns", "YIELDS": "Yields", "RAISES": "Raises"}
_FIELD = re.compile(rf"({'|'.join(SECTIONS)}) \((.+?)\): ")
_LATER = re.compile(
    rf"(?<=\.) (?={_FIELD.pattern})"
)  # on the line of another field, or of the text
# Names with a type, or several names without one: "config, exclude: ..."
_ARGUMENTS = re.compile(
    r"(\*{0,2}[a-z_]\w*(?:, \*{0,2}[a-z_]\w*)*)(?: \(((?:[^()]|\([^()]*\))+)\))?: "
)


def to_sections(text: str, names: set[str] | None) -> str:
    """Rewrite a docstring of this package in the style of Google.

    text (str): The docstring.
    names (Optional[set]): The names of the arguments: other lines of this form are text. None, if they are not known: then each
        line with a type in brackets is one.
    RETURNS (str): The docstring with sections.
    """
    prose: list[str] = []
    sections: dict[str, list[str]] = {}
    place = prose
    for line in _LATER.sub("\n", text.strip()).splitlines():
        if field := _FIELD.match(line):
            kind, types = field.groups()
            place = sections.setdefault(SECTIONS[kind], [])
            place.append(f"    {types}: {line[field.end() :]}")
        elif (found := _ARGUMENTS.match(line)) and (
            found[2] if names is None else {*re.findall(r"\w+", found[1])} <= names
        ):
            place = sections.setdefault("Args", [])
            types = f" ({found[2]})" if found[2] else ""
            for name in found[1].split(", "):
                place.append(f"    {name}{types}: {line[found.end() :]}")
        elif place is prose or not line.strip():
            place = prose
            prose.append(line)
        else:
            place.append(f"        {line.strip()}")
    blocks = ["\n".join(prose).strip()]
    blocks += [
        "\n".join([f"{name}:", *sections[name]])
        for name in ("Args", *SECTIONS.values())
        if name in sections
    ]
    return "\n\n".join(filter(None, blocks))


class SpacyDocstrings(Extension):
    """Rewrites the docstrings of all functions and classes that griffe reads."""

    def on_instance(self, *, obj: Object, **kwargs: Any) -> None:
        """Rewrite a docstring. griffe calls this for each object."""
        if obj.docstring is not None and (obj.is_function or obj.is_class or obj.is_attribute):
            known = {p.name.lstrip("*") for p in obj.parameters} if obj.is_function else None
            obj.docstring.value = to_sections(obj.docstring.value, known)
