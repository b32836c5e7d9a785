"""The scorer as spaCy calls it."""

import pytest
import spacy
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import registry

from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.graph import Graph
from spacy_ucca.metric.score import score_graphs
from spacy_ucca.text.align import project
from spacy_ucca.tokens.scorer import make_ucca_scorer, ucca_score

GOLD = "[H [A [F The] [C cat]] [P slept] [T today]] [U .]"
OURS = "[H [A [F The] [C cat]] [S slept] [D today]] [U .]"


@pytest.fixture(scope="module")
def nlp():
    return spacy.blank("en")


def doc_of(nlp, text=None, words=("The", "cat", "slept", "today", "."), spaces=None):
    doc = Doc(nlp.vocab, words=list(words), spaces=spaces)
    if text is not None:
        (doc._.ucca,) = read_brackets(text)
    return doc


def test_registered():
    assert registry.scorers.get("spacy-ucca.ucca_scorer.v1") is make_ucca_scorer
    assert make_ucca_scorer() is ucca_score


def test_same_tokens(nlp):
    example = Example(doc_of(nlp, OURS), doc_of(nlp, GOLD))
    (ours,), (gold,) = read_brackets(OURS), read_brackets(GOLD)
    scores = ucca_score([example])
    linkage = {name: None for name in ("ucca_linkage_p", "ucca_linkage_r", "ucca_linkage_f")}
    assert scores == score_graphs([(ours, gold)]) | linkage
    assert 0 < scores["ucca_f"] < 1
    mapped = ucca_score([example], mapping={"T": "D"})
    assert mapped["ucca_f"] > scores["ucca_f"]


def test_linkage_is_scored_apart(nlp):
    from spacy_ucca.rules.linkage import add_linkage

    text = "[H [A He] [P slept]] [L and] [H [P dreamt]]"
    (gold,) = read_brackets(text)
    example = Example(*(doc_of(nlp, text, gold.words) for _ in range(2)))
    example.reference._.ucca = add_linkage(gold)
    scores = ucca_score([example])
    assert (scores["ucca_f"], scores["ucca_linkage_f"]) == (1.0, 0.0)
    example.predicted._.ucca = add_linkage(gold)
    assert ucca_score([example])["ucca_linkage_f"] == 1.0


def test_references_without_a_graph_are_left_out(nlp):
    good = Example(doc_of(nlp, GOLD), doc_of(nlp, GOLD))
    assert ucca_score([Example(doc_of(nlp, OURS), doc_of(nlp)), good])["ucca_f"] == 1.0
    with pytest.warns(UserWarning, match="UW351.*--gold-preproc"):
        scores = ucca_score([Example(doc_of(nlp, OURS), doc_of(nlp))])
    assert scores["ucca_f"] is None
    assert scores["ucca_per_type"] is None


def test_no_prediction_misses_everything(nlp):
    scores = ucca_score([Example(doc_of(nlp), doc_of(nlp, GOLD))])
    assert scores["ucca_f"] == scores["ucca_r"] == scores["ucca_unlabeled_primary_f"] == 0.0
    assert scores["ucca_remote_f"] is None


def test_whitespace_tokens_are_no_matter(nlp):
    words = ["The", "cat", " ", "slept", "today", "."]
    spaces = [True, True, False, True, False, False]
    predicted = doc_of(nlp, words=words, spaces=spaces)
    (graph,) = read_brackets("[H [A [F The] [C cat]] [P slept] [T today]] [U .]")
    moved = [t for t in range(6) if t != 2]

    edges = [e if e.child >= 0 else e._replace(child=~moved[~e.child]) for e in graph.edge_tuples]
    predicted._.ucca = Graph(words, graph.kinds, edges)
    reference = doc_of(nlp, GOLD, spaces=[True, True, True, False, False])
    assert ucca_score([Example(predicted, reference)])["ucca_f"] == 1.0


def over(nlp, words, text, spaces=None):
    """A Doc with a graph whose words are its tokens."""
    doc = doc_of(nlp, words=words, spaces=spaces)
    (graph,) = read_brackets(text)
    doc._.ucca = Graph(words, graph.kinds, graph.edge_tuples)
    return doc


@pytest.mark.parametrize("text", [GOLD, OURS])
def test_units_of_the_same_characters_are_the_same(nlp, text):
    """However the tokens of either side are cut."""
    whole = ["The", "cat", "slept", "today", "."]
    expected = ucca_score([Example(doc_of(nlp, text), doc_of(nlp, GOLD))])
    for token in range(4):
        for cut in range(1, len(whole[token])):
            parts = [whole[token][:cut], whole[token][cut:]]
            words = [*whole[:token], *parts, *whole[token + 1 :]]
            spaces = [i != token for i in range(len(words) - 2)] + [False, False]
            in_two = " ".join(parts)
            ours, gold = (t.replace(whole[token], in_two) for t in (text, GOLD))
            for left, right in (
                (over(nlp, words, ours, spaces), doc_of(nlp, GOLD)),
                (doc_of(nlp, text), over(nlp, words, gold, spaces)),
            ):
                assert ucca_score([Example(left, right)]) == expected


@pytest.mark.parametrize("token", range(4))
def test_what_has_no_counterpart_is_wrong(nlp, token):
    """Two words of the reference are one predicted token, such as after `merge_entities`."""
    words = ["The", "cat", "slept", "today", "."]
    merged = [*words[:token], " ".join(words[token : token + 2]), *words[token + 2 :]]
    reference = doc_of(nlp, GOLD)
    graph, _ = project(reference._.ucca, merged)
    predicted = doc_of(nlp, words=merged)
    predicted._.ucca = graph
    good = Example(doc_of(nlp, GOLD), doc_of(nlp, GOLD))
    scores = ucca_score([good, Example(predicted, reference)])
    assert 0.5 < scores["ucca_r"] < 1 or token == 3  # only the stop is merged
    assert 0.5 < scores["ucca_p"] <= 1


def test_case_does_not_count(nlp):
    words = ["THE", "CAT", "slept", "today", "."]
    predicted = over(nlp, words, GOLD.replace("The", "THE").replace("cat", "CAT"))
    assert ucca_score([Example(predicted, doc_of(nlp, GOLD))])["ucca_f"] == 1.0


def test_evaluation_goes_on(nlp):
    """A text that is not that of the reference misses everything."""
    good = Example(doc_of(nlp, GOLD), doc_of(nlp, GOLD))
    other = Example(doc_of(nlp, GOLD), doc_of(nlp, GOLD))
    other.predicted = over(nlp, ["Dogs", "bark"], "[H [A Dogs] [P bark]]")
    missed = Example(doc_of(nlp), doc_of(nlp, GOLD))
    assert ucca_score([good, other]) == ucca_score([good, missed])
