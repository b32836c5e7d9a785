"""The examples: each runs on the shipped pipeline, keeps its laws on gold and predicted graphs, and refuses bad input."""

import csv
import importlib
import io
import json
import random
import sys
from itertools import pairwise
from pathlib import Path

import pytest
import samsa
import scenes_to_jsonl
import similarity
import spacy
import split_sentences
import triples
import typer
import update_readme
from common import sentences_of
from perturb import perturb
from spacy.tokens import Doc

from spacy_ucca.errors import UccaError
from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.formats.passage import to_passage
from spacy_ucca.formats.xml import iter_xml, read_xml
from spacy_ucca.graph import Graph
from spacy_ucca.text.split import split_sentences as split_sentences_of
from spacy_ucca.training.corpus import graph_to_doc

ROOT = Path(__file__).parent.parent
MODEL = ROOT / "models" / "en_ucca_sm"
SCRIPTS = {
    "split_sentences": 1,
    "samsa": 2,
    "similarity": 2,
    "triples": 1,
    "scenes_to_jsonl": 1,
}
TEXTS = (
    "After graduation, John moved to Paris.",
    "John, who had lived in Rome for years, moved because his sister needed help. She never asked.",
    "The song that we heard was sad, and 5-6 people left; nobody sang.",
)
ODD_TEXTS = (
    "",
    " ",
    "\n\n \t",
    "!!!",
    "Run",
    "😀",
    "👩‍👩‍👧 😀.",
    "שלום עולם, הוא הלך הביתה.",
    "مرحبا بالعالم.",
)


@pytest.fixture(scope="module")
def nlp():
    if not MODEL.exists():
        pytest.skip("no pipeline ships yet")
    return spacy.load(MODEL)


@pytest.fixture(scope="module")
def vocab():
    return spacy.blank("en").vocab


@pytest.fixture(scope="module")
def gold(sample, vocab):
    return {graph.details["id"]: graph_to_doc(graph, vocab) for graph in sample}


def doc_of(text: str, vocab) -> Doc:
    return graph_to_doc(Graph.join(read_brackets(text)), vocab)


def start(monkeypatch, capsys, name: str, *arguments: str) -> tuple[int, str, str]:
    """Run a script as from a shell, in this process. RETURNS (Tuple[int, str, str]): Exit code, output and errors."""
    monkeypatch.setattr(sys, "argv", [f"{name}.py", *arguments])
    module = importlib.import_module(name)
    try:
        module.run(module.main)
        code = 0
    except SystemExit as stop:
        code = stop.code or 0
    return code, *capsys.readouterr()


@pytest.mark.slow
def test_readme_shows_what_the_commands_print():
    """After a new pipeline: python examples/update_readme.py"""
    if not MODEL.exists():
        pytest.skip("no pipeline ships yet")
    found = update_readme.outputs(update_readme.README.read_text("utf8"))
    named = {line.split()[1] for commands, _, _ in found for line in commands.splitlines()}
    assert named == {f"examples/{name}.py" for name in SCRIPTS}
    for commands, shown, printed in found:
        assert printed == shown, commands


