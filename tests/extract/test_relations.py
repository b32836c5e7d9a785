"""Relations of Scenes: elided verbs, implicit relations, light verbs, and white space, with the shipped pipeline and by hand."""

import json
import random
from pathlib import Path

import pytest
import srsly
from written_docs import make_doc, parse

from spacy_ucca.applications import SceneIndex, predication_f1, split_sentences
from spacy_ucca.extract import predications
from spacy_ucca.extract.csv import write_csv
from spacy_ucca.extract.kinds import KINDS
from spacy_ucca.extract.linkers import Linkage
from spacy_ucca.matcher import UccaMatcher

ROOT = Path(__file__).parents[2]
# Every fourth sentence is there to look at.
TEXTS = [row["text"] for row in srsly.read_jsonl(ROOT / "benchmarks/predications/gold.jsonl")][::4]


# The second clause: lemma, subject, object, whether it is negated, its modal verbs; and its sentence
ELIDED = [
    ("He can swim but she can't.", "swim she - not can", "She can't swim."),
    ("My boss didn't come although he could.", "come he - - could", "He could come."),
    ("I wanted to go but I couldn't.", "go I - not could", "I couldn't go."),
    ("Mary won't help us, but Peter will.", "help Peter - - will", "Peter will help us."),
    ("Tom has seen the film, but Anna hasn't.", "see Anna - not -", "Anna hasn't seen the film."),
    ("They promised to pay, and they did.", "pay they - - -", "They did pay."),
    ("He isn't tired, but she is.", "tired she - - -", "She is tired."),
    ("I like it, but she doesn't.", "like she - not -", "She doesn't like it."),
    ("He tried to run but couldn't.", "run He - not could", "He couldn't run."),
    ("Anna has never been to Rome, but Peter has.", "Rome Peter - - -", "Peter has."),
    ("The letter can be sent, but the box can't.", "send - the_box not can", "The box can't."),
    ("The house was painted, but the fence wasn't.", "paint - the_fence not -", "The fence wasn't painted."),
    ("Some students passed, others didn't.", "pass others - not -", "Others didn't."),
    ("I left early and so did she.", "leave she - - -", "She did."),
    ("They are happy, and so are we.", "happy we - - -", "We are happy."),
    ("You can leave and so can they.", "leave they - - can", "They can leave."),
    ("He didn't go and neither did she.", "go she - not -", "He didn't go and neither did she."),
    ("She sings better than he does.", "sing he - - -", "She sings better than he does."),
    ("Yes, I did.", "do I - - -", "Yes, I did."),
    ("They didn't.", "do they - not -", "They didn't."),
]  # fmt: skip
FULL = [
    ("He has a car, but she has a bike.", "have she a_bike - -"),
    ("They did it and we did the rest.", "do we the_rest - -"),
    ("It was late, and it was sad.", "sad it - - -"),
]


def _row(p) -> str:
    fields = [p.lemma, p.subject and p.subject.text, p.object and p.object.text]
    fields += ["not" if p.is_negated else "", " ".join(p.to_dict()["modality"])]
    return " ".join((field or "-").replace(" ", "_") for field in fields)


@pytest.mark.parametrize(("text", "row", "sentence"), ELIDED)
def test_elided_verbs(nlp, text, row, sentence):
    """Whoever and whatever is said comes from the Scene itself, the relation from the one that has its words."""
    doc = parse(nlp, text)
    *_, last = [p for p in predications(doc) if p.kind == "parallel"]
    assert _row(last).lower() == row.lower()
    assert last.head in last.relation and last.is_clause
    assert KINDS["IS_NEGATED"](doc, last.scene) == last.is_negated
    assert str(split_sentences(doc)[-1]) == sentence


@pytest.mark.parametrize(("text", "row"), FULL)
def test_verbs_that_are_not_elided(nlp, text, row):
    *_, last = predications(parse(nlp, text), clauses=True)
    assert _row(last) == row and last.relation[0].i >= last.scene.tokens()[0]


