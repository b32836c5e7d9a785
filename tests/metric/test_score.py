"""The scorer: laws of any such metric, and equality to the official one to the last match."""

import random
from collections import Counter
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from perturb import perturb, renumber

from spacy_ucca.errors import UccaError
from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.formats.xml import read_xml, write_xml_string
from spacy_ucca.graph import Graph
from spacy_ucca.metric.counts import (
    AVERAGE,
    CONSTRUCTIONS,
    EVAL_TYPES,
    EXACT,
    LABELED,
    UNLABELED,
    WEAK,
    Counts,
    Tally,
)
from spacy_ucca.metric.score import score_graphs, score_pair
from spacy_ucca.text.split import split_sentences


def brackets(text):
    (graph,) = read_brackets(text)
    return graph


def numbers(counts):
    """All that is counted, to compare."""
    found = {}
    for construction in CONSTRUCTIONS:
        for eval_type in EVAL_TYPES:
            tally = counts.tally(construction, eval_type)
            found[eval_type, construction] = (tally.matches, tally.guessed, tally.ref)
        found["confusion", construction] = counts.confusion[construction]
    return found


def official(predicted, gold):
    """The same from the toolkit, reading what we write."""
    evaluation = pytest.importorskip("ucca.evaluation")
    convert = pytest.importorskip("ucca.convert")
    passages = [
        convert.from_standard(ElementTree.fromstring(write_xml_string(g)))
        for g in (predicted, gold)
    ]
    scores = evaluation.evaluate(*passages, errors=True)
    found = {}
    for construction in CONSTRUCTIONS:
        for eval_type in EVAL_TYPES:
            stats = scores[eval_type][construction]
            found[eval_type, construction] = (stats.num_matches, stats.num_guessed, stats.num_ref)
        found["confusion", construction] = Counter(scores[LABELED][construction].errors)
    return found


def plain(graph):
    """The graph without what its file had beside it."""
    return Graph.from_record({**graph.to_record(), "details": {}})


def pairs_of(graphs, seed, n):
    """Each graph with itself and with copies changed at random."""
    rng = random.Random(seed)
    for graph in graphs:
        yield graph, graph
        for i in range(n):
            changed = perturb(plain(graph), rng, rng.choice((1, 1, 2, 4, 10)))
            yield (renumber(changed, rng) if i % 2 else changed), graph


# By hand


def test_counts_by_hand():
    gold = brackets("[H [A#1 John] [P went] [A home]] [L and] [H [P slept] [A* =1]] [U .]")
    ours = brackets("[H [A#1 John] [P went] [D home]] [L and] [H [S slept] [E* =1]] [U .]")
    counts = score_pair(ours, gold)
    # two Scenes, of which "slept" has the tokens of its relation: {H, P} and {H, S} share H
    assert counts.tally("primary") == Tally(5, 6, 6)
    assert counts.tally("primary", UNLABELED) == Tally(6, 6, 6)
    assert counts.tally("remote") == Tally(0, 1, 1)
    assert counts.tally("remote", UNLABELED) == Tally(1, 1, 1)
    assert counts.tally() == Tally(5, 7, 7)
    assert counts.category("A") == Tally(1, 1, 2)
    assert counts.category("D") == Tally(0, 1, 0)
    assert counts.category("S") == Tally(0, 1, 0)
    assert counts.confusion["primary"]["D", "A"] == 1


def test_weak_labels_merge_pairs():
    gold, ours = brackets("[H [A it] [P is] [D so]]"), brackets("[H [A it] [S is] [D so]]")
    counts = score_pair(ours, gold)
    assert counts.tally("primary") == Tally(3, 4, 4)
    assert counts.tally("primary", WEAK) == Tally(4, 4, 4)


def test_one_shared_category_is_enough():
    gold, ours = brackets("[H [A|S his] [A dog]]"), brackets("[H [S his] [A dog]]")
    counts = score_pair(ours, gold)
    assert counts.tally() == Tally(3, 3, 3)
    assert counts.tally(eval_type=EXACT) == Tally(2, 3, 3)
    assert counts.to_scores()["ucca_exact_f"] == pytest.approx(2 / 3)


def test_implicit_units_are_counted_apart():
    gold, ours = brackets("[H [P go] [D now] [A IMPLICIT]]"), brackets("[H [P go] [D now]]")
    counts = score_pair(ours, gold)
    assert counts.tally("implicit") == Tally(0, 0, 1)
    assert counts.tally().f1 == 1.0
    assert counts.tally(AVERAGE).f1 < 1.0


