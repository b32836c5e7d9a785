"""USim and F1 over predications: laws of both, and pairs of sentences that they should tell apart."""

import itertools
import random

import pytest
from lines_run import lines_run
from perturb import perturb
from spacy.tokens import Doc
from written_docs import ODD_TEXTS, doc_of

from spacy_ucca.applications import predication_f1, usim
from spacy_ucca.applications.usim import align_words
from spacy_ucca.errors import UccaError
from spacy_ucca.formats.passage import to_passage
from spacy_ucca.graph import Graph
from spacy_ucca.training.corpus import graph_to_doc


def test_usim_of_the_same_tokens_is_the_official_score(sample, vocab):
    evaluation = pytest.importorskip("ucca.evaluation", reason="the ucca package is not installed")
    rng = random.Random(1)
    different = 0
    for graph in sample:
        bare = Graph(graph.words, graph.kinds, graph.edge_tuples, punct=graph.punct)
        changed = perturb(bare, rng, 3)
        found = usim(graph_to_doc(bare, vocab), graph_to_doc(changed, vocab))
        scores = evaluation.evaluate(to_passage(changed), to_passage(bare))
        stats = [scores["labeled"][name] for name in ("primary", "remote")]
        matches, guessed, ref = (
            sum(getattr(s, name) for s in stats)
            for name in ("num_matches", "num_guessed", "num_ref")
        )
        assert found.f == pytest.approx(2 * matches / (guessed + ref) if guessed + ref else 1)
        different += found.f < 1
    assert different > len(sample) / 2


def bags(doc, other):
    return predication_f1(doc, other)


def loose(doc, other):
    return usim(doc, other, exact=False)


@pytest.mark.parametrize("measure", [usim, loose, bags])
def test_laws(gold, measure):
    docs = list(gold.values())
    rng = random.Random(2)
    for doc in docs:
        assert measure(doc, doc)[:3] == (1, 1, 1)
    for _ in range(150):
        a, b = rng.choice(docs), rng.choice(docs)
        there, back = measure(a, b), measure(b, a)
        assert 0 <= there.f <= 1 and there.f == pytest.approx(back.f)
        assert (there.recall, there.precision) == pytest.approx((back.precision, back.recall))


@pytest.mark.parametrize("measure", [usim, loose, bags])
@pytest.mark.parametrize("text", ODD_TEXTS)
def test_odd_texts(nlp, measure, text):
    doc, other = nlp(text), nlp("She left.")
    assert measure(doc, doc)[:3] == (1, 1, 1)
    assert 0 <= measure(doc, other).f < 1


@pytest.mark.parametrize("measure", [usim, bags])
def test_without_a_graph(vocab, measure):
    doc = Doc(vocab, words=["Some", "text"])
    with pytest.raises(UccaError, match="UC602"):
        measure(doc, doc)


def test_usim_of_other_tokens(vocab):
    a = doc_of("[H [A She] [P left] [A [F the] [C house]]] [U .]", vocab)
    b = doc_of("[H [T Yesterday] [A she] [P left] [A [R at] [F the] [C house]]] [U .]", vocab)
    # H, She, left, the house, the, house: each has a partner of its category
    found = usim(a, b)
    assert found.recall == 1 and found.precision == pytest.approx(6 / 8)
    assert usim(a, doc_of("[H [S Nothing]]", vocab)).f == 0
    empty = doc_of("[U .]", vocab)
    assert usim(a, empty).f == 0 and usim(empty, a).f == 0


def test_alignment_of_words():
    assert align_words(["a", "b", "c"], ["x", "a", "c"]) == {0: 1, 2: 2}
    assert align_words(["a", "a", "a"], ["a"]) == {0: 0} and align_words([], ["a"]) == {}
    rng = random.Random(3)
    for _ in range(300):
        a, b = ([rng.choice("abcd") for _ in range(rng.randrange(20))] for _ in range(2))
        pairs = align_words(a, b)
        assert len(pairs) == sum(min(a.count(c), b.count(c)) for c in "abcd")
        assert align_words(b, a) == {j: i for i, j in pairs.items()}
        assert align_words(a, a) == {i: i for i in range(len(a))}
        assert pairs == _by_trying_all(a, b) if a <= b else True


