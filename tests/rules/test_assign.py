"""The search for the labels of trees, held against all assignments of labels to small trees, and against gold trees."""

import itertools

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from perturb import broken
from spacy.vocab import Vocab
from util import attached

from spacy_ucca.conversion.constituency import to_constituency
from spacy_ucca.conversion.tree import parse_chain
from spacy_ucca.graph.categories import split_label
from spacy_ucca.rules.assign import LabelRules, viterbi_labels
from spacy_ucca.rules.bit_grammar import bit_grammar, bits
from spacy_ucca.rules.draft import BROKEN, MISSING, NEVER
from spacy_ucca.rules.grammar import CATEGORIES
from spacy_ucca.span_parser.labels import SpanLabels
from spacy_ucca.span_parser.parse import relatives
from spacy_ucca.training.convert import convert_corpus
from spacy_ucca.training.corpus import read_docbin

UCCA = bit_grammar(CATEGORIES)
FREE, PLAIN, TOP = UCCA.FREE, UCCA.plain, UCCA.top
FUNCTION, PUNCT = TOP + 1, TOP + 2
MAIN, SCENES = bits("PS"), bits("H")
SEEDS = st.integers(0, 2**32 - 1)
LABELS = tuple(
    "A C D E F H L N P U F+A S|A P|S H+A H+P P+H A+P+C A-remote A-down1 P+A-down1+H Terminal-down1 ROOT ROOT+H".split()
)


# The same by definition


def categories(link):
    if link.move or link.name in ("ROOT", "Terminal", "U"):
        return 0
    return bits(split_label(link.name))


def level_below(link, level):
    if link.name in ("ROOT", "U", "F"):
        return {"ROOT": TOP, "U": PUNCT, "F": FUNCTION}[link.name]
    if level == PLAIN and not link.move:
        return PLAIN
    return FREE if link.name == "Terminal" else UCCA.level_of(bits(split_label(link.name)))


def cost_of_children(level, children, has_tokens):
    """RETURNS (float): What is wrong with a unit: as little as it can be, whatever the type of the unit."""
    if level == PUNCT:
        return BROKEN * sum(1 + own.bit_count() for own in children)
    if level == FUNCTION:
        return BROKEN * sum(own.bit_count() for own in children)
    costs = []
    banned = UCCA.levels[level].banned
    for unit_type in UCCA.unit_types:
        allowed, needed = unit_type.allowed & ~banned, unit_type.needed & ~banned
        cost = BROKEN * sum((own & ~allowed).bit_count() for own in children)
        n_given = sum((own & needed).bit_count() for own in children)
        if unit_type.single and n_given > 1:
            cost += BROKEN * (n_given - 1)
        if unit_type.needed and not n_given:
            cost += BROKEN if unit_type.needed & SCENES else MISSING
        if unit_type.needed & SCENES and has_tokens:
            cost += BROKEN
        costs.append(cost)
    return min(costs)


def total_cost(chains, costs, no_label, parents, has_tokens, classes):
    """RETURNS (float): What an assignment costs."""
    below = [[j for j, p in enumerate(parents) if p == i] for i in range(len(parents))]

    def children_of(i):
        """RETURNS (Tuple[List[int], bool]): The spans with a label right under one, and whether tokens are."""
        found, tokens = [], bool(has_tokens[i])
        for j in below[i]:
            if classes[j]:
                found.append(j)
            else:
                inner, more = children_of(j)
                found, tokens = found + inner, tokens or more
        return found, tokens

    def cost_of(i, level):
        links = chains[classes[i]]
        cost = costs[i][classes[i]]
        for k, link in enumerate(links):
            own = categories(link)
            if k and level == PUNCT:
                cost += BROKEN
            elif k and own:
                possible = [own, own | bits("P"), own | bits("C")]
                n_main = [(own & MAIN).bit_count() for own in possible]
                right = level != FUNCTION and any(
                    UCCA.fits(own, level, n, False) for own, n in zip(possible, n_main, strict=True)
                )
                cost += 0 if right else BROKEN
            level = level_below(link, level)
        children, tokens = children_of(i)
        cost += cost_of_children(
            level, [categories(chains[classes[j]][0]) for j in children], tokens
        )
        return cost + sum(cost_of(j, level) for j in children)

    gone = sum(no_label[i] for i in range(len(parents)) if not classes[i])
    return gone + sum(cost_of(i, FREE) for i, p in enumerate(parents) if p < 0)


def random_tree(rng, n):
    """RETURNS (Tuple[ndarray, ndarray]): Parents, in any order, and which have tokens."""
    parents = numpy.array([-1, *(int(rng.integers(i)) for i in range(1, n))])
    order = rng.permutation(n)
    shuffled = numpy.full(n, -1)
    shuffled[order] = [order[p] if p >= 0 else -1 for p in parents]
    leaves = numpy.bincount(shuffled[shuffled >= 0], minlength=n) == 0
    return shuffled, leaves | (rng.random(n) < 0.3)


