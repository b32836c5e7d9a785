"""scripts/add_lemmas.py and scripts/read_lemmas.py, and the lemmas of the shipped pipeline."""

import json
import random
import string
from pathlib import Path

import add_lemmas
import keep_strings
import pytest
import read_lemmas
import spacy
from spacy.language import Language
from spacy.pipeline import Lemmatizer
from spacy.tokens import Doc, DocBin
from spacy.training import Example

from spacy_ucca.errors import UccaError

LEXIQUE = """\
1_ortho\t2_phon\t3_lemme\t4_cgram\t5_genre\t6_nombre\t7\t8\t9\t10\t11
mangeons\tx\tmanger\tVER\t\t\t1\t1\t1,5\t2\t
suis\tx\tsuivre\tVER\t\t\t1\t1\t1\t2\t
suis\tx\têtre\tVER\t\t\t1\t1\t10,5\t200\t
actrices\tx\tacteur\tNOM\tf\tp\t1\t1\t1\t2\t
tables\tx\ttable\tNOM\tf\tp\t1\t1\t1\t2\t
as\tx\tavoir\tAUX\t\t\t1\t1\t0,7\t0,1\t
yeux\tx\toeil\tNOM\tm\tp\t1\t1\t0,6\t0,1\t
oeufs\tx\toeuf\tNOM\tm\tp\t1\t1\t0,5\t0,1\t
fausse\tx\tFAUX\tADJ\tf\ts\t1\t1\t0,4\t0,1\t
"""


@pytest.fixture(scope="module")
def wordnet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wordnet")
    for pos, irregular, lemmas in (
        (
            "verb",
            "fled flee\nplanned plan\nplanning plan\n",
            "deny flee go plan play stag stage visit",
        ),
        ("noun", "geese goose\n", "box city goose word"),
        ("adj", "better good\nbest good\n", "close fat good"),
    ):
        (folder / f"{pos}.exc").write_text(irregular, "utf8")
        lines = [f"{lemma} {pos[0]} 1 0\n" for lemma in [*lemmas.split(), "word_group"]]
        (folder / f"index.{pos}").write_text("  1 A licence\n" + "".join(lines), "utf8")
    return folder


def write_treebank(path: Path, *rows: str) -> None:
    """Write a treebank of a sentence: rows of form, part of speech and lemma."""
    words, pos, lemmas = zip(*(row.split() for row in rows))
    docs = [Doc(spacy.blank("en").vocab, words, pos=pos, lemmas=lemmas)]
    DocBin(docs=docs).to_disk(path)


def lemma_of(component: Lemmatizer, pos: str, form: str) -> str:
    doc = Doc(component.vocab, [form], pos=[pos.upper()])
    return component(doc)[0].lemma_


@pytest.mark.parametrize("lang", ["de", "en", "es", "fr", "mk", "nl", "sv"])
def test_each_word_gets_its_lemma_back(lang: str) -> None:
    """By rules or as an exception, whatever the words are: spaCy applies the tables as they were learned. Spanish and
    Macedonian have exceptions alone."""
    assert add_lemmas.applies_rules(spacy.blank(lang)) == (lang not in ("es", "mk"))
    rng = random.Random(lang)
    nlp = spacy.blank(lang)
    for n in (1, 10, 500):
        lemmas = {}
        for _ in range(n):
            stem = "".join(rng.choices(string.ascii_lowercase, k=rng.randint(1, 6)))
            old, new = rng.choice([("s", ""), ("ed", "e"), ("ed", ""), ("ies", "y"), ("", "x'x")])
            lemmas[stem + old] = stem + new
        rules, exceptions = add_lemmas.make_tables("verb", lemmas)
        assert len(rules) <= add_lemmas.MAX_RULES and len(exceptions) <= n
        lookups = add_lemmas.make_lookups({"verb": lemmas}, rules=add_lemmas.applies_rules(nlp))
        component = nlp.create_pipe("lemmatizer", config={"mode": "rule"})
        component.initialize(lookups=lookups)
        for form, lemma in lemmas.items():
            for written in (form, form.upper()):
                assert lemma_of(component, "verb", written) == lemma


