"""Checks of a graph against UCCA's own rules, beyond the invariants every `Graph` keeps.

"error" rules say what makes a graph no UCCA graph: every token attached, no token under the root, which edges may be
remote. "warning" rules say what the guidelines ask of annotators: which categories may stand together and under each
other. Published corpora break some of the latter; `spacy-ucca validate` counts them. The rules follow the UCCA
guidelines 2.0 (Abend et al., 2020) and, for graphs with linkage units, 1.0.

A graph without tokens of white space breaks a rule, `OWN_RULES` left out, exactly if
`ucca.validation.validate(passage, linkage=False)` of the `ucca` package finds something in it: that is how the corpora are
checked where they are published. White space is no token of UCCA: on a Doc it hangs on nothing, and the formats of the
`ucca` package do not have it.
"""

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from ..graph import Graph
from .category_checks import MAX_TEXT, category_findings, find_groups
from .grammar import CATEGORIES, ERROR, WARNING, Table
from .structure_checks import CHECKS

__all__ = ["ERROR", "OWN_RULES", "RULES", "WARNING", "Problem", "validate_graph"]

# What the `ucca` package does not ask for, at least without linkage.
OWN_RULES = frozenset({"known-category", "terminal-edge", "linkage", "function-childless"})


class Problem(NamedTuple):
    """A rule that a graph breaks.

    rule (str): The name of the rule, a key of `RULES`.
    level (str): "error" or "warning".
    unit (Optional[int]): The unit, by index.
    text (str): Its words, or what else shows the place.
    message (str): What is wrong there.
    """

    rule: str
    level: str
    unit: int | None
    text: str
    message: str


@cache
def rules_with(table: Table) -> dict[str, tuple[str, str]]:
    """RETURNS (Dict[str, Tuple[str, str]]): The level and the text of each rule by its name, with the rules of a table.
    Errors come first."""
    rules = {name: (check.level, check.text) for name, check in CHECKS.items()}
    cells = (group.constraint for group in find_groups(table))
    rules.update({cell.rule: (cell.level, cell.text) for cell in cells})
    return dict(sorted(rules.items(), key=lambda item: item[1][0] != ERROR))


# The level and the text of each rule, by its name.
RULES: dict[str, tuple[str, str]] = rules_with(CATEGORIES)


def validate_graph(
    graph: Graph, table: Table = CATEGORIES, *, one_root: bool = False
) -> Iterator[Problem]:
    """Find what breaks UCCA's rules in a graph.

    graph (Graph): The graph, of a sentence, a passage or a Doc.
    table (Table): The rules about categories.
    one_root (bool): Whether all sentences must have one root together, as in a file of UCCA XML. On a Doc, each has its
        own.
    YIELDS (Problem): One for each place, by rule.
    """
    by_category = category_findings(graph, table)
    unused = "root-per-sentence" if one_root else "one-root"
    for name, (level, _) in rules_with(table).items():
        if name == unused:
            continue
        findings = by_category[name] if name in by_category else CHECKS[name].find(graph)
        for unit, message in findings:
            text = "" if unit is None else unit.text
            if len(text) > MAX_TEXT:
                text = text[: MAX_TEXT - 1] + "…"
            yield Problem(name, level, None if unit is None else unit.index, text, message)
