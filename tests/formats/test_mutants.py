"""The laws of formats find faults: each of these changes of a writer breaks one."""

import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest
from graph_laws import check_format
from odd_graphs import seeded_graph

import spacy_ucca.formats

PACKAGE = "spacy_ucca.formats."
MUTANTS = [
    (
        "penman",
        "penman",
        "_NOT_IN_ROLES = frozenset(f'{BLANKS}\"()/:~')",
        '_NOT_IN_ROLES = frozenset("()/:")',
    ),
    ("penman", "penman", "if u.edges and u.parent is None", "if u.edges"),
    ("penman", "penman", 'f"-{REMOTE}" * edge.remote', '""'),
    ("export", "export", "column not in (NOTHING, COMMENT)", "column != COMMENT"),
    ("export", "export", "return held and not column.endswith(STAR)", "return held"),
    ("brackets", "brackets", 'star = "*" if edge.remote else ""', 'star = ""'),
    ("brackets", "brackets", '_escaped(c, "[]|*#:}")', '_escaped(c, "[]|*:}")'),
    ("mrp", "mrp", 'check_labels(graph, "MRP", lambda edge: True)', "pass"),
    ("uccaapp", "uccaapp", "c not in MARKS and ", ""),
    ("xml", "xml", "merge_roots(without_spaces(graph))", "without_spaces(graph)"),
    ("penn", "penn", r'"[()]|[^\s()]+", re.ASCII', r'"[()]|[^\s()]+"'),
    ("conll", "rows", "return column + STAR * remote", "return column"),
]


@pytest.fixture(autouse=True)
def modules_as_they_were() -> Iterator[None]:
    """What is first imported beside a mutant has parts of it, and goes with it."""
    known = {name: module for name, module in sys.modules.items() if name.startswith(PACKAGE)}
    attributes = dict(vars(spacy_ucca.formats))
    yield
    for name in [name for name in sys.modules if name.startswith(PACKAGE)]:
        del sys.modules[name]
    sys.modules.update(known)
    vars(spacy_ucca.formats).clear()
    vars(spacy_ucca.formats).update(attributes)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "module", "old", "new"), MUTANTS)
def test_mutants_are_found(name, module, old, new, monkeypatch):
    known = import_module(f"spacy_ucca.formats.{module}")
    source = Path(known.__file__).read_text("utf8")
    assert old in source
    kept = (".registry", ".text", ".mend", ".roundtrip", ".plain_json", ".elements")
    for other in [m for m in sys.modules if m.startswith("spacy_ucca.formats.")]:
        if not other.endswith(kept):
            monkeypatch.delitem(sys.modules, other)
    mutant = ModuleType(known.__name__)
    mutant.__dict__.update({"__file__": known.__file__, "__package__": "spacy_ucca.formats"})
    monkeypatch.setitem(sys.modules, known.__name__, mutant)
    monkeypatch.setattr(import_module("spacy_ucca.formats"), module, mutant)  # from . import
    exec(compile(source.replace(old, new, 1), known.__file__, "exec"), mutant.__dict__)
    with pytest.raises(Exception):  # noqa: B017
        for seed in range(4000):
            check_format(name, seeded_graph(seed))
