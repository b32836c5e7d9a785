"""SDP 2014: rows without a column for frames."""

from hypothesis import assume, given
from strategies import graphs

from spacy_ucca.conversion.bilexical import to_bilexical
from spacy_ucca.formats.sdp import format_sdp, iter_sdp


@given(graphs())
def test_sdp_2014_is_sdp_2015_without_frames(graph):
    bilexical = to_bilexical(graph)
    assume(bilexical.tokens)
    new, old = format_sdp(bilexical), format_sdp(bilexical, year=2014)
    rows = [row.split("\t") for row in new.splitlines() if row[0] != "#"]
    for row in rows:
        assert row.pop(6) == "_"
    assert [row.split("\t") for row in old.splitlines() if row[0] != "#"] == rows
    assert list(iter_sdp(old.split("\n"))) == list(iter_sdp(new.split("\n")))


def test_sdp_2014_of_the_shared_task():
    # As in the description of SemEval 2014 Task 8: id, form, lemma, tag, top, predicate, arguments
    rows = """#20001001
    1 Ms. ms. NNP - + _ _ _
    2 Haag haag NNP - - compound ARG1 ARG1
    3 plays play VBZ + + _ _ _
    4 Elianti elianti NNP - - _ ARG2 _
    5 . _ . - + _ _ _""".split("\n")
    (found,) = iter_sdp([row if row[0] == "#" else "\t".join(row.split()) for row in rows])
    assert found.id == "20001001" and found.tops == (2,)
    labels = {(a.head, a.dependent): a.label for a in found.arcs if a.head >= 0}
    assert labels == {(0, 1): "compound", (2, 1): "ARG1", (2, 3): "ARG2", (4, 1): "ARG1"}
    (again,) = iter_sdp(format_sdp(found, year=2014).split("\n"))
    assert again == found
