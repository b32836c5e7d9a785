"""Splitting: the rules of the paper, what we change of them, and what holds of each split."""

import pytest
from spacy.attrs import LANG
from spacy.tokens import Doc
from spacy.vocab import Vocab
from written_docs import ODD_TEXTS, doc_of, gold_and_random, parse

from spacy_ucca.applications import split_sentences
from spacy_ucca.errors import UccaError
from spacy_ucca.formats.files import find_files
from spacy_ucca.formats.xml import read_xml
from spacy_ucca.lang import get_words
from spacy_ucca.text.split import split_sentences as split_graph
from spacy_ucca.training.corpus import graph_to_doc


def split(doc: Doc, **options: bool) -> list[str]:
    return [str(each) for each in split_sentences(doc, **options)]


def check(doc: Doc) -> None:
    """Laws of all splits of a Doc."""
    graph = doc._.ucca
    for options in ({}, {"published": True}, {"relative_clauses": False}):
        found = split_sentences(doc, **options)
        for each in found:
            tokens = each.tokens
            assert tokens and len(set(tokens)) == len(tokens)
            assert not graph.punct[tokens[0]] or not options.get("published")
            assert each.text == each.text.strip() and "\n" not in each.text
            assert each.scene is None or set(each.scene.tokens()) & set(tokens)
        kept = {i for each in found for i in each.tokens}
        words = {i for i in range(len(doc)) if graph.unit_of(i) and not graph.punct[i]}
        for i in words - kept:
            if graph.words[i].isspace():
                continue
            units = [*graph.unit_of(i).ancestors(itself=True)]
            above = {c for unit in units for c in unit.categories}
            relative = any(
                i in unit.tokens(punct=False)[:2]
                for unit in units
                if unit.scene_kind == "elaborator"
            )
            correlative = graph.words[i].lower() in ("not", "only", "both")
            assert {"L", "F", "U"} & above or relative or correlative, graph.words[i]


@pytest.mark.parametrize("text", ODD_TEXTS)
def test_odd_texts(nlp, text):
    check(nlp(text))


def test_a_long_sentence(nlp):
    words = [word for i in range(250) for word in ("he", "said", f"w{i}", "and")]
    check(nlp(Doc(nlp.vocab, words=words)))


def test_gold_and_random_graphs(gold, sample, vocab):
    for doc in gold_and_random(gold, sample, vocab):
        check(doc)


@pytest.mark.slow
def test_corpora(corpora, vocab):
    for corpus in ("UCCA_English-Wiki-1.2", "UCCA_English-EWT", "UCCA_German-20K"):
        for path in find_files([corpora / corpus / "xml"], "xml")[7::60]:
            for graph in split_graph(read_xml(path)):
                check(graph_to_doc(graph, vocab))


def test_a_doc_without_a_graph(vocab):
    with pytest.raises(UccaError, match="UC602"):
        split_sentences(Doc(vocab, words=["Some", "text"]))


@pytest.mark.parametrize(
    ("name", "rule1", "rule2"),
    [
        ("process", ["The cat slept."], []),
        ("parallel-scenes-fronted-linker", ["It was late.", "Nobody slept."], []),
        (
            "parallel-scenes-shared-participants",
            ["Dana cooked the fish.", "Dana ate the fish."],
            [],
        ),
        (
            "relative-subject",
            ["The man who called you left."],
            ["The man left.", "Man called you."],
        ),
        (
            "relative-extraposed",
            ["A man arrived who knew everyone."],
            ["A man arrived.", "Man knew everyone."],
        ),
        ("unanalyzable-idiom", ["The old dog kicked the bucket."], []),
        ("unanalyzable-with-punctuation-units", ["I bought a T-shirt."], []),
        ("participant-of-parallel-scenes", ["He said that he came and that he left."], []),
        ("remote-process", ["Ida ordered tea.", "Ordered Kurt coffee."], []),
        ("question-polar", ["Did you see that?"], []),
    ],
)
def test_published_rules_on_the_sample(gold, name, rule1, rule2):
    assert split(gold[name], relative_clauses=False, published=True) == rule1
    assert split(gold[name], published=True) == (rule2 or rule1)


