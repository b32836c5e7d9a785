"""The script that makes sentences of constructions: valid graphs, by the guidelines, each sentence once."""

import make_constructions
import pytest
import spacy
from make_constructions import REFERENCE, Writer, fit_words, key_of, make_graphs, read_grammar
from typer.testing import CliRunner

from spacy_ucca.formats.brackets import read_brackets, write_brackets
from spacy_ucca.rules.validate import validate_graph
from spacy_ucca.tokens.extension import get_guidelines
from spacy_ucca.training.corpus import read_docbin

LANGUAGES = ("en", "de", "fr")
N = 400

# A construction, the productions to choose, and the sentence by the guidelines
THE_LAMP = {"it": "[F the] [C#h {thing}]", "thing": "lamp"}
MARIA = {
    "who": "{name}",
    "name": "Maria",
    "subj": "{who#h}",
    "sbe": "2 {A:who#h} [F {is}]",
    "is": "was",
}
SINGS = {
    "vp": "[P {vi.$}] [D {manner}]",
    "vi": "sing/sang/-ing",
    "manner": "slowly",
    "tail": "3 [U .]",
}
BY_HAND = [
    (
        "passive",
        {"passive": "3 {A:it} [F was] [P {done}] {when?} [A IMPLICIT]", "done": "sold", **THE_LAMP},
        "[H [A [F The] [C lamp]] [F was] [P sold] [A IMPLICIT]] [U .]",
    ),
    (
        "class",
        {
            "class": "{s1} [D not] [S [F a] [C {prof}]]",
            "s1": "3 {A:who#h} [F {is}]",
            "prof": "engineer",
            **MARIA,
        },
        "[H [A Maria] [F was] [D not] [S [F an] [C engineer]]] [U .]",
    ),
    (
        "role_noun",
        {
            "role_noun": "[A [S|A [F the] [C {role}]] {A:of org_np}] {vp.1}",
            **{"role": "owner", "org": "club"},
            **SINGS,
        },
        "[H [A [S|A [F The] [C owner]] [A [R of] [F the] [C club]]] [P sang] [D slowly]] [U .]",
    ),
    (
        "possession",
        {
            "possession": "{A:subj} [S#n [F had]] [D {no}] [S#n- [C {courage}]]",
            **{"no": "no", "courage": "luck"},
            **MARIA,
        },
        "[H [A Maria] [S#n [F had]] [D no] [S#n- [C luck]]] [U .]",
    ),
    (
        "secondary",
        {"secondary": "3 {A:subj} [D {begin}] [F to] {vp.0}", "begin": "tried", **MARIA, **SINGS},
        "[H [A Maria] [D tried] [F to] [P sing] [D slowly]] [U .]",
    ),
    (
        "control",
        {
            "control": "2 {A:subj#s} [P {decide}] [A [F to] {vp.0#s} [A* =s]]",
            "decide": "promised",
            **MARIA,
            **SINGS,
            "subj": "{they#h}",
            "they": "[C {name}] [N and] [C {name}]",
        },
        "[H [A#s [C Maria] [N and] [C Maria]] [P promised] [A [F to] [P sing] [D slowly] [A* =s]]] [U .]",
    ),
    (
        "quantity",
        {
            "quantity": "2 [A {of_people#h}] {vp.1}",
            "of_people": "[Q {some}] [C [R of] [F the] [C {humans}]]",
            **{"some": "most", "humans": "girls"},
            **SINGS,
        },
        "[H [A [Q Most] [C [R of] [F the] [C girls]]] [P sang] [D slowly]] [U .]",
    ),
    (
        "comparison",
        {
            "comparison": "2 [H {sbe} [S#c {taller}]] [L than] [H {A:whom} [S* =c]] {tail}",
            **{"taller": "older", "whom": "[A {my}] [S|A#h {kin}]", "my": "his", "kin": "uncle"},
            **MARIA,
            **SINGS,
        },
        "[H [A Maria] [F was] [S#c older]] [L than] [H [A [A his] [S|A uncle]] [S* =c]] [U .]",
    ),
    (
        "imperative",
        {
            "imperative": "2 [H {imp} [A IMPLICIT]] [U {stop}]",
            "imp": "[P {vi}] [D {manner}]",
            "stop": "!",
            **SINGS,
        },
        "[H [P Sing] [D slowly] [A IMPLICIT]] [U !]",
    ),
    (
        "quote",
        {
            "quote": "[U “] [H [A#q {A:it}] [U ,] [U ”] {says} [U ,] [U “] [A#q- [F {is}] [S {adj}]]] [U .] [U ”]",
            "it": "[F a] [C#h {thing}]",
            "thing": "umbrella",
            "says": "[P {cried}] {A:they#h}",
            "cried": "sighed",
            "they": "we",
            "is": "was",
            "adj": "wet",
        },
        "[U “] [H [A#q [A [F An] [C umbrella]]] [U ,] [U ”] [P sighed] [A we] [U ,] [U “] [A#q- [F was] [S wet]]] [U .] [U ”]",
    ),
]