def test_a_matcher_knows_which_elided_verb_is_denied(nlp):
    matcher = UccaMatcher(nlp.vocab)
    matcher.add(
        "NOT", [[{"RIGHT_ID": "scene", "RIGHT_ATTRS": {"KIND": "parallel", "IS_NEGATED": True}}]]
    )
    for text, denied in (
        ("My boss didn't come although he could.", "My boss"),
        ("He can swim but she can't.", "she"),
    ):
        ((_, units),) = matcher(nlp(text))
        assert units["scene"].text.startswith(denied)


def test_who_does_what_is_not_the_same_with_an_elided_verb(nlp):
    doc, other = nlp("He can swim but she can't."), nlp("He can't swim but she can.")
    assert predication_f1(doc, doc).f == 1 and predication_f1(doc, other).f < 0.6
    index = SceneIndex()
    index.add(doc)
    (hit,) = index.search(subject="she", lemma="swim", negated=True)
    assert hit.sentence == doc.text and not index.search(subject="he", negated=True)


GAPPED = "[H [A Ida] [P#o ordered] [A tea]] [L and] [H [A Kurt] [P* =o] [A coffee]] [U .]"
GAPPED_TREE = """
    Ida NNP PROPN 2 nsubj
    ordered VBD VERB 0 ROOT order
    tea NN NOUN 2 obj
    and CC CCONJ 5 cc
    Kurt NNP PROPN 2 conj
    coffee NN NOUN 5 orphan
    . . PUNCT 2 punct
"""


@pytest.mark.filterwarnings("ignore:.*UW690")
@pytest.mark.parametrize("tree", ["", GAPPED_TREE])
def test_gapping(tree):
    doc = make_doc(GAPPED, tree)
    assert [(p.head.text, p.subject.text, p.object.text) for p in predications(doc)] == [
        ("ordered", "Ida", "tea"),
        ("ordered", "Kurt", "coffee"),
    ]
    assert [str(s).replace(" .", ".") for s in split_sentences(doc)] == [
        "Ida ordered tea and Kurt coffee."
    ]


def test_what_remains_has_the_role_of_what_it_is_coordinated_with():
    text = "[H [A Ida] [P#o ordered] [A tea]] [U ,] [H [D not] [P* =o] [A coffee]] [U .]"
    tree = GAPPED_TREE.replace("and CC CCONJ 5 cc", ", , PUNCT 6 punct")
    tree = tree.replace("Kurt NNP PROPN 2 conj", "not RB PART 6 advmod").replace(
        "5 orphan", "3 conj"
    )
    _, left = predications(make_doc(text, tree))
    assert (left.subject, left.object.text, left.is_negated) == (None, "coffee", True)


def test_a_passive_without_its_verb():
    text = "[H [A Tea] [F was] [P#s sold] [A [R by] [C Ida]]] [L and] [H [A ink] [P* =s] [A [R by] [C Kurt]]]"
    doc = make_doc(
        text,
        """
        Tea NN NOUN 3 nsubj:pass
        was VBD AUX 3 aux:pass be
        sold VBN VERB 0 ROOT sell
        by IN ADP 5 case
        Ida NNP PROPN 3 obl:agent
        and CC CCONJ 7 cc
        ink NN NOUN 3 conj
        by IN ADP 9 case
        Kurt NNP PROPN 7 orphan
        """,
    )
    *_, last = predications(doc)
    assert _row(last) == "sell Kurt ink - -"


def test_of_participants_with_one_head_the_widest_is_the_subject():
    text = "[H [A#e [C#o Ida] [E [R of] [C Rome]]] [F is] [S glad]] [L and] [H [S calm] [A* =o] [A* =e]]"
    doc = make_doc(
        text,
        """
        Ida NNP PROPN 5 nsubj
        of IN ADP 3 case
        Rome NNP PROPN 1 nmod
        is VBZ AUX 5 cop
        glad JJ ADJ 0 ROOT
        and CC CCONJ 7 cc
        calm JJ ADJ 5 conj
        """,
    )
    assert [p.subject.text for p in predications(doc)] == ["Ida of Rome", "Ida of Rome"]