CAME = "[H [A#h He] [P came back] [A home]] [L and] [H [A* =h] [P played] [A piano]] [U .]"
PLANET = (
    "[H [A He] [P observed] [A [F the] [C#p planet] [E [R which] [A* =p] [S has] "
    "[A [Q 14] [E known] [C satellites]]]]] [U .]"
)
MAN = "[H [A [F The] [C#m man] [E [R who] [A* =m] [P sang]]] [P left]] [L and] [H [A we] [P slept]] [U .]"
THAT = "[H [A I] [S know] [A [H [R that] [A#h he] [P left]] [L and] [H [A* =h] [P won]]]] [U .]"
WITHIN = (
    "[H [A I] [P saw] [A [F the] [C#m man] [E [R who] [A* =m] [S has] [A [F the] [C#d dog] "
    "[E [R that] [P bit] [A* =d] [A you]]]]]] [U .]"
)


@pytest.mark.parametrize(
    ("text", "published", "ours"),
    [
        # The first two are the examples of the paper.
        (
            CAME,
            ["He came back home.", "He played piano."],
            ["He came back home.", "He played piano."],
        ),
        (
            PLANET,
            ["He observed the planet.", "Planet has 14 known satellites."],
            ["He observed the planet.", "The planet has 14 known satellites."],
        ),
        (
            MAN,
            ["The man left.", "We slept.", "Man sang."],
            ["The man left.", "We slept.", "The man sang."],
        ),
        (THAT, ["I know that he left and won."], ["I know that he left and won."]),
        (
            WITHIN,
            ["I saw the man.", "Man has the dog.", "Dog bit you."],
            ["I saw the man.", "The man has the dog.", "The dog bit you."],
        ),
    ],
)
def test_published_rules_and_ours(text, published, ours, vocab):
    doc = doc_of(text, vocab)
    assert split(doc, published=True) == published
    assert split(doc) == ours


@pytest.mark.parametrize("lang", ["en", "de", "fr"])
def test_what_is_not_asserted_stays(lang):
    vocab = Vocab({LANG: lambda text: lang})
    for link in sorted(get_words(lang).not_asserted | get_words(lang).asserted_of_past):
        first = doc_of(f"[L {link}] [H [A it] [P rains]] [U ,] [H [A we] [P stay]] [U .]", vocab)
        last = doc_of(f"[H [A We] [P stay]] [L {link}] [H [A it] [P rains]] [U .]", vocab)
        third = doc_of(
            f"[H [A It] [S is cold]] [L and] [L {link}] [H [A it] [P rains]] [U ,] [H [A we] [P stay]] [U .]",
            vocab,
        )
        assert [s.lower() for s in split(first)] == [f"{link} it rains, we stay."]
        assert split(last) == [f"We stay {link} it rains."]
        assert [s.lower() for s in split(third)] == ["it is cold.", f"{link} it rains, we stay."]
        for doc in (first, last):
            assert sorted(split(doc, published=True)) == ["It rains.", "We stay."]
    rest = doc_of("[L xx] [H [A it] [P rains]] [U ,] [H [A we] [P stay]] [U .]", vocab)
    assert split(rest) == ["It rains.", "We stay."]


@pytest.mark.parametrize(("tag", "n"), [("VBD", 2), ("VBZ", 1)])
def test_when_is_asserted_of_the_past(vocab, tag, n):
    tree = ["2 advmod WRB", "2 nsubj PRP", f"5 advcl {tag}", "2 punct ,", "5 nsubj PRP"]
    tree += [f"5 ROOT {tag}", "5 punct ."]
    text = "[L When] [H [A it] [P rains]] [U ,] [H [A we] [P stay]] [U .]"
    assert len(split(doc_of(text, vocab, tree))) == n


