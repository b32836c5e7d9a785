"""Normalization: what each rule does, on graphs small enough to see it, and that it ends."""

import pytest

from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.metric.mutable import MutableGraph
from spacy_ucca.metric.normalization import move_functions, normalize


def net_of(text, *, coordinated=()):
    """A mutable copy of the only graph in the text, and its words."""
    (graph,) = read_brackets(text)
    roots = [root.index for root in graph.roots]
    return MutableGraph(graph, roots=roots, coordinated=coordinated), graph.words


def tree(net, words, unit=None):
    """The graph as nested tuples: label, then words and children; remote children by their words."""
    unit = net.root if unit is None else unit
    found = []
    for link in net.out[unit]:
        label = "|".join(link.tags) + ("*" if link.remote else "")
        if link.child < 0:
            found.append(words[~link.child])
        elif link.remote:
            found.append((label,))
        else:
            found.append((label, *tree(net, words, link.child)))
    return found


def normalized(text, **kwargs):
    net, words = net_of(text, **kwargs)
    normalize(net)
    return tree(net, words)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # A center in the only center
        ("[H [P [C [E very] [C good]]] [A it]]", "[H [P [E very] [C good]] [A it]]"),
        # two centers stay
        ("[H [P [C go] [N and] [C see]] [A it]]", "[H [P [C go] [N and] [C see]] [A it]]"),
        # A center as the only child
        ("[H [P [C go]] [A it]]", "[H [P go] [A it]]"),
        # What is inside a function moves up
        ("[H [F [F of] [C course]] [P go] [A I]]", "[H [F of] [F course] [P go] [A I]]"),
        # A participant as the only child
        ("[H [P go] [E [A it]]]", "[H [P go] [E it]]"),
        # Implicit participants need a main relation
        ("[H [P go] [A [C home] [E now] [A IMPLICIT]]]", "[H [P go] [A [C home] [E now]]]"),
        ("[H [P go] [A IMPLICIT]]", "[H [P go] [A IMPLICIT]]"),
        # A parallel Scene that only wraps others
        (
            "[H [H [P go] [A I]] [L and] [H [P see] [A it]]]",
            "[H [P go] [A I]] [L and] [H [P see] [A it]]",
        ),
        # A Scene right under the root gets its own unit
        ("[P go] [A home] [L so]", "[L so] [H [P go] [A home]]"),
    ],
)
def test_rules(before, after):
    net, words = net_of(after)
    assert sorted(map(str, normalized(before))) == sorted(map(str, tree(net, words)))


def test_punctuation_does_not_keep_units_alive():
    plain = normalized("[H [P go] [A home]]")
    assert normalized("[H [P go] [A home] [E [U ,]]] [U .]") == plain


def test_a_word_marked_as_punctuation_leaves_no_unit():
    (first, *rest) = normalized("[H [P go] [A home]] [U and]")
    assert first[0] == "H"
    assert rest == []


def test_the_last_mark_is_attached_before_units_are_flattened():
    assert normalized("[H [A I] [P [C go]]] [U .]") == [("H", ("A", "I"), ("P", ("C", "go")))]
    assert normalized("[H [P [C go]] [A I]] [U .]") == [("H", ("P", "go"), ("A", "I"))]


def test_nested_single_scenes_end():
    # The toolkit never returns from this one: H is no first category, but makes Scenes parallel
    assert normalized("[H [A|H [P go]] [P stop]]") == [("H", ("A|H", ("P", "go")), ("P", "stop"))]


def test_coordinated_main_relation():
    text = "[H [P [C washed] [N and] [C dried]] [A it]]"
    (graph,) = read_brackets(text)
    marked = [i for i, e in enumerate(graph.edge_tuples) if e.categories == ("P",)]
    found = normalized(text, coordinated=marked)
    scenes = [unit for unit in found if unit[0] == "H"]
    assert [[part[0] for part in unit[1:]] for unit in scenes] == [["P", "A"], ["P", "A*"]] or [
        sorted(part[0] for part in unit[1:]) for unit in scenes
    ] == [["A", "P"], ["A*", "P"]]
    assert ("L", "and") in found


def test_functions_of_both_move_to_the_root():
    ours, words = net_of("[H [A [F The] [C cat]] [P slept]]")
    theirs, _ = net_of("[H [F The] [A cat] [P slept]]")
    for net in (ours, theirs):
        normalize(net)
    move_functions(ours, theirs)
    for net in (ours, theirs):
        assert ("F", "The") in tree(net, words)


def test_functions_of_one_stay():
    ours, words = net_of("[H [A [F The] [C cat]] [P slept]]")
    theirs, _ = net_of("[H [A [E The] [C cat]] [P slept]]")
    before = tree(ours, words)
    move_functions(ours, theirs)
    assert tree(ours, words) == before


def test_nothing_to_normalize():
    for text in ("~", "~a ~b", "a b", "[U .]", "~. ~a"):
        net, _ = net_of(text)
        normalize(net)
        assert net.alive[net.root]