def test_mapping_applies_to_both():
    gold, ours = brackets("[H [P go] [T now]]"), brackets("[H [P go] [D now]]")
    assert score_pair(ours, gold).tally("primary") == Tally(2, 3, 3)
    mapped = score_pair(ours, gold, mapping={"T": "D"})
    assert mapped.tally("primary") == Tally(3, 3, 3)
    assert set(mapped.categories) == {"H", "P", "D"}


def test_score_dict():
    gold, ours = brackets("[H [P go] [T now]]"), brackets("[H [P go] [D now]]")
    scores = score_graphs([(ours, gold)])
    assert scores["ucca_f"] == scores["ucca_primary_f"] == pytest.approx(2 / 3)
    assert scores["ucca_remote_f"] is None
    assert scores["ucca_unlabeled_primary_f"] == scores["ucca_weak_p"] + 1 / 3 == 1.0
    assert scores["ucca_per_type"]["T"] == {"p": 1.0, "r": 0.0, "f": 0.0}
    assert score_graphs([])["ucca_f"] is None


@pytest.mark.parametrize(
    ("ours", "message"),
    [("[H [P go] [T then]]", r"\[UC400\].*'then'.*'now'"), ("[H go]", r"\[UC400\].*over 1 and 2")],
)
def test_other_tokens_are_refused(ours, message):
    with pytest.raises(UccaError, match=message):
        score_pair(brackets(ours), brackets("[H [P go] [T now]]"))


def test_unknown_names_are_refused():
    with pytest.raises(UccaError, match=r"\[UC402\].*'secondary'.*primary"):
        Counts().tally("secondary")
    with pytest.raises(UccaError, match=r"\[UC402\].*'loose'"):
        Counts().tally(eval_type="loose")


@pytest.mark.parametrize("text", ["~", "~a", "[H a]", "[U .]", "~. ~a", "[H [A IMPLICIT]]"])
def test_graphs_with_next_to_nothing(text):
    counts = score_pair(brackets(text), brackets(text))
    assert counts.tally(AVERAGE).f1 == 1.0


# Laws


def test_a_graph_equals_itself(sample):
    for graph in sample:
        counts = score_pair(graph, graph)
        for construction in CONSTRUCTIONS:
            for eval_type in EVAL_TYPES:
                tally = counts.tally(construction, eval_type)
                assert tally.matches == tally.guessed == tally.ref
        assert all(tally.f1 == 1.0 for tally in counts.categories.values())


@settings(max_examples=150)
@given(st.randoms(use_true_random=False), st.integers(1, 12), st.data())
def test_laws_of_changed_graphs(sample, rng, n, data):
    gold = data.draw(st.sampled_from(sample))
    ours = perturb(plain(gold), rng, n)
    records = ours.to_record(), gold.to_record()
    counts, swapped = score_pair(ours, gold), score_pair(gold, ours)
    assert (ours.to_record(), gold.to_record()) == records
    for construction in CONSTRUCTIONS:
        loose = counts.tally(construction, UNLABELED)
        exact = counts.tally(construction, EXACT).matches
        assert exact <= counts.tally(construction).matches
        for eval_type in (*EVAL_TYPES, EXACT):
            tally, other = (c.tally(construction, eval_type) for c in (counts, swapped))
            assert tally == Tally(other.matches, other.ref, other.guessed)
            assert tally.matches <= loose.matches <= min(tally.guessed, tally.ref)
            assert (tally.precision, tally.recall) == (other.recall, other.precision)
        assert counts.tally(construction).matches <= counts.tally(construction, WEAK).matches
        flipped = Counter({(b, a): n for (a, b), n in swapped.confusion[construction].items()})
        assert counts.confusion[construction] == flipped
    assert sum(t.guessed for t in counts.categories.values()) >= counts.guessed["primary"]


@settings(max_examples=100)
@given(st.randoms(use_true_random=False), st.data())
def test_order_of_units_does_not_matter(sample, rng, data):
    gold = plain(data.draw(st.sampled_from([g for g in sample if len(g.roots) == 1])))
    # Two implicit units under one parent have no order but the one they are stored in
    ours = perturb(gold, rng, 2).without(implicit=True)
    expected = numbers(score_pair(ours, gold))
    assert numbers(score_pair(renumber(ours, rng), gold)) == expected
    assert numbers(score_pair(ours, renumber(gold, rng))) == expected