def write_only(construction, choices):
    """The graph that English gives if each name has one production."""
    grammar = read_grammar("en")
    for name, text in {"frame": "6 [H {x}] [U .]", **choices}.items():
        text = text.lstrip("0123456789 ")
        assert text in grammar.productions[name]
        grammar.productions[name] = [text]
    return Writer(grammar, 0).write(construction)


@pytest.fixture(scope="module", params=LANGUAGES)
def language(request):
    return request.param


@pytest.fixture(scope="module")
def graphs(language):
    return [*make_graphs(language, N)]


def test_graphs_are_valid(graphs):
    assert not [problem for graph in graphs for problem in validate_graph(graph)]


def test_each_sentence_once(graphs):
    assert len({key_of(graph.words) for graph in graphs}) == N


def test_seed_decides(language, graphs):
    again = [*make_graphs(language, 40)]
    assert [*map(write_brackets, again)] == [*map(write_brackets, graphs[:40])]
    assert [*map(write_brackets, make_graphs(language, 40, 1))] != [*map(write_brackets, again)]


def test_names_of_grammar(language):
    grammar = read_grammar(language)
    texts = [text for texts in grammar.productions.values() for text in texts]
    used = {found[2] for text in texts for found in REFERENCE.findall(text)}
    assert used - {"x"} == set(grammar.productions) - {"frame", *grammar.sentences}


def test_passives_have_an_implicit_participant(graphs):
    passives = [graph for graph in graphs if graph.details["id"].startswith("passive-")]
    assert len(passives) > 10
    for graph in passives:
        assert any(unit.is_implicit and "A" in unit.categories for unit in graph), graph.words


@pytest.mark.parametrize(("construction", "choices", "expected"), BY_HAND)
def test_graphs_by_hand(construction, choices, expected, monkeypatch):
    monkeypatch.setattr(make_constructions, "OPTIONAL", 0)
    monkeypatch.setattr(make_constructions, "UNSTOPPED", 0)
    [graph] = read_brackets(expected)
    assert write_brackets(write_only(construction, choices)) == write_brackets(graph)


@pytest.mark.parametrize(
    ("language", "words", "expected"),
    [
        ("en", '" a umbrella , a uniform', '" An umbrella , a uniform'),
        ("en", "is a honest a house", "Is an honest a house"),
        ("en", 'she said , " go , " and " stay "', 'She said , " Go , " and " stay "'),
        ("fr", "que la amie de Karim ne dorme", "Que l' amie de Karim ne dorme"),
        ("de", "in der Oper", "In der Oper"),
    ],
)
def test_words_are_fitted(language, words, expected):
    assert " ".join(fit_words(tuple(words.split()), language)) == expected


def test_file_without_examples(tmp_path):
    """Neither sentences of the guidelines are made nor our own, which parsers are tested on."""
    n = 57
    first = [graph.words for graph in make_graphs("en", n)]
    (tmp_path / "guidelines.txt").write_text(
        "".join(f"\u201c[{' '.join(words[:-1])}]H\u201d\n" for words in first[:30]), "utf8"
    )
    output = tmp_path / "en.spacy"
    options = ["--n", str(n), "--without", str(tmp_path / "guidelines.txt")]
    result = CliRunner().invoke(make_constructions.app, ["en", str(output), *options])
    assert result.exit_code == 0, result.output
    docs = [*read_docbin(output, spacy.blank("en").vocab)]
    made = {key_of(doc._.ucca.words) for doc in docs}
    assert len(docs) == len(made) == n
    assert {get_guidelines(doc) for doc in docs} == {"v2"}
    assert not made & {key_of(words) for words in first[:30]}
    own = read_brackets(make_constructions.SENTENCES.read_text("utf8"))
    assert key_of(own[0].words) == ("it", "is", "raining")
    assert not made & {key_of(graph.words) for graph in own}


def test_mistakes_are_named(tmp_path):
    (tmp_path / "latin.txt").write_bytes(b"\xe9")
    output = str(tmp_path / "x.spacy")
    for args, code, expected in (
        (["sv", output], 2, "There is one of de, en, fr"),
        (["en", output, "--n", "0"], 2, "--n"),
        (["en", output, "--without", str(tmp_path)], 2, "is a directory"),
        (["en", output, "--without", str(tmp_path / "latin.txt")], 1, "Save it as UTF-8"),
        (["en", str(tmp_path), "--n", "1"], 2, "is a directory"),
    ):
        result = CliRunner().invoke(make_constructions.app, args)
        lines = (line.strip("│ ") for line in result.output.split("\n"))
        assert result.exit_code == code and expected in " ".join(lines)
