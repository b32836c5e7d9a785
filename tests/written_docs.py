"""Docs written by hand: a graph in brackets and a tree, a line a word, so that no parser's mistakes matter."""

import spacy
from spacy.tokens import Doc

from spacy_ucca.formats.brackets import read_brackets

VOCAB = spacy.blank("en").vocab


def make_doc(graph: str, rows: str = "") -> Doc:
    """RETURNS (Doc): A Doc with the graph, and with syntax if there are rows: word, tag, part of speech, number of the head from 1
    (0: the root), label, lemma."""
    (read,) = read_brackets(graph)
    if not rows:
        doc = Doc(VOCAB, words=list(read.words))
    else:
        columns = [line.split() for line in rows.strip().splitlines()]
        assert [row[0] for row in columns] == list(read.words)
        doc = Doc(
            VOCAB,
            words=[row[0] for row in columns],
            tags=[row[1] for row in columns],
            pos=[row[2] for row in columns],
            heads=[int(row[3]) - 1 if row[3] != "0" else i for i, row in enumerate(columns)],
            deps=[row[4] for row in columns],
            lemmas=[row[5] if len(row) > 5 else row[0].lower() for row in columns],
        )
    doc._.ucca = read
    return doc


PASSIVE = make_doc(
    "[H [A [E [F The] [S outer] [A* =c]] [C#c circle]] [F is] [P financed] [A [R by] [C Saudi Arabia]]] [U .]",
    """
    The DT DET 3 det
    outer JJ ADJ 3 amod
    circle NN NOUN 5 nsubj:pass
    is VBZ AUX 5 aux:pass be
    financed VBN VERB 0 ROOT finance
    by IN ADP 7 case
    Saudi NNP PROPN 5 obl:agent
    Arabia NNP PROPN 7 flat
    . . PUNCT 5 punct
    """,
)
DENIED = make_doc(
    "[H [T Yesterday] [A#j John] [F did] [D not] [D want] [F to] [P sell] [A [E [S|A his] [A* =c]] [E [S old] [A* =c]] [C#c car]] "
    "[A [R in] [C Paris]]] [L because] [H [A [A his] [S|A sister]] [P needed] [A it]] [U .]",
    """
    Yesterday NN NOUN 5 obl:unmarked
    John NNP PROPN 5 nsubj
    did VBD AUX 5 aux do
    not RB PART 5 advmod
    want VB VERB 0 ROOT
    to TO PART 7 mark
    sell VB VERB 5 xcomp
    his PRP$ PRON 10 nmod:poss
    old JJ ADJ 10 amod
    car NN NOUN 7 obj
    in IN ADP 12 case
    Paris NNP PROPN 7 obl
    because IN SCONJ 16 mark
    his PRP$ PRON 15 nmod:poss
    sister NN NOUN 16 nsubj
    needed VBD VERB 5 advcl need
    it PRP PRON 16 obj
    . . PUNCT 5 punct
    """,
)
RELATIVE = make_doc(
    "[H [A [F The] [C#m man] [E [R who] [A* =m] [P called] [A [A your] [S|A sister]]]] [P left]] [U .]",
    """
    The DT DET 2 det
    man NN NOUN 7 nsubj
    who WP PRON 4 nsubj
    called VBD VERB 2 acl:relcl call
    your PRP$ PRON 6 nmod:poss
    sister NN NOUN 4 obj
    left VBD VERB 0 ROOT leave
    . . PUNCT 7 punct
    """,
)