@pytest.mark.parametrize("name", SCRIPTS)
def test_texts_and_files(name, nlp, monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(spacy, "load", lambda model: nlp)
    (tmp_path / "text.txt").write_text(TEXTS[1] + "\n", "utf8")
    code, from_text, _ = start(monkeypatch, capsys, name, "model", *[TEXTS[1]] * SCRIPTS[name])
    assert code == 0 and from_text
    files = [str(tmp_path / "text.txt")] * SCRIPTS[name]
    code, from_file, _ = start(monkeypatch, capsys, name, "model", *files)
    assert code == 0 and from_file == from_text.replace('"doc": "0"', '"doc": "text.txt"')


@pytest.mark.parametrize("name", SCRIPTS)
def test_mistakes(name, vocab, monkeypatch, capsys, tmp_path):
    texts = ["Some text."] * SCRIPTS[name]
    code, out, err = start(monkeypatch, capsys, name, str(tmp_path / "none"), *texts)
    assert (code, out) == (1, "") and "UC508" in err
    spacy.blank("en").to_disk(tmp_path / "blank")
    code, out, err = start(monkeypatch, capsys, name, str(tmp_path / "blank"), *texts)
    assert (code, out) == (1, "") and "UC630" in err
    (tmp_path / "latin.txt").write_bytes("Café".encode("latin-1"))
    latin = [str(tmp_path / "latin.txt")] * SCRIPTS[name]
    pipeline = spacy.blank("en")
    pipeline.add_pipe("ucca_parser")
    monkeypatch.setattr(spacy, "load", lambda model: pipeline)
    code, out, err = start(monkeypatch, capsys, name, "model", *latin)
    assert (code, out) == (1, "") and "UC507" in err


def test_a_doc_without_a_graph(vocab):
    doc = Doc(vocab, words=["Some", "text"])
    for call in (
        lambda: split_sentences.split(doc),
        lambda: samsa.samsa(doc, [doc[:]]),
        lambda: similarity.similarity(doc, doc),
        lambda: list(triples.rows(doc)),
        lambda: list(scenes_to_jsonl.records(doc)),
    ):
        with pytest.raises(UccaError, match="UC602"):
            call()


@pytest.mark.parametrize("text", ODD_TEXTS)
def test_odd_texts(nlp, text):
    check_all(nlp(text))


def test_a_long_sentence(nlp):
    words = [word for i in range(250) for word in ("he", "said", f"w{i}", "and")]
    check_all(nlp(Doc(nlp.vocab, words=words)))


def test_gold_graphs(gold):
    for doc in gold.values():
        check_all(doc)


def test_random_graphs(sample, vocab):
    rng = random.Random(0)
    for graph in sample:
        bare = Graph(graph.words, graph.kinds, graph.edge_tuples, punct=graph.punct)
        check_all(graph_to_doc(perturb(bare, rng, 6), vocab))


@pytest.mark.slow
def test_shared_passages(corpora, vocab):
    for corpus in ("UCCA_English-Wiki-1.2", "UCCA_English-EWT", "UCCA_German-20K"):
        for path in list(iter_xml(corpora / corpus / "xml"))[7::60]:
            for graph in split_sentences_of(read_xml(path)):
                check_all(graph_to_doc(graph, vocab))


def check_all(doc: Doc) -> None:
    """The laws of all scripts on one Doc."""
    for rule2 in (False, True):
        check_split(doc, rule2)
    scores = samsa.samsa(doc, sentences_of(doc))
    assert 0 <= scores.samsa <= scores.samsa_abl <= 1
    for exact in (True, False):
        assert similarity.similarity(doc, doc, exact=exact) == (1, 1, 1)
    scenes = doc._.ucca.scenes
    assert {row["scene"] for row in triples.rows(doc)} == set(range(1, len(scenes) + 1))
    records = list(scenes_to_jsonl.records(doc))
    assert len(records) == len(scenes)
    for record in records:
        json.dumps(record)
        assert record["host"] is None or record["host"] < record["scene"]
        assert record["score"] is None or 0 <= record["score"] <= 1
        for place in (record, record["relation"], *record["participants"]):
            found = [doc.text[start:end] for start, end in place["offsets"]]
            assert " ... ".join(found) == place["text"]


def check_split(doc: Doc, rule2: bool) -> None:
    graph = doc._.ucca
    found: set[int] = set()
    for root in graph.roots:
        for tokens in split_sentences.split_tokens(root, rule2=rule2):
            assert tokens and tokens == sorted(set(tokens))
            assert not graph.punct[tokens[0]] and not graph.punct[tokens[-1]]
            found.update(tokens)
    lost = {i for i in range(len(doc)) if not graph.punct[i] and graph.unit_of(i)} - found
    for i in lost:
        above = {c for unit in graph.unit_of(i).ancestors(itself=True) for c in unit.categories}
        first = any(
            i == unit.tokens(punct=False)[0]
            for unit in graph.unit_of(i).ancestors(itself=True)
            if unit.scene_kind == "elaborator"
        )
        assert {"L", "F", "U"} & above or (rule2 and first), graph.words[i]
    texts = split_sentences.split(doc, rule2=rule2)
    assert all(text and text == text.strip() for text in texts)


@pytest.mark.parametrize(
    ("name", "rule1", "rule2"),
    [
        ("process", ["The cat slept."], []),
        ("parallel-scenes", ["The bell rang.", "We ran."], []),
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
def test_split(gold, name, rule1, rule2):
    assert split_sentences.split(gold[name], rule2=False) == rule1
    assert split_sentences.split(gold[name]) == (rule2 or rule1)


def test_a_clause_within_a_clause(vocab):
    doc = doc_of(
        "[H [A I] [P saw] [A [F the] [C#m man] [E [R who] [A* =m] [S has] [A [F the] [C#d dog] "
        "[E [R that] [P bit] [A* =d] [A you]]]]]] [U .]",
        vocab,
    )
    assert split_sentences.split(doc) == ["I saw the man.", "Man has the dog.", "Dog bit you."]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # The examples of the paper
        (
            "[H [A#h He] [P came back] [A home]] [L and] [H [A* =h] [P played] [A piano]] [U .]",
            ["He came back home.", "He played piano."],
        ),
        (
            "[H [A He] [P observed] [A [F the] [C#p planet] [E [R which] [A* =p] [S has] "
            "[A [Q 14] [E known] [C satellites]]]]] [U .]",
            ["He observed the planet.", "Planet has 14 known satellites."],
        ),
        # Elaborator Scenes follow all parallel ones
        (
            "[H [A [F The] [C#m man] [E [R who] [A* =m] [P sang]]] [P left]] [L and] [H [A we] [P slept]]",
            ["The man left.", "We slept.", "Man sang."],
        ),
        # A Scene that takes part in another stays, and so does what is parallel in it
        ("[H [A I] [S know] [A [R that] [A he] [P left]]] [U .]", ["I know that he left."]),
        (
            "[H [A I] [S know] [A [H [R that] [A#h he] [P left]] [L and] [H [A* =h] [P won]]]]",
            ["I know that he left and won."],
        ),
        # ... but not an elaborator Scene within it
        (
            "[H [A I] [S know] [A [R that] [A [F the] [C#m man] [E [R who] [A* =m] [P sang]]] [P left]]]",
            ["I know that the man left.", "Man sang."],
        ),
    ],
)
def test_rules_of_the_paper(text, expected, vocab):
    assert split_sentences.split(doc_of(text, vocab)) == expected


def test_samsa_by_hand(gold, vocab):
    source = gold["parallel-scenes-shared-participants"]  # Dana cooked and ate the fish

    def score(*texts):
        simple = Doc(vocab, words=" ".join(texts).split())
        bounds = [0]
        for text in texts:
            bounds.append(bounds[-1] + len(text.split()))
        return samsa.samsa(source, [simple[a:b] for a, b in pairwise(bounds)])

    assert score("Dana cooked the fish .", "Dana ate the fish .")[:2] == (1, 1)
    assert score("DANA cooked the FISH and ate it")[:2] == (0.5, 1)  # one sentence for two Scenes
    # Nobody ate: the second Scene keeps its participants; the sentence of both is the same
    found = score("Dana cooked the fish .")
    assert found[:2] == (0.5 * (1 + 0.5) / 2, (1 + 0.5) / 2)
    assert [match.sentence for match in found.matches] == [0, 0]
    # The fish is gone: half of the participants of both
    assert score("Dana cooked and ate .").samsa_abl == 0.75
    assert score("Nothing at all")[:2] == (0, 0) and score()[:2] == (0, 0)
    assert score("Dana cooked", "the fish", "ate")[:2] == (0, 0)  # more sentences than Scenes
    # One to one: the second Scene cannot take the sentence of the first
    found = score("Dana cooked and ate the fish", "Dana slept")
    assert [match.sentence for match in found.matches] == [0, 1]
    assert found.matches[1][2:] == (0, 0.5)


def test_samsa_counts_implicit_participants_half(gold, vocab):
    simple = Doc(vocab, words=["The", "thief", "was", "caught"])
    found = samsa.samsa(gold["implicit-agent"], [simple[:]])
    assert found.matches[0][2:] == (1, 0.75)


def test_split_sentences_are_good_simplifications(gold, vocab):
    """DSS loses none of what SAMSA looks for, on gold graphs without elaborator Scenes."""
    for name, doc in gold.items():
        graph = doc._.ucca
        parallel = [scene for scene in graph.scenes if scene.scene_kind == "parallel"]
        if len(parallel) != len(graph.scenes) or name == "ground":
            continue
        parts = split_sentences.split_tokens(graph.root)
        simple = Doc(vocab, words=[graph.words[i] for part in parts for i in part])
        spans, at = [], 0
        for part in parts:
            spans.append(simple[at : at + len(part)])
            at += len(part)
        found = samsa.samsa(doc, spans)
        for match in found.matches:
            missing = [match.scene.main_relation, *match.scene.participants]
            if not any(center.is_implicit for unit in missing for center in unit.minimal_centers):
                assert match.score == (1 if match.scene.participants else 0.75), name


def test_similarity_of_the_same_tokens_is_the_official_score(sample, vocab):
    evaluation = pytest.importorskip("ucca.evaluation", reason="the ucca package is not installed")
    rng = random.Random(1)
    different = 0
    for graph in sample:
        bare = Graph(graph.words, graph.kinds, graph.edge_tuples, punct=graph.punct)
        changed = perturb(bare, rng, 3)
        a, b = graph_to_doc(bare, vocab), graph_to_doc(changed, vocab)
        found = similarity.similarity(a, b)
        scores = evaluation.evaluate(to_passage(changed), to_passage(bare))
        stats = [scores["labeled"][name] for name in ("primary", "remote")]
        matches, guessed, ref = (
            sum(getattr(s, name) for s in stats)
            for name in ("num_matches", "num_guessed", "num_ref")
        )
        assert found.f == pytest.approx(2 * matches / (guessed + ref) if guessed + ref else 1)
        different += found.f < 1
    assert different > len(sample) / 2


def test_similarity_laws(gold):
    docs = list(gold.values())
    rng = random.Random(2)
    for _ in range(150):
        a, b = rng.choice(docs), rng.choice(docs)
        exact = rng.random() < 0.5
        there = similarity.similarity(a, b, exact=exact)
        back = similarity.similarity(b, a, exact=exact)
        assert 0 <= there.f <= 1 and there.f == pytest.approx(back.f)
        assert (there.recall, there.precision) == pytest.approx((back.precision, back.recall))


def test_similarity_of_other_tokens(vocab):
    a = doc_of("[H [A She] [P left] [A [F the] [C house]]] [U .]", vocab)
    b = doc_of("[H [T Yesterday] [A she] [P left] [A [R at] [F the] [C house]]] [U .]", vocab)
    # H, She, left, the house, the, house: each has a partner of its category
    found = similarity.similarity(a, b)
    assert found.recall == 1 and found.precision == pytest.approx(6 / 8)
    assert similarity.similarity(a, doc_of("[H [S Nothing]]", vocab)).f == 0
    empty = doc_of("[U .]", vocab)
    assert similarity.similarity(a, empty).f == 0 and similarity.similarity(empty, a).f == 0


def test_alignment_of_words():
    align = similarity.align_words
    assert align(["a", "b", "c"], ["x", "a", "c"]) == {0: 1, 2: 2}
    assert align(["a", "b"], ["b", "a"]) in ({0: 1, 1: 0},)
    assert align(["a", "a", "a"], ["a"]) == {0: 0} and align([], ["a"]) == {}
    rng = random.Random(3)
    for _ in range(100):
        a, b = ([rng.choice("abcd") for _ in range(rng.randrange(8))] for _ in range(2))
        pairs = align(a, b)
        assert all(a[i] == b[j] for i, j in pairs.items())
        assert len(set(pairs.values())) == len(pairs)
        assert len(pairs) == sum(min(a.count(c), b.count(c)) for c in "abcd")
        assert align(b, a) == {j: i for i, j in pairs.items()}


def test_triples(gold):
    def of(name):
        return [(row["who"], row["what"], row["whom"]) for row in triples.rows(gold[name])]

    assert of("process") == [("The cat", "slept", "")]
    assert of("state-identity") == [("Vienna", "is", "a city")]
    assert of("relative-subject")[1] == ("man", "called", "you")
    assert of("relational-noun") == [("Her sister", "teaches", "chemistry"), ("Her", "sister", "")]
    assert of("remote-center")[1] == ("you", "ate", "apple ... two")
    assert of("implicit-agent") == [("The thief", "caught", "(implicit)")]
    assert of("one-token") == [("", "Thunder", "")]
    row = next(triples.rows(gold["adverbial-and-time"]))
    assert (row["adverbials"], row["times"], row["kind"]) == ("never", "never", "parallel")


def test_the_subject_comes_first(gold):
    doc = gold["relative-object"].copy()  # The song that we heard was sad .
    for token in doc:
        token.dep_, token.head = "dep", token
    doc[3].head, doc[3].dep_ = doc[4], "nsubj"
    found = list(triples.rows(doc))[1]
    assert (found["who"], found["what"], found["whom"]) == ("we", "heard", "song")


def test_tables_are_csv(nlp, monkeypatch, capsys):
    monkeypatch.setattr(spacy, "load", lambda model: nlp)
    text = 'John, a doctor,\nsaid "no".'
    for arguments, delimiter in (([], ","), (["--to", "tsv"], "\t")):
        code, out, _ = start(monkeypatch, capsys, "triples", "model", text, *arguments)
        rows = list(csv.DictReader(io.StringIO(out), delimiter=delimiter))
        expected = [{k: str(v) for k, v in row.items()} for row in triples.rows(nlp(text))]
        assert all(0 < float(row["score"]) < 1 for row in expected)
        assert (
            code == 0 and rows == expected and all("\n" not in v for r in rows for v in r.values())
        )


def test_triples_in_pandas(gold):
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(triples.rows(gold["parallel-scenes"]))
    assert list(table.columns) == list(triples.COLUMNS) and len(table) == 2


def test_records(gold):
    records = list(scenes_to_jsonl.records(gold["relative-extraposed"]))
    assert [r["kind"] for r in records] == ["parallel", "elaborator"] and records[1]["host"] == 0
    first, second = records
    assert first["participants"][0]["text"] == "A man ... who knew everyone"
    assert first["participants"][0]["offsets"] == [[0, 5], [14, 31]]
    assert first["participants"][0]["center"] == "man" and not first["participants"][0]["shared"]
    assert second["participants"][0] == {
        "text": "man", "offsets": [[2, 5]], "center": "man", "shared": True, "implicit": False, "score": None
    }  # fmt: skip
    implicit = next(scenes_to_jsonl.records(gold["one-token-implicit"]))["participants"][0]
    assert implicit == {
        "text": "", "offsets": [], "center": "", "shared": False, "implicit": True, "score": None
    }  # fmt: skip


def test_scores(gold, vocab):
    """Each is that of its edge; a row of the table has the lowest, and gold graphs have none."""
    graph = gold["relative-subject"]._.ucca  # The man who called you left .
    scores = {i: round(0.99 - i / 100, 2) for i, edge in enumerate(graph.edge_tuples)}
    scored = Graph(graph.words, graph.kinds, graph.edge_tuples, punct=graph.punct, scores=scores)
    doc = graph_to_doc(scored, vocab)
    _, called = scored.scenes
    record = list(scenes_to_jsonl.records(doc))[1]
    man, you = called.edges_by("A")
    (relation,) = called.edges_by("P")
    assert man.remote and record["score"] == called.incoming[0].score
    assert [each["score"] for each in record["participants"]] == [man.score, you.score]
    assert record["relation"]["score"] == relation.score
    edges = [called.incoming[0], man, you, relation]
    row = list(triples.rows(doc))[1]
    assert row["score"] == min(edge.score for edge in edges)
    assert not any(row["score"] for row in triples.rows(gold["relative-subject"]))
    # A root that is a Scene has no edge to it
    assert next(scenes_to_jsonl.records(doc_of("[ [P Go] ]", vocab)))["score"] is None
    assert next(triples.rows(doc_of("[ [P Go] ]", vocab)))["score"] is None


def test_standard_input(monkeypatch):
    from common import read

    stream = io.BytesIO("Größe\n".encode())
    monkeypatch.setattr(typer, "get_binary_stream", lambda name: stream)
    assert read("-") == "Größe" and read("x" * 5000) == "x" * 5000 and read("a\0b") == "a\0b"