# The words of a relation


@pytest.mark.parametrize(
    ("text", "relation", "object"),
    [
        ("She filed a complaint.", "filed", "a complaint"),
        ("They are toys.", "are toys", None),
        ("Are they toys?", "toys", None),
        ("My request is genuine.", "genuine", None),
        ("There is no proof.", "is", None),
        ("We set up a call.", "set up", "a call"),
    ],
)
def test_the_words_of_a_relation_have_its_head(nlp, text, relation, object):
    p = predications(parse(nlp, text), clauses=True)[0]
    assert p.relation.text == relation and p.head in p.relation
    assert (p.object and p.object.text) == object
    row = p.to_dict()
    assert text[row["start"] : row["end"]] == relation


def check(doc) -> None:
    """Each Scene has a row, in CSV too, and no part of a row is white space."""
    found = predications(doc)
    linkage = Linkage(doc, doc._.ucca)  # "provided" of "provided that he comes" is a Linker
    scenes = [scene for scene in doc._.ucca.scenes if not linkage.is_marker(scene)]
    assert [p.scene for p in found] == scenes
    for p in found:
        assert p.head is None or (p.head in p.relation and not p.head.is_space)
        arguments = [a for a in (p.subject, p.object, *p.others) if a is not None]
        assert all(a.head is None or a.text.strip() for a in arguments)
        spans = [a.span for a in arguments if a.span is not None]
        spans += [*p.times, *p.places, *p.adverbials, *(link.span for link in p.links)]
        spans += [p.relation] if p.relation else []
        assert not any(span[0].is_space or span[-1].is_space for span in spans)
        edges = {a.edge for a in arguments} | {e for e in p.scene.edges if "A" not in e.categories}
        covered = {token.i for span in spans for token in span}
        for edge in p.scene.edges_by("A"):
            has_head = p.head is not None and p.head.i in edge.child.tokens()
            is_other = edge.remote and p._relation.elided
            assert edge in edges or has_head or is_other or covered.issuperset(edge.child.tokens())
    assert len(write_csv(doc._.ucca, [doc]).splitlines()) == len(found) + 1


def test_laws_of_real_sentences(nlp):
    rng = random.Random(0)
    spaced = ["".join(c * rng.choice((1, 1, 2, 3)) if c == " " else c for c in t) for t in TEXTS]
    for doc in nlp.pipe([*TEXTS, *spaced, *(text.replace(" ", " \n") for text in TEXTS)]):
        check(doc)


@pytest.mark.slow
def test_laws_of_a_corpus(nlp, corpora):
    lines = (corpora / "UD_English-EWT" / "en_ewt-ud-dev.conllu").read_text("utf8").splitlines()
    texts = [line[9:] for line in lines if line.startswith("# text = ")]
    assert len(texts) > 2000
    for doc in nlp.pipe(texts):
        check(doc)


def test_a_verb_above_in_the_tree_is_an_argument_if_it_is_one_in_the_graph():
    doc = make_doc(
        "[H [A What] [P shoul] [A [A i] [P do]] [U ?]]",
        """
        What WP DET 2 det
        shoul NN NOUN 4 obj
        i PRP PRON 4 nsubj
        do VBP VERB 0 ROOT
        ? . PUNCT 4 punct
        """,
    )
    check(doc)
    assert [a.text for a in predications(doc)[0].others] == ["What", "i do"]