def test_several_conditions_stay_with_what_they_are_of(vocab):
    text = "[L If] [H [H [A it] [P rains]] [L or] [H [A it] [P snows]]] [U ,] [H [A we] [P stay]] [U .]"
    assert split(doc_of(text, vocab)) == ["If it rains or it snows, we stay."]
    text = "[H [A We] [P stay]] [L if] [H [H [A it] [P rains]] [L and] [H [A it] [P blows]]] [U .]"
    assert split(doc_of(text, vocab)) == ["We stay if it rains and it blows."]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("If it rains and it is cold, we stay.", None),
        ("We stay if it rains and it is cold.", None),
        ("You may copy it, provided that you keep the notice and that you pay.", None),
        ("Not only did he sing but he also danced.", None),
        (
            "If it is cold, we stay, and if it is warm, we go.",
            ["If it is cold, we stay.", "If it is warm, we go."],
        ),
        (
            "If it is cold, we stay and they go.",
            ["If it is cold, we stay.", "If it is cold they go."],
        ),
        (
            "You must keep the notice, and include a copy, if you sell it.",
            [
                "You must keep the notice if you sell it.",
                "You must include a copy, if you sell it.",
            ],
        ),
        ("He is not only late but also rude.", ["He is late.", "He is rude."]),
        ("He not only sang but also danced.", ["He sang.", "He danced."]),
        ("She was both tired and happy.", ["She was tired.", "She was happy."]),
    ],
)
def test_conditions_go_with_what_they_govern_and_correlatives_with_both(nlp, text, parts):
    assert split(parse(nlp, text)) == (parts or [text])


@pytest.mark.parametrize("n", range(1, 6))
def test_conjuncts_get_the_subject(vocab, n):
    """However many there are, with auxiliaries of their own."""
    text = "[H [A [F The] [C post]] [F was] [P named]] "
    tree = ["1 det DT", "3 nsubj:pass NN", "3 aux:pass VBD", "3 ROOT VBN"]
    for i in range(n):
        text += f"[L but] [H [F will] [D not] [F be] [P v{i}]] "
        at = len(tree) + 4
        tree += [
            f"{at} cc CC",
            f"{at} aux MD",
            f"{at} advmod RB",
            f"{at} aux:pass VB",
            "3 conj VBN",
        ]
    doc = doc_of(text + "[U .]", vocab, [*tree, "3 punct ."])
    assert split(doc)[1:] == [f"The post will not be v{i}." for i in range(n)]
    assert split(doc, published=True)[1:] == [f"Will not be v{i}." for i in range(n)]


@pytest.mark.parametrize(
    ("verb", "auxiliary", "sentence"),
    [
        ("swim VB", "ca MD", "She ca n't swim there."),
        ("swum VBN", "has VBZ have", "She has n't swum there."),
        ("swimming VBG", "is VBZ be", "She is n't swimming there."),
        ("swims VBZ", "ca MD", "She ca n't."),
        ("swum VBN", "did VBD do", "She did n't."),
    ],
)
def test_an_elided_verb_stands_where_its_form_fits(vocab, verb, auxiliary, sentence):
    word, tag = verb.split()
    first, *rest = auxiliary.split()
    text = (
        f"[H [A He] [P#p {word}] [A there]] [L but] [H [A she] [D {first}] [D n't] [P* =p]] [U .]"
    )
    tree = ["1 nsubj PRP", f"1 ROOT {tag} swim", "1 advmod RB", "5 cc CC", "5 nsubj PRP"]
    tree += [f"1 conj {' '.join([*rest, 'AUX'] if rest[1:] else [*rest, 'can', 'AUX'])}"]
    doc = doc_of(text, vocab, [*tree, "5 advmod RB", "1 punct ."])
    assert split(doc)[1] == sentence
    assert split(doc, published=True)[1].lower().startswith(word)


def test_conjuncts_get_auxiliaries_and_negation(vocab):
    text = "[H [A He] [F has] [D not] [P come]] [L and] [H [P gone]] [U .]"
    tree = ["3 nsubj PRP", "3 aux VBZ", "3 advmod RB", "3 ROOT VBN", "5 cc CC", "3 conj VBN"]
    doc = doc_of(text, vocab, [*tree, "3 punct ."])
    assert split(doc) == ["He has not come.", "He has not gone."]