def test_pooling_adds(sample):
    rng = random.Random(0)
    pairs = [(perturb(plain(g), rng, 2), g) for g in sample]
    each = [score_pair(*pair) for pair in pairs]
    total = sum(each, Counts())
    assert total.to_scores() == score_graphs(pairs)
    assert total.tally().ref == sum(counts.tally().ref for counts in each)
    assert total.confusion["primary"].total() == sum(c.confusion["primary"].total() for c in each)


def test_several_sentences_are_scored_one_by_one(sample):
    rng = random.Random(0)
    gold = [g for g in sample if len(g.roots) == 1 and not g.linkages]
    ours = [perturb(plain(g), rng, 3) for g in gold]
    kept = [(o, g) for o, g in zip(ours, gold, strict=True) if o.root.tokens() == g.root.tokens()]
    assert len(kept) > 10
    joined = score_pair(*(Graph.join(side) for side in zip(*kept, strict=True)))
    assert numbers(joined) == numbers(sum((score_pair(*pair) for pair in kept), Counts()))


def test_other_sentences_are_merged():
    gold = Graph.join([brackets("[H [P go] [D now]]"), brackets("[H [P stop] [D here]]")])
    ours = brackets("[H [P go] [D now]] [H [P stop] [D here]]")
    assert score_pair(ours, gold).tally().f1 == 1.0
    assert score_pair(gold, ours).tally() == Tally(6, 6, 6)


# The toolkit


def test_official_counts_on_the_sample(sample):
    for predicted, gold in pairs_of(sample, seed=1, n=2):
        if len(gold.roots) == 1 and len(predicted.roots) == 1:
            assert numbers(score_pair(predicted, gold)) == official(predicted, gold)


@pytest.mark.parametrize(
    ("ours", "gold"),
    [
        # the root is dissolved, and functions move to the first unit that is left without a parent
        ("[C [A it] [F has] [P closed]] [U .]", "[H [A it] [F has] [P closed]] [U .]"),
        ("[E|C [L [S#1 It] [F s] [S fab [S* =1]]]] [U !]", "[H [A It] [F s] [S fab]] [U !]"),
        # a last mark is attached high enough to keep a center that has nothing beside it
        ("[H [A I] [P [C go]]] [U .]", "[H [A I] [P go]] [U .]"),
        ('[U "] [H [A I] [P [C [C go]]]] [U "]', '[U "] [H [A I] [P go]] [U "]'),
    ],
)
def test_official_counts_where_normalization_is_odd(ours, gold):
    ours, gold, rng = brackets(ours), brackets(gold), random.Random(0)
    expected = official(ours, gold)
    for _ in range(10):
        assert numbers(score_pair(ours, gold)) == expected
        ours, gold = renumber(ours, rng), renumber(gold, rng)


CORPORA = ("UCCA_English-EWT", "UCCA_English-Wiki-1.2", "UCCA_German-20K")


def dev_files(folder):
    """The dev passages of a corpus, the shortest first."""
    lines = (folder / "dev.txt").read_text("utf8").split()
    names = {line.rpartition("-")[0] or line for line in lines}
    found = [path for path in (folder / "xml").glob("*.xml") if path.stem in names]
    return sorted(found, key=lambda path: (path.stat().st_size, path.name))


@pytest.mark.parametrize("name", CORPORA)
def test_official_counts_on_some_sentences(corpora, name):
    graphs = split_sentences(read_xml(dev_files(corpora / name)[0]))[:4]
    for predicted, gold in pairs_of(graphs, seed=2, n=2):
        assert numbers(score_pair(predicted, gold)) == official(predicted, gold)


@pytest.mark.slow
@pytest.mark.parametrize("name", CORPORA)
def test_official_counts_on_dev_passages(corpora, name):
    """Every fourth dev passage, which the toolkit reads slowly, against itself or a changed copy, and some 200 pairs of
    sentences."""
    rng = random.Random(3)
    sentences = []
    n_pairs = 0
    for i, path in enumerate(dev_files(corpora / name)[::4]):
        gold = read_xml(path)
        n_changes = i % 4 * 3
        predicted = perturb(plain(gold), rng, n_changes) if n_changes else gold
        assert numbers(score_pair(predicted, gold)) == official(predicted, gold), path.name
        n_pairs += 1
        sentences.extend(split_sentences(gold))
    rng.shuffle(sentences)
    short = [graph for graph in sentences if len(graph.words) <= 25][:60]
    long = [graph for graph in sentences if len(graph.words) > 25][:5]
    for predicted, gold in (*pairs_of(short, 4, n=2), *pairs_of(long, 5, n=1)):
        assert numbers(score_pair(predicted, gold)) == official(predicted, gold), gold.details
        n_pairs += 1
    assert n_pairs >= 150