def test_white_space_is_no_argument(nlp):
    for text in ("I like  you.", "I  like \n you.", 'She said :  "I  know"  .'):
        for p in predications(nlp(text)):
            assert all(a.text.strip('" \n') for a in (p.subject, p.object, *p.others) if a)
    doc = make_doc(
        "[H [A The old house] [P fell]]",
        """
        The DT DET 3 det
        old JJ ADJ 3 amod
        house NN NOUN 4 nsubj
        fell VBD VERB 0 ROOT fall
        """,
    )
    assert predications(doc)[0].subject.text == "The old house"


# Scenes that share, and Scenes without words for what happens


@pytest.mark.parametrize(
    ("text", "who"),
    [
        ("After graduation, John moved to Paris.", "John"),
        ("After graduation, Anna left the city.", "Anna"),
    ],
)
def test_who_shares_a_noun_that_happens(nlp, text, who):
    graduation = predications(nlp(text))[0]
    assert (graduation.lemma, graduation.subject.text) == ("graduation", who)
    assert graduation.subject.is_shared and not graduation.is_clause


@pytest.mark.parametrize(("text", "negated"), [("No fever.", True), ("Some more tea.", False)])
def test_an_implicit_relation(text, negated):
    word, *rest = text.rstrip(".").split()
    tree = f"{word} DT DET {len(rest) + 1} det\n"
    tree += "".join(f"{w} JJ ADJ {len(rest) + 1} amod\n" for w in rest[:-1])
    tree += f"{rest[-1]} NN NOUN 0 ROOT\n. . PUNCT {len(rest) + 1} punct"
    doc = make_doc(f"[H [D {word}] [A {' '.join(rest)}] [S]] [U .]", tree)
    (p,) = found = predications(doc)
    assert (p.relation, p.head, p.lemma, p.is_clause, p.doc) == (None, None, "", False, doc)
    assert (p.subject.text, p.is_negated) == (" ".join(rest), negated)
    row = p.to_dict()
    assert (row["relation"], row["start"], row["end"]) == ("(implicit)", None, None)
    assert not predications(doc, clauses=True) and [*predications(doc[:-1])] == [p]
    assert json.loads(found.to_json())[0]["lemma"] == "" and "(implicit)" in found._repr_html_()
    head, line = write_csv(doc._.ucca, [doc]).splitlines()
    cells = dict(zip(head.split(","), line.split(","), strict=True))
    assert (cells["relation"], cells["start"]) == ("(implicit)", "")
    index = SceneIndex()
    assert index.add(doc) == 1 and index.search(negated=negated)[0].sentence == doc.text.strip()
    assert predication_f1(doc, doc).f == 1
    assert [str(s) for s in split_sentences(doc)] == [text]


def test_numbers_stay_numbers_in_pandas(nlp):
    pytest.importorskip("pandas")
    frame = predications(nlp("The house. She left.")).to_pandas()
    assert {str(frame[name].dtype) for name in ("host", "start", "end")} == {"Int64"}
    assert frame["start"].isna().sum() == 1


def test_a_scene_of_shared_words_alone_is_in_its_sentence():
    doc = make_doc("[ [H [A#h He] [P came]]] [ [H [P went] [A#b home]] [H [P] [A* =h]]]")
    assert [len(predications(doc[start:end])) for start, end in ((0, 2), (2, 4))] == [1, 2]


@pytest.mark.parametrize(
    ("text", "noun", "subject", "object"),
    [
        (
            "The destruction of the city by the army shocked us.",
            "destruction",
            "the army",
            "the city",
        ),
        ("They feared Oracle's acquisition of Sun.", "acquisition", "Oracle's", "Sun"),
        ("They opposed the sale of the land.", "sale", None, "the land"),
        ("The arrival of the king surprised them.", "arrival", "the king", None),
    ],
)
def test_who_takes_part_in_what_a_noun_says(nlp, text, noun, subject, object):
    row = [p for p in predications(nlp(text)) if p.head.text == noun][-1]
    found = [a and a.text for a in (row.subject, row.object)]
    assert found == [subject, object]