def test_rules_are_learned_from_what_most_words_do() -> None:
    stems = ["play", "walk", "jump", "talk", "look", "cook"]
    lemmas = {stem + ending: stem for stem in stems for ending in ("", "s", "ed")}
    lemmas |= {"fled": "flee"}
    rules, exceptions = add_lemmas.make_tables("verb", lemmas)
    assert sorted(rules) == [["", ""], ["ed", ""], ["s", ""]] and exceptions == {"fled": ["flee"]}
    assert add_lemmas.apply_rules(rules, "worked") == "work"
    assert add_lemmas.make_tables("pron", {"me": "I", "it": "it"}) == ([["", ""]], {"me": ["I"]})


def test_nouns_with_capitals_have_exceptions_alone() -> None:
    lemmas = {"haus": "Haus", "häuser": "Haus", "baum": "Baum", "hauptbahnhöfen": "Hauptbahnhof"}
    assert add_lemmas.make_tables("noun", lemmas) == ([], {"häuser": ["Haus"]})


def test_wordnet_with_regular_forms(wordnet: Path) -> None:
    known = {(pos, form): lemma for pos, form, lemma in read_lemmas.read_lemmas(wordnet)}
    for pos, forms in {
        "verb": "denies:deny denied:deny denying:deny fled:flee fleeing:flee goes:go plans:plan planned:plan plays:play "
        "played:play stagged:stag staged:stage staging:stage visited:visit visit:visit",
        "noun": "boxes:box cities:city words:word geese:goose",
        "adj": "closest:close closer:close fatter:fat best:good good:good",
    }.items():
        for form, lemma in (pair.split(":") for pair in forms.split()):
            assert known[pos, form] == lemma
    wrong = ("fleed", "planed", "staginging", "stageing", "gooses", "gooder", "word_group", "")
    assert not {form for _, form in known}.intersection(wrong)


def test_lexique(tmp_path: Path) -> None:
    path = tmp_path / "Lexique383.txt"
    path.write_text(LEXIQUE, "latin-1")
    found = list(read_lemmas.read_lemmas(path))
    # With ligatures, as in treebanks, and in lower case
    assert ("noun", "œufs", "œuf") in found and ("noun", "oeufs", "œuf") in found
    assert [entry for entry in found if entry[2] != "œuf"] == [
        ("verb", "suis", "être"),
        ("verb", "mangeons", "manger"),
        ("verb", "suis", "suivre"),
        ("noun", "tables", "table"),
        ("aux", "as", "avoir"),
        ("noun", "yeux", "œil"),
        ("adj", "fausse", "faux"),
    ]


def test_german_dictionary(tmp_path: Path) -> None:
    table = {"S": {"1": ["nehme", "mit"]}, "P": {"1": ["nehmen", "mit"]}}
    verb = {"PA1": "mitnehmend", "PA2": ["mitgenommen"], "PRÄ": table, "hasPrefix": True}
    (tmp_path / "verbs.json").write_text(json.dumps({"mitnehmen": verb}), "utf8")
    noun = {"NOM": {"SIN": "Haus", "PLU": ["Häuser"]}, "G": "N"}
    (tmp_path / "words.json").write_text(json.dumps({"Haus": noun, "Fast Food": noun}), "utf8")
    forms = ["mitnehmen", "mitgenommen", "mitnehme", "mitnehmen"]
    found = read_lemmas.read_lemmas(tmp_path / "verbs.json")
    assert list(found) == [("verb", form, "mitnehmen") for form in forms]
    (tmp_path / "verbs.json").write_text(json.dumps({"sein": {"PRÄ": "bist"}}), "utf8")
    found = list(read_lemmas.read_lemmas(tmp_path / "verbs.json"))
    assert ("aux", "bist", "sein") in found and ("verb", "bist", "sein") in found
    found = read_lemmas.read_lemmas(tmp_path / "words.json")
    assert [entry[1:] for entry in found] == [(f, "Haus") for f in ("haus", "haus", "häuser")]
    adjectives = {"klein": {"NOM": {"M": "kleiner"}}, "groß": {}}
    (tmp_path / "adjectives.json").write_text(json.dumps(adjectives), "utf8")
    known = {
        form: lemma for _, form, lemma in read_lemmas.read_lemmas(tmp_path / "adjectives.json")
    }
    for form in ("klein", "kleiner", "kleineres", "kleinstem"):
        assert known[form] == "klein"
    assert known["größer"] == "groß" and "großer" not in known


