"""The rules of UCCA about categories: one table, with a row for each category and a column for each kind of rule.

Checking, screening, repair and the search for labels derive what they need from `CATEGORIES`, so a rule is written
down once. The rules are those of the UCCA guidelines 2.0 (Abend et al., 2020).
"""

from typing import NamedTuple

from ..graph.categories import INNER_PARTS, SCENE_PARTS

ERROR = "error"
WARNING = "warning"
# The row of all categories that are none of UCCA's. They are treated as Participants; letter checks report them as
# unknown and nothing else.
OTHER_LETTER = "?"


class Constraint(NamedTuple):
    """A rule, as it stands in a cell of the table.

    rule (str): The name under which violations are reported.
    text (str): The rule in a sentence.
    categories (str): The categories that the cell speaks of, a letter each, if its column needs any.
    level (str): "error" if a graph that breaks the rule is no UCCA graph, "warning" if annotators break it too.
    noun (str): What `at_most_one` counts, for messages.
    """

    rule: str
    text: str
    categories: str = ""
    level: str = WARNING
    noun: str = ""


class Category(NamedTuple):
    """The rules about a category: what stands beside, above and below an edge that has it. None is no rule.

    letter (str): The category.
    not_under_root: It does not stand under the root.
    needs: One of its siblings has one of `categories`.
    not_beside: None of its siblings has one of `categories`.
    not_beside_tokens: No tokens hang on its parent.
    at_most_one: A unit has one child with this category or another one of the same rule.
    no_child: Its unit has no child with one of `categories`.
    no_descendant: Nor has any unit below its unit. Part of what `no_child` forbids.
    childless: Its unit has no children but tokens and punctuation, if it has no other category. Parsers may break this.
    not_remote: It stands on no remote edge.
    one_parent: Its unit has this category under one parent only.
    """

    letter: str
    not_under_root: Constraint | None = None
    needs: Constraint | None = None
    not_beside: Constraint | None = None
    not_beside_tokens: Constraint | None = None
    at_most_one: Constraint | None = None
    no_child: Constraint | None = None
    no_descendant: Constraint | None = None
    childless: Constraint | None = None
    not_remote: Constraint | None = None
    one_parent: Constraint | None = None


Table = tuple[Category, ...]

BETWEEN = "HL"
# Categories that only a Scene or its equivalent has
OF_SCENES = SCENE_PARTS + OTHER_LETTER + BETWEEN + "DG"

ROOT = Constraint(
    "root-children",
    "Under the root there are only Parallel Scenes, Linkers, Grounds, Functions and punctuation.",
    level=ERROR,
)
GROUND_UNDER_ROOT = Constraint(
    "ground-under-root",
    "A Ground stands in a Scene or beside Parallel Scenes that have a parent, not under the root.",
)
ONE_RELATION = Constraint(
    "one-main-relation", "A Scene has one Process or one State, not both.", noun="main relations"
)
NEEDS_RELATION = Constraint(
    "scene-has-main-relation",
    "A unit with Participants or Times is a Scene, so it has a Process or a State.",
    "PS",
)
NOT_BESIDE_INNER = Constraint(
    "scene-and-inner",
    "What belongs to a Scene (P S A T) or to a speech event (G) does not stand beside what belongs to other units "
    "(C E N Q).",
    INNER_PARTS,
)
_BETWEEN_SCENES = (
    "between-scenes",
    "Parallel Scenes and Linkers do not stand beside what belongs to Scenes or to other units, nor beside tokens.",
)
NOT_BESIDE_PARTS = Constraint(*_BETWEEN_SCENES, SCENE_PARTS + OTHER_LETTER + INNER_PARTS + "D")
NOT_BESIDE_TOKENS = Constraint(*_BETWEEN_SCENES)
NEEDS_CENTER = Constraint(
    "inner-has-center", "A unit with Elaborators, Quantifiers or Connectors has a Center.", "C"
)
ONLY_CENTERS = Constraint(
    "connector-between-centers",
    "A Connector connects Centers; Elaborators, Quantifiers and Adverbials are within these, not beside it.",
    "EQD",
)
NEEDS_SCENE = Constraint("linker-beside-scene", "A Linker stands beside a Parallel Scene.", "H")
FLAT = Constraint(
    "flat-unit",
    "A Process, State, Adverbial, Time, Quantifier, Connector, Linker or Function is no Scene, nor made of Scenes.",
    OF_SCENES,
)
NO_SCENE_BELOW = Constraint(
    "scene-in-main-relation",
    "There is no Scene in a Process or a State, however deep; remote edges count.",
    OF_SCENES,
)
CHILDLESS = Constraint(
    "function-childless", "A Function unit has no children but tokens and punctuation."
)
_PARENTS = (
    "function-not-remote",
    "A Function is not a remote child, and a Connector is one of one unit only.",
)
NOT_REMOTE = ONE_PARENT = Constraint(*_PARENTS)
_NESTED = (
    "nested-scenes",
    "A Parallel Scene does not hold Parallel Scenes or Linkers directly, nor does a Ground, which holds no Ground "
    "either.",
)
NO_PARALLEL, NO_SPEECH = Constraint(*_NESTED, BETWEEN), Constraint(*_NESTED, BETWEEN + "G")

# The order of rows is that of bits and of messages.
# fmt: off
CATEGORIES: Table = (
    Category("H", not_beside=NOT_BESIDE_PARTS, not_beside_tokens=NOT_BESIDE_TOKENS, no_child=NO_PARALLEL),
    Category("L", needs=NEEDS_SCENE, not_beside=NOT_BESIDE_PARTS, no_child=FLAT),
    Category("G", GROUND_UNDER_ROOT, not_beside=NOT_BESIDE_INNER, no_child=NO_SPEECH),
    Category("P", ROOT, not_beside=NOT_BESIDE_INNER, at_most_one=ONE_RELATION, no_child=FLAT, no_descendant=NO_SCENE_BELOW),
    Category("S", ROOT, not_beside=NOT_BESIDE_INNER, at_most_one=ONE_RELATION, no_child=FLAT, no_descendant=NO_SCENE_BELOW),
    Category("A", ROOT, needs=NEEDS_RELATION, not_beside=NOT_BESIDE_INNER),
    Category("D", ROOT, no_child=FLAT),
    Category("T", ROOT, needs=NEEDS_RELATION, not_beside=NOT_BESIDE_INNER, no_child=FLAT),
    Category("C", ROOT),
    Category("E", ROOT, needs=NEEDS_CENTER),
    Category("N", ROOT, needs=NEEDS_CENTER, not_beside=ONLY_CENTERS, no_child=FLAT, one_parent=ONE_PARENT),
    Category("Q", ROOT, needs=NEEDS_CENTER, no_child=FLAT),
    Category("R", ROOT),
    Category("F", no_child=FLAT, childless=CHILDLESS, not_remote=NOT_REMOTE),
    Category(OTHER_LETTER, ROOT, needs=NEEDS_RELATION, not_beside=NOT_BESIDE_INNER),
)
# fmt: on