def test_a_remote_subject_is_not_given_twice(vocab):
    text = "[H [A#d [C Dana]] [P cooked] [A [F the] [C fish]]] [L and] [H [A* =d] [P ate]] [U .]"
    tree = [
        "1 nsubj NNP",
        "1 ROOT VBD",
        "3 det DT",
        "1 obj NN",
        "5 cc CC",
        "1 conj VBD",
        "1 punct .",
    ]
    assert split(doc_of(text, vocab, tree)) == ["Dana cooked the fish.", "Dana ate."]


def test_participants_that_are_no_subject_do_not_stand_before(vocab):
    text = "[H [A#y You] [S sleep]] [L and] [H [A#i I] [P came]] [L and] [H [P left] [A* =y] [A* =i]] [U .]"
    tree = [
        "1 nsubj PRP",
        "1 ROOT VBP",
        "4 cc CC",
        "4 nsubj PRP",
        "1 conj VBD",
        "6 cc CC",
        "4 conj VBD",
    ]
    doc = doc_of(text, vocab, [*tree, "1 punct ."])
    assert split(doc) == ["You sleep.", "I came.", "I left."]
    assert split(doc, published=True)[2] == "You I left."


def test_relatives_and_questions_as_linkers_stay(vocab):
    text = "[H [A I] [P took] [A milk]] [L which] [H [A we] [P drank]] [U .]"
    assert split(doc_of(text, vocab)) == ["I took milk which we drank."]
    assert split(doc_of("[L where] [H [F did] [A you] [P go]] [U ?]", vocab)) == [
        "Where did you go?"
    ]


def test_a_shared_relational_noun_is_whole(vocab):
    text = "[H [A [A My] [S|A#w wife]] [S knows]] [L and] [H [P helps] [A* =w]] [U .]"
    assert split(doc_of(text, vocab)) == ["My wife knows.", "My wife helps."]


def test_clauses_without_a_finite_verb_stay(vocab):
    text = "[H [P Walking] [A home] [A* =h]] [U ,] [H [A#h he] [P fell]] [U .]"
    tree = ["4 advcl VBG", "0 advmod RB", "0 punct ,", "4 nsubj PRP", "4 ROOT VBD", "4 punct ."]
    doc = doc_of(text, vocab, tree)
    assert split(doc) == ["Walking home, he fell."]
    assert split(doc, published=True) == ["Walking home he.", "He fell."]


def test_coordinated_infinitives_stay(vocab):
    text = "[H [A#h He] [P came]] [L and] [H [F to] [P see] [A* =h]] [U .]"
    tree = ["1 nsubj PRP", "1 ROOT VBD", "4 cc CC", "4 mark TO", "1 conj VB", "1 punct ."]
    assert split(doc_of(text, vocab, tree)) == ["He came and to see."]


def test_one_mark_at_the_end(vocab):
    for word, end in (("etc.", ""), ("why?", ""), ("home", ".")):
        assert split(doc_of(f"[H [A He] [P came] [A {word}]]", vocab)) == [f"He came {word}{end}"]