@pytest.fixture
def pipeline(tmp_path: Path) -> Path:
    """A pipeline whose `morphologizer` takes all words for verbs, and whose lemmas are wrong."""
    nlp = spacy.blank("en")
    lemmatizer = nlp.add_pipe("trainable_lemmatizer", "lemmatizer", config={"min_tree_freq": 1})
    nlp.add_pipe("morphologizer").add_label("POS=VERB")
    doc = Doc(nlp.vocab, ["Me"], pos=["VERB"], lemmas=["x"])
    nlp.initialize(lambda: [Example(nlp.make_doc("Me"), doc)])
    nlp.add_pipe("sentencizer")
    assert lemmatizer.labels
    nlp.to_disk(tmp_path / "pipeline")
    return tmp_path / "pipeline"


def test_a_lemmatizer_is_replaced_and_scored(pipeline: Path, wordnet: Path, tmp_path: Path) -> None:
    (tmp_path / "train").mkdir()
    # Of two treebanks, the first tells; a dictionary tells the rest. "_" is no lemma.
    write_treebank(tmp_path / "train" / "a.spacy", "fleed VERB flee", "Fleed VERB flee", "x VERB _")
    write_treebank(tmp_path / "train" / "b.spacy", "fleed VERB no", "is VERB be", "fled VERB fly")
    rows = ("is VERB be", "fleed VERB flee", "stage VERB wrong", "denies VERB deny")
    write_treebank(tmp_path / "dev.spacy", *rows)
    score = add_lemmas.add_lemmas(pipeline, tmp_path / "dev.spacy", tmp_path / "train", wordnet)
    assert score == 0.75
    assert not (pipeline / "lemmatizer" / "model").exists()
    nlp = spacy.load(pipeline)
    assert nlp.meta["performance"]["lemma_acc"] == score
    assert nlp.pipe_names == ["morphologizer", "lemmatizer", "sentencizer"]
    doc = nlp("Fleed fled denies x IS goes walkes")
    assert [t.lemma_ for t in doc] == ["flee", "fly", "deny", "x", "be", "go", "walke"]
    keep_strings.keep_strings(pipeline)
    again = Doc(spacy.blank("en").vocab).from_bytes(spacy.load(pipeline)(doc.text).to_bytes())
    assert [t.lemma_ for t in again] == [t.lemma_ for t in doc]  # as with `n_process`


def test_nothing_is_changed_if_something_is_missing(pipeline: Path, tmp_path: Path) -> None:
    for name, rows in (("good", ["is VERB be"]), ("none", ["x VERB _"])):
        write_treebank(tmp_path / f"{name}.spacy", *rows)
    DocBin().to_disk(tmp_path / "empty.spacy")
    (tmp_path / "text.spacy").write_text("no data", "utf8")
    spacy.blank("en").to_disk(tmp_path / "blank")
    before = {path: path.stat().st_mtime_ns for path in pipeline.rglob("*")}
    for names, message in (
        ("pipeline good none", "none.spacy: no lemmas"),
        ("pipeline good missing", "missing.spacy is no source"),
        ("pipeline good text", "text.spacy is no source"),
        ("pipeline missing good", "UC211"),
        ("pipeline empty good", "UC216"),
        ("missing good good", "UC508"),
        ("blank good good", "blank: no `tagger` or `morphologizer`"),
    ):
        folder, *files = names.split()
        with pytest.raises(UccaError, match=message):
            add_lemmas.add_lemmas(
                tmp_path / folder, *(tmp_path / f"{file}.spacy" for file in files)
            )
    assert {path: path.stat().st_mtime_ns for path in pipeline.rglob("*")} == before