@settings(max_examples=100)
@given(SEEDS, st.integers(1, 5))
def test_no_assignment_is_better(seed, n):
    rng = numpy.random.default_rng(seed)
    # Some of those that matter most, and others.
    often = rng.choice(("H", "P", "C", "A"), 2, replace=False).tolist()
    names = sorted({*often, *rng.choice(LABELS, (14, 10, 6, 3, 2)[n - 1], replace=False).tolist()})
    chains, n_labels = [(), *map(parse_chain, names)], len(names)
    parents, has_tokens = random_tree(rng, n)
    # Some labels are as good as impossible, and what breaks a rule is not always too dear.
    costs = rng.exponential(rng.choice([2.0, 20.0, 60.0]), (n, n_labels + 1))
    costs[:, 0] = NEVER
    no_label = rng.exponential(5.0, n)
    arguments = (costs, no_label, parents, has_tokens)
    found = viterbi_labels(LabelRules(chains), *arguments)
    choices = [range(int(p < 0), n_labels + 1) for p in parents]
    least = min(total_cost(chains, *arguments, classes) for classes in itertools.product(*choices))
    assert total_cost(chains, *arguments, found) == pytest.approx(least)


@pytest.mark.parametrize("main, expected", [("A", "AP"), ("P", "EC")])
def test_no_scene_below_a_process_however_deep(main, expected):
    names = ["", "H", "P", "A", "C", "E"]
    rules = LabelRules([(), *map(parse_chain, names[1:])])
    best = ["H", main, "C", "A", "P", "A" if main == "P" else "P"]
    costs = numpy.full((6, 6), 9.0)
    for i, name in enumerate(best):
        costs[i, names.index(name)] = 0.0
    costs[3, names.index("E")] = costs[4, names.index("C")] = 1.0
    parents = numpy.array([-1, 0, 1, 2, 2, 0])
    found = viterbi_labels(rules, costs, numpy.full(6, 9.0), parents, parents > 1)
    assert "".join(names[i] for i in found[3:5]) == expected
    assert [names[i] for i in found[:3]] == best[:3]


@settings(max_examples=60)
@given(SEEDS)
def test_sentences_of_a_batch_do_not_meet(seed):
    rng = numpy.random.default_rng(seed)
    rules = LabelRules([(), *map(parse_chain, LABELS)])
    trees = [random_tree(rng, n) for n in rng.integers(1, 9, 4)]
    sizes = [len(parents) for parents, _ in trees]
    starts = numpy.cumsum([0, *sizes])[:-1]
    costs = rng.exponential(5.0, (sum(sizes), len(LABELS) + 1))
    costs[:, 0] = NEVER
    no_label = rng.exponential(3.0, sum(sizes))
    parents = numpy.concatenate(
        [
            numpy.where(own < 0, -1, own + start)
            for (own, _), start in zip(trees, starts, strict=True)
        ]
    )
    has_tokens = numpy.concatenate([tokens for _, tokens in trees])
    together = viterbi_labels(rules, costs, no_label, parents, has_tokens)
    for (own, tokens), start in zip(trees, starts, strict=True):
        part = slice(start, start + len(own))
        alone = viterbi_labels(rules, costs[part], no_label[part], own, tokens)
        assert together[part].tolist() == alone.tolist()


@pytest.mark.parametrize("names", [["A"], ["A", "P"], ["U"], ["ROOT", "A-down1", "Terminal-down1"]])
def test_there_is_always_a_result(names):
    rules = LabelRules([(), *map(parse_chain, names)])
    parents = numpy.arange(-1, 1_999)
    costs = numpy.zeros((2_000, len(names) + 1))
    costs[:, 0] = NEVER
    found = viterbi_labels(
        rules, costs, numpy.full(2_000, 1e3), parents, numpy.ones(2_000, dtype=bool)
    )
    assert (found > 0).all()
    nothing = numpy.zeros(0, dtype="int64")
    assert not len(viterbi_labels(rules, costs[:0], nothing, nothing, nothing))


# Gold trees


def gold_problem(labels, graph):
    """RETURNS (Tuple): The classes of a gold tree, and what the search is asked: each span and its label is 95% certain."""
    tree = to_constituency(graph)
    classes = numpy.array([labels.classes[span.label] for span in tree.spans], dtype="int64")
    start, end = numpy.array([span[:2] for span in tree.spans], dtype="int64").reshape((-1, 2)).T
    parents = relatives(numpy.zeros(len(start), dtype="int64"), start, end)[:, 0]
    costs = numpy.full((len(classes), labels.n_classes), -numpy.log(0.05 / labels.n_classes))
    costs[numpy.arange(len(classes)), classes] = 0.0
    costs[:, 0] = NEVER
    no_label = numpy.full(len(classes), numpy.log(0.95 / 0.05))
    own = end - start
    inner = parents >= 0
    numpy.subtract.at(own, parents[inner], (end - start)[inner])
    return classes, (costs, no_label, parents, own > 0)


def changed(graphs):
    """RETURNS (List[Graph]): Those whose gold labels are not what is found."""
    found = []
    labels = SpanLabels.collect("tree", graphs, [])
    for graph in graphs:
        classes, problem = gold_problem(labels, graph)
        if viterbi_labels(labels.rules, *problem).tolist() != classes.tolist():
            found.append(graph)
    return found


def test_gold_labels_stay(sample):
    """Where they follow the rules, remote and implicit units included, which trees do not have."""
    assert all(broken(graph) for graph in changed(sample))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["UCCA_English-EWT", "UCCA_English-Wiki-1.2", "UCCA_German-20K"])
def test_gold_labels_of_corpora_stay(corpora, tmp_path, name):
    path, dev = tmp_path / "dev.spacy", corpora / name / "dev.txt"
    ud = [corpora / "UD_English-EWT" / "en_ewt-ud-dev.conllu"] if name.endswith("EWT") else []
    convert_corpus(corpora / name, path, ids=[dev], ud=ud)
    graphs = [attached(doc._.ucca) for doc in read_docbin(path, Vocab())]
    assert len(graphs) > 400
    assert all(broken(graph) for graph in changed(graphs))
