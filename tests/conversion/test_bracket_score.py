"""Bracket scores are those of evalb: of nodes by tokens and label, without marks."""

import re

import pytest
from hypothesis import given
from strategies import graphs

from spacy_ucca.conversion.bounds import brackets, score_brackets
from spacy_ucca.conversion.constituency import to_constituency
from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.formats.penn import format_penn
from spacy_ucca.metric.counts import Tally


def evalb_brackets(line: str) -> list[tuple[int, int, str]]:
    """Read brackets as evalb does: of a tree in the Penn format, each label up to its first hyphen, TOP left out."""
    found, opened, n = [], [], 0
    for label, word in re.findall(r"\((\S+) ?(\S*?)(?=\)|\(|\s)|\)", re.sub(r"\\.", "", line)):
        if not label:
            start, name = opened.pop()
            if name != "TOP" and start is not None:
                found.append((start, n, name))
        elif word:
            opened.append((None, label))
            n += 1
        else:
            opened.append((n, re.split("[-=]", label)[0]))
    return found


@given(graphs(max_roots=2))
def test_brackets_are_those_of_the_line_that_evalb_reads(graph):
    tree = to_constituency(graph.replace(words=["w"] * len(graph.words), details={}))
    assert sorted(brackets(tree).elements()) == sorted(evalb_brackets(format_penn(tree)))


@given(graphs(), graphs())
def test_a_graph_has_its_own_brackets(graph, other):
    same = score_brackets([(graph, graph)])
    assert same.matches == same.guessed == same.ref == len(to_constituency(graph).nodes)
    both = score_brackets([(graph, graph), (other, other)])
    assert both == same + score_brackets([(other, other)])


@pytest.mark.parametrize(
    ("predicted", "matches", "guessed"),
    [
        ("[H [A#1 Ann] [P#2 gave] [A it] [P#2- up]] [H [P left] [A* =1]]", 7, 7),
        ("[H [A Ann] [P#2 gave] [A it] [P#2- up]] [H [P left]]", 7, 7),  # marks do not count
        ("[H [A Ann] [P gave] [A it] [D up]] [H [P left]]", 6, 8),
        ("[H [A [C Ann]] [P#2 gave] [A it] [P#2- up]] [H [P left]]", 7, 8),  # each of a chain
    ],
)
def test_by_example(predicted, matches, guessed):
    gold = "[H [A#1 Ann] [P#2 gave] [A it] [P#2- up]] [H [P left] [A* =1]]"
    pair = tuple(read_brackets(text)[0] for text in (predicted, gold))
    assert score_brackets([pair]) == Tally(matches, guessed, 7)