def test_a_set_without_lemmas_gives_no_score(pipeline: Path, tmp_path: Path) -> None:
    meta = json.loads((pipeline / "meta.json").read_text("utf8"))
    meta["performance"] = {"lemma_acc": 0.5, "pos_acc": 0.9}
    (pipeline / "meta.json").write_text(json.dumps(meta), "utf8")
    write_treebank(tmp_path / "train.spacy", "is VERB be")
    DocBin(docs=[Doc(spacy.blank("en").vocab, ["is"])]).to_disk(tmp_path / "dev.spacy")
    assert add_lemmas.add_lemmas(pipeline, tmp_path / "dev.spacy", tmp_path / "train.spacy") is None
    nlp = spacy.load(pipeline)
    assert nlp.meta["performance"] == {"pos_acc": 0.9} and nlp("is")[0].lemma_ == "be"


def test_words_are_lemmatized_without_the_data_package(nlp: Language) -> None:
    lemmatizer = nlp.get_pipe("lemmatizer")
    assert isinstance(lemmatizer, Lemmatizer) and lemmatizer.mode == "rule"


# Regular forms, and irregular ones; most are of words that the treebank does not have
FORMS = {
    "NOUN": "cities:city boxes:box potatoes:potato geese:goose hypotheses:hypothesis aardwolves:aardwolf",
    "ADJ": "closest:close nicest:nice larger:large sandiest:sandy fatter:fat best:good",
    "VERB": "denies:deny scurried:scurry fled:flee staged:stage fined:fine fins:fin planned:plan needed:need need:need "
    "hoping:hope hopping:hop abetted:abet encoring:encore passes:pass witness:witness goes:go embed:embed",
    "AUX": "is:be 's:be 'll:will ca:can has:have",
    "PRON": "me:I them:they I:I",
    "PROPN": "Paris:Paris Americans:American",
    "PUNCT": ",:,",
}


def test_lemmas_of_the_shipped_pipeline(nlp: Language) -> None:
    lemmatizer = nlp.get_pipe("lemmatizer")
    for pos, pairs in FORMS.items():
        for form, lemma in (pair.split(":") for pair in pairs.split()):
            assert lemma_of(lemmatizer, pos, form) == lemma
    doc = nlp("She denies that they fled to the closest city.")
    assert [t.lemma_ for t in doc] == "she deny that they flee to the close city .".split()


@pytest.mark.slow
def test_lemmas_of_the_treebank(nlp: Language, corpora: Path, tmp_path: Path) -> None:
    """Verbs of the development set, with gold tokens and predicted tags."""
    import convert_treebank

    treebank = corpora / "UD_English-EWT" / "en_ewt-ud-dev.conllu"
    path = convert_treebank.convert(0, treebank, tmp_path, merge=False, universal=False)
    right = total = 0
    for gold in DocBin().from_disk(path).get_docs(nlp.vocab):
        doc = Doc(nlp.vocab, [t.text for t in gold], [bool(t.whitespace_) for t in gold])
        with nlp.select_pipes(disable=["ucca_parser"]):
            pairs = list(zip(gold, nlp(doc)))
        right += sum(a.lemma_ == b.lemma_ for a, b in pairs if a.pos_ == "VERB")
        total += sum(a.pos_ == "VERB" for a, _ in pairs)
    assert right / total > 0.97
