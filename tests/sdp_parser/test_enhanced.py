"""Enhanced dependencies: arcs, empty words, labels cut, the basic tree, spaces, and files that are broken."""

import pytest
from conllu_samples import DONT, GAPPING, text

from spacy_ucca.conversion.graph import ROOT, Arc
from spacy_ucca.errors import FormatError
from spacy_ucca.sdp_parser.enhanced import cut_label, iter_enhanced


def arcs(lines, **settings):
    (sentence,) = iter_enhanced(lines, **settings)
    words = [*sentence.graph.words, "ROOT"]
    return {f"{words[h]} {label} {words[d]}" for h, d, label, _ in sentence.graph.arcs}


def test_arcs_through_empty_words_are_joined():
    plain = {"likes nsubj Sue", "ROOT root likes", "likes obj coffee", "likes punct ."}
    joined = {"likes conj>cc and", "likes conj>nsubj Bill", "likes conj>obj tea"}
    assert arcs(GAPPING) == plain | joined
    assert arcs(GAPPING, cut=False) == plain | {a.replace("conj", "conj:and") for a in joined}
    assert arcs(GAPPING, empty="drop") == plain
    (sentence,) = iter_enhanced(GAPPING, empty="drop")
    assert sentence.dropped == 3 and sentence.graph.id == "s-1"


def test_tokens_and_basic_tree():
    (sentence,) = iter_enhanced(GAPPING)
    assert sentence.heads == (1, 1, 1, 4, 1, 4, 1)
    assert sentence.deps[4:] == ("conj", "orphan", "punct")
    assert sentence.spaces == (True,) * 5 + (False, True)
    assert sentence.graph.tokens[1][:4] == ("likes", "like", "VERB", "VBZ")
    assert sentence.graph.punct == (False,) * 6 + (True,)


def test_surface_forms_of_several_words():
    (sentence,) = iter_enhanced(DONT)
    assert sentence.graph.words == ("He", "does", "n't", ".")
    assert sentence.spaces == (True, False, False, True)
    assert sentence.graph.tops == (1,)
    assert {arc.label for arc in sentence.graph.arcs if arc.head == 2} == {"nsubj", "nsubj:xsubj"}


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("obl:from", "obl"),
        ("conj:and", "conj"),
        ("nmod:poss", "nmod:poss"),
        ("nmod:poss:of", "nmod:poss"),
        ("acl:relcl", "acl:relcl"),
        ("nsubj:pass", "nsubj:pass"),
        ("nsubj:xsubj", "nsubj:xsubj"),
        ("conj:and>obl:in", "conj>obl"),
        ("compound:prt", "compound:prt"),
    ],
)
def test_labels_are_cut(label, expected):
    assert cut_label(label) == expected
    assert cut_label(expected) == expected


def test_empty_words_that_depend_on_each_other_end():
    rows = (
        "1 a _ X _ _ 0 root 1.1:x _",
        "1.1 b _ X _ _ _ _ 1.2:y|0:root _",
        "1.2 c _ X _ _ _ _ 1.1:z _",
    )
    (sentence,) = iter_enhanced(text(rows))
    assert sentence.graph.arcs == (Arc(ROOT, 0, "root>x"),)
    assert sentence.dropped == 1  # round and round


def test_arcs_from_a_token_to_itself_are_left_out():
    rows = ("1 a _ X _ _ 0 root 0:root|1.1:x _", "1.1 b _ X _ _ _ _ 1:y _")
    (sentence,) = iter_enhanced(text(rows))
    assert sentence.graph.arcs == (Arc(ROOT, 0, "root"),) and sentence.dropped == 1


@pytest.mark.parametrize(
    ("row", "changed", "reason"),
    [
        ("2:nsubj", "9:nsubj", "line 3.*head in column 9 is 9"),
        ("2:nsubj", "nsubj", "line 3.*not a head and a label"),
        ("2:nsubj", "2:", "line 3.*not a head and a label"),
        ("2 nsubj", "9 nsubj", "line 3.*head is 9, but there are 7"),
        ("2 nsubj", "x nsubj", "line 3.*column 7 is 'x'"),
        ("1 Sue", "2 Sue", "line 3.*token 2 follows token 0"),
        ("1 Sue Sue", "1 Sue", "line 3.*9 columns"),
        ("0 root", "1 root", "circle"),
    ],
)
def test_broken_files_are_refused(row, changed, reason):
    lines = [
        line.replace("\t".join(row.split()), "\t".join(changed.split()), 1) for line in GAPPING
    ]
    with pytest.raises(FormatError, match=reason):
        list(iter_enhanced(lines))


def test_other_mistakes():
    with pytest.raises(FormatError, match="UC880"):
        list(iter_enhanced(GAPPING, empty="keep"))
    with pytest.raises(FormatError, match="UC115"):
        list(iter_enhanced(["", ""]))