def test_only_questions_of_a_mixed_sentence_have_a_question_mark(vocab):
    text = "[H [A He] [P came]] [L and] [H [F did] [A she] [P sing]] [U ?]"
    tree = ["1 nsubj PRP", "1 ROOT VBD", "5 cc CC", "5 aux VBD", "5 nsubj PRP", "1 conj VB"]
    tree += ["1 punct ."]
    doc = doc_of(text, vocab, tree)
    assert split(doc) == ["He came.", "Did she sing?"]
    assert split(doc, published=True) == ["He came?", "Did she sing?"]
    text = "[H [A Tom] [U ,] [F did] [A you] [P come]] [L and] [H [A she] [P sang]] [U ?]"
    tree = ["4 vocative NNP", "4 punct ,", "4 aux VBD", "4 nsubj PRP", "4 ROOT VB", "7 cc CC"]
    tree += ["7 nsubj PRP", "4 conj VBD", "4 punct ."]
    assert split(doc_of(text, vocab, tree)) == ["Tom, did you come?", "She sang."]
    text = "[H [A He] [P came]] [L and] [H [F did] [A she] [P sing]] [U ?]"
    # Nobody knows which is the question.
    assert split(doc_of(text, vocab)) == ["He came?", "Did she sing?"]
    text = "[L When] [H [F did] [A he] [P come]] [L and] [H [A she] [P sang]] [U ?]"
    tree = ["3 advmod WRB", "3 aux VBD", "3 nsubj PRP", "3 ROOT VB", "6 cc CC", "6 nsubj PRP"]
    tree += ["3 conj VBD", "3 punct ."]
    assert split(doc_of(text, vocab, tree)) == ["When did he come?", "She sang."]
    text = "[H [A He] [P came]] [L and] [H [A who] [P sang]] [U ?]"
    tree = ["1 nsubj PRP", "1 ROOT VBD", "4 cc CC", "4 nsubj WP", "1 conj VBD", "1 punct ."]
    assert split(doc_of(text, vocab, tree)) == ["He came.", "Who sang?"]
    tree[3] = "4 nsubj PRP"
    assert split(doc_of(text.replace("who", "she"), vocab, tree)) == ["He came?", "She sang?"]


def test_a_relative_clause_of_a_question_is_none(vocab):
    text = "[H [F Did] [A you] [P see] [A [F the] [C#m man] [E [R who] [A* =m] [P sang]]]] [U ?]"
    assert split(doc_of(text, vocab)) == ["Did you see the man?", "The man sang."]


def test_whole_phrases_in_the_place_of_the_object(vocab):
    text = "[H [A [F The] [E old] [C#h house] [E [R in which] [A we] [P live] [A* =h]]] [S stands]] [U .]"
    doc = doc_of(text, vocab)
    # Without tags nobody knows that "in" is a preposition.
    assert split(doc)[0] == "The old house stands."
    text = text.replace("[R in which]", "[A* =h] [A [R that]]").replace("[A* =h]]]", "]]")
    assert split(doc_of(text, vocab)) == ["The old house stands.", "We live the old house."]
    assert split(doc_of(text, vocab), published=True)[1] == "House we live."


@pytest.mark.parametrize(
    ("about", "clause"),
    [
        ("[F Every] [C#m man]", "[R who] [A* =m] [P sang]"),
        ("[C#m Nobody]", "[R who] [A* =m] [P sang]"),
        ("[F The] [C#m man]", "[R whose] [A dog] [A* =m] [P barked]"),
        ("[F The] [C#m man]", "[A [C most] [E [R of] [C whom]]] [A* =m] [P barked]"),
        ("[F The] [C#m man]", "[P seen] [A* =m] [A there]"),
        ("[F The] [C#m fact]", "[R that] [A she] [P sang]"),
    ],
)
def test_relative_clauses_that_are_no_true_sentences_stay(vocab, about, clause):
    doc = doc_of(f"[H [A {about} [E {clause}]] [P left]] [U .]", vocab)
    assert len(split(doc)) == 1 and len(split(doc, published=True)) == 2


def test_quotes_and_brackets_stay_in_pairs(vocab):
    text = '[H [A He] [P said] [A [U "] [C no] [U "]]] [L and] [H [A she] [P left]] [U .]'
    assert split(doc_of(text, vocab))[0].count('"') == 2
    text = '[U "] [H [A He] [P left]] [L and] [H [A she] [P stayed]] [U .] [U "]'
    assert not any('"' in each for each in split(doc_of(text, vocab)))


def test_records(vocab):
    first, second = split_sentences(doc_of(CAME, vocab))
    assert first.tokens == (0, 1, 2, 3) and second.tokens == (0, 5, 6)
    assert second.scene.main_relation.text == "played"