def _by_trying_all(a, b):
    """The definition: of all runs that both sides have free, the longest, then the first."""
    pairs = {}
    for size in range(16, 0, -1):
        for i, j in itertools.product(range(len(a) - size + 1), range(len(b) - size + 1)):
            run = dict(zip(range(i, i + size), range(j, j + size), strict=True))
            if a[i : i + size] == b[j : j + size] and pairs.keys().isdisjoint(run):
                if set(pairs.values()).isdisjoint(run.values()):
                    pairs |= run
    return pairs


@pytest.mark.parametrize("words", ["a", "ab", "aab", "abcdefghij"])
@pytest.mark.parametrize("measure", [usim, loose, bags])
def test_time_grows_with_the_size(vocab, words, measure):
    """Ten times as long, at most 15 times the lines run: repeated words, and one changed in the middle."""
    few, many = (_lines_run(vocab, words, n, measure) for n in (20, 200))
    assert many < 15 * few


def _lines_run(vocab, words, n, measure):
    """Lines, and not seconds: these depend on the machine."""
    said = [words[i % len(words)] for i in range(n)]
    docs = []
    for middle in ([], ["x"]):
        scenes = [*said[: n // 2], *middle, *said[n // 2 :]]
        docs.append(doc_of(" ".join(f"[H [A {word}] [P does]]" for word in scenes), vocab))
    measure(*docs)  # what is made once
    return lines_run(lambda: measure(*docs))


def after(first: str, second: str):
    text = f"[H [A He] [P {first}]] [L after] [H [A he] [P {second}]] [U .]"
    tree = ["1 nsubj PRP he", f"1 ROOT VBD {first}", "4 mark IN after", "4 nsubj PRP he"]
    return text, [*tree, f"1 advcl VBD {second}", "1 punct ."]


def bite(who: str, whom: str):
    text = f"[H [A [F The] [C {who}]] [P bit] [A [F the] [C {whom}]]] [U .]"
    tree = [
        "1 det DT the",
        f"2 nsubj NN {who}",
        "2 ROOT VBD bite",
        "4 det DT the",
        f"2 obj NN {whom}",
    ]
    return text, [*tree, "2 punct ."]


BITTEN = (
    "[H [A [F The] [C man]] [F was] [P bitten] [A [R by] [F the] [C dog]]] [U .]",
    "1 det DT the|3 nsubj:pass NN man|3 aux:pass VBD be|3 ROOT VBN bite|"
    "6 case IN by|6 det DT the|3 obl NN dog|3 punct .".split("|"),
)
LEFT = "[H [A He] [P left]] [U .]", ["1 nsubj PRP he", "1 ROOT VBD leave", "1 punct ."]
NOT = (
    "[H [A He] [F did] [D not] [P leave]] [U .]",
    ["3 nsubj PRP he", "3 aux VBD do", "3 advmod RB not", "3 ROOT VB leave", "3 punct ."],
)


@pytest.mark.parametrize(
    ("one", "two", "published", "predications"),
    [
        # Four facts of five: the one that is not is neither missing nor changed
        (after("left", "ate"), after("ate", "left"), 1.0, 0.8),
        # One of three; two changed facts count three times
        (bite("dog", "man"), bite("man", "dog"), 1.0, 1 / 7),
        (bite("dog", "man"), BITTEN, 7 / 9, 1.0),
        # One of two; the polarity counts six times
        (LEFT, NOT, 0.25, 1 / 7),
    ],
)
def test_pairs_of_sentences(vocab, one, two, published, predications):
    a, b = doc_of(one[0], vocab, one[1]), doc_of(two[0], vocab, two[1])
    assert usim(a, b).f == pytest.approx(published)
    assert predication_f1(a, b).f == pytest.approx(predications)
