"""Link Grammar: words and tokens, the process that parses, files of links."""

import sys
from dataclasses import replace

import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from link_graphs import link_graphs

from spacy_ucca.conversion.graph import ROOT, Arc, BilexicalGraph, Token
from spacy_ucca.errors import FormatError, UccaError
from spacy_ucca.link_grammar import link_grammar
from spacy_ucca.link_grammar.link_grammar import (
    STATUSES,
    LinkCounts,
    LinkGrammar,
    LinkParse,
    TokenizedSentence,
    format_links,
    read_links,
    sentences_of_conllu,
    sentences_of_docs,
)
from spacy_ucca.link_grammar.links import JOIN, Link, LinkGraph, align_links, align_tags
from spacy_ucca.link_grammar.properties import is_planar

WALLS = ("LEFT-WALL", 0, 0), ("RIGHT-WALL", 99, 99)


@pytest.fixture(scope="module")
def grammar():
    try:
        with LinkGrammar("en", timeout=10) as found:
            yield found
    except UccaError as err:
        pytest.skip(str(err))


def parse(grammar: LinkGrammar, text: str) -> LinkParse:
    (sentence,) = sentences_of_docs([spacy.blank("en").make_doc(text)])
    return grammar.parse(sentence)


def sentence_of(words, spaces=None) -> TokenizedSentence:
    return TokenizedSentence(tuple(map(Token, words)), tuple(spaces or [True] * len(words)))


def named(graph: LinkGraph) -> set[tuple[str, str, str]]:
    words = (*graph.words, "WALL")
    return {(words[link.left], words[link.right], link.label) for link in graph.links}


# Words and tokens


def align(text, tokens, words, links):
    def places(names):
        found, end = [], 0
        for name in names:
            start = text.index(name, end)
            end = start + len(name)
            found.append((start, end))
        return found

    spans = [(name, *span) for name, span in zip(words, places(words))]
    return align_links(text, places(tokens), [WALLS[0], *spans, WALLS[1]], links)


def test_the_same_words():
    found = align("a b", ["a", "b"], ["a", "b"], [(0, 2, "W"), (1, 2, "Ss*"), (2, 3, "RW")])
    assert found == [Link(ROOT, 1, "W"), Link(0, 1, "Ss")]


def test_a_word_over_several_tokens():
    text = "I don't go"
    links = [(0, 3, "W"), (1, 2, "S"), (2, 3, "I")]
    found = align(text, ["I", "do", "n't", "go"], ["I", "don't", "go"], links)
    assert found == [Link(ROOT, 3, "W"), Link(0, 1, "S"), Link(1, 2, JOIN), Link(1, 3, "I")]
    found = align('"a"', ['"', "a", '"'], ['"a"'], [(0, 1, "W")])
    assert found == [Link(ROOT, 1, "W"), Link(0, 1, JOIN), Link(1, 2, JOIN)]
    assert align("don't", ["do", "n't"], ["don't"], []) == []  # it was dropped


def test_several_words_in_a_token():
    links = [(0, 2, "W"), (1, 2, "X"), (2, 3, "Y"), (1, 3, "Y")]
    assert align("10pm x", ["10pm", "x"], ["10", "pm", "x"], links) == [
        Link(ROOT, 0, "W"),
        Link(0, 1, "Y"),
    ]


def test_words_and_tokens_that_cross():
    links = [(0, 1, "W"), (1, 2, "X")]
    assert align("abcd", ["a", "bcd"], ["ab", "cd"], links) == [
        Link(ROOT, 0, "W"),
        Link(0, 1, JOIN),
    ]


@pytest.mark.parametrize(
    "text, tokens, words, expected",
    [
        ("Mr. b", ["Mr.", "b"], [("Mr..x", "Mr."), ("b[!].n", "b")], [".x", "[!].n"]),
        ("The of", ["The", "of"], [("the", "The"), ("[of]", "of")], ["", ""]),
        ("don't", ["do", "n't"], [("don't.v-d", "don't")], [".v-d", ""]),
        ("10pm", ["10pm"], [("10[!]", "10"), ("pm.ti", "pm")], ["[!]"]),
        ("a", ["a"], [], [""]),
    ],
)
def test_tags_of_words(text, tokens, words, expected):
    def places(names):
        end = 0
        for name in names:
            start = text.index(name, end)
            end = start + len(name)
            yield start, end

    spans = [(form, *span) for (form, _), span in zip(words, places(w for _, w in words))]
    found = align_tags(text, [*places(tokens)], [WALLS[0], *spans, WALLS[1]])
    assert found == expected


def test_no_place():
    assert align_links("ab", [(0, 1), (1, 2)], [WALLS[0], ("x", 5, 7)], [(0, 1, "W")]) == []


@st.composite
def divided(draw):
    """A text, and links over words that are not its tokens."""
    graph = draw(link_graphs(max_tokens=6))
    lengths = draw(st.lists(st.integers(1, 3), min_size=6, max_size=6))
    ends = [sum(lengths[: i + 1]) for i in range(len(graph.tokens))]
    cuts = sorted({*draw(st.lists(st.integers(1, ends[-1]), max_size=6)), ends[-1]})
    return graph, list(zip([0, *cuts], cuts)), list(zip([0, *ends], ends))


@given(divided())
def test_moved_links_join_all_and_do_not_cross(case):
    graph, tokens, words = case
    text = "x" * tokens[-1][1]
    links = [(link.left + 1, link.right + 1, link.label) for link in graph.links]
    found = align_links(text, tokens, [WALLS[0], *(("x", *w) for w in words), WALLS[1]], links)
    moved = LinkGraph(tuple(Token("x") for _ in tokens), tuple(found))
    assert moved.is_complete
    assert is_planar(link[:2] for link in moved.links)
    if tokens == words:
        assert set(moved.links) == set(graph.links)


# The parser


def test_a_sentence(grammar):
    found = parse(grammar, "Jill likes to skip.")
    assert found.status == "complete" and found.is_connected
    assert {("Jill", "likes", "Ss*s"), ("WALL", "Jill", "Wd"), ("to", "skip", "I*t")} <= named(
        found.graph
    )
    assert found.graph.is_planar
    assert grammar.version.startswith("link-grammar-5")
    assert found.graph.tags == (".f", ".v", ".r", ".v", "")


def test_guessed_words(grammar):
    found = parse(grammar, "He daxed the blicket.")
    assert found.graph.tags == ("", "[!].v-d", "", "[?].n", "")


def test_contractions_are_tokens_of_spacy(grammar):
    found = parse(grammar, "I don't know it.")
    assert found.graph.words == ("I", "do", "n't", "know", "it", ".")
    assert ("do", "n't", JOIN) in named(found.graph)
    assert found.status == "complete"


def test_dropped_words(grammar):
    found = parse(grammar, "He of of the sleeps well.")
    assert found.status == "dropped" and found.graph.dropped and found.is_connected


@pytest.mark.parametrize(
    "text",
    ["Hi", "😀", "😀 is fine.", "مرحبا بالعالم", "\u202eabc", "a\0b", "\0", "\u200b", "[x] (y"],
)
def test_odd_text(grammar, text):
    found = parse(grammar, text)
    assert found.status in STATUSES
    assert "".join(found.graph.words) == text.replace(" ", "")
    assert parse(grammar, "Jill likes to skip.").status == "complete"


@pytest.mark.parametrize("words", [[], [""], [" "], ["\n", ""], ["\0"]])
def test_nothing(grammar, words):
    found = grammar.parse(sentence_of(words))
    assert (
        found.status == "no parse"
        and not found.graph.links
        and len(found.graph.tokens) == len(words)
    )


def test_half_a_character(grammar):
    assert grammar.parse(sentence_of(["\ud800", "x"])).status in STATUSES


def test_whitespace_between_words(grammar):
    found = grammar.parse(sentence_of(["Jill", " ", "skips", "."], [True, False, True, False]))
    assert found.status == "dropped" and found.graph.dropped == (1,)


def test_long_sentences(grammar):
    assert grammar.parse(sentence_of(["very"] * 101)).status == "too long"


def test_several_processes(grammar):
    sentences = [sentence_of(f"Jill likes {'very ' * i}much .".split()) for i in range(12)]
    with LinkGrammar("en", n_process=2) as two:
        assert list(two.pipe(sentences)) == list(grammar.pipe(sentences))
    assert list(grammar.pipe([])) == []


def test_no_such_dictionary(grammar):
    with pytest.raises(UccaError, match=r"UC902.*apt install"):
        LinkGrammar("tlh")


def test_russian():
    try:
        grammar = LinkGrammar("ru")
    except UccaError as err:
        pytest.skip(str(err))
    with grammar:
        found = grammar.parse(sentence_of("Большая собака спит на диване .".split()))
    assert found.status == "complete"
    assert ("собака", "спит", "Sf3") in named(found.graph)


# The process, with a stand-in for the library

STAND_IN = """
import json, sys, time
print(json.dumps({"version": "stand-in"}), flush=True)
for line in sys.stdin:
    text = json.loads(line).strip()
    if text == "crash":
        sys.exit(3)
    if text == "sleep":
        time.sleep(60)
    words = [["LEFT-WALL", 0, 0], [text, 0, len(text)]]
    print(json.dumps({"status": "parsed", "words": words, "links": [[0, 1, "W"]]}), flush=True)
"""


def stand_in(monkeypatch, tmp_path, code: str) -> None:
    path = tmp_path / "worker.py"
    path.write_text(code)
    monkeypatch.setattr(link_grammar, "_WORKER", path)


def test_crashes_and_timeouts_cost_one_sentence(monkeypatch, tmp_path):
    stand_in(monkeypatch, tmp_path, STAND_IN)
    with LinkGrammar("en") as grammar:
        grammar._workers[0].patience = 1
        found = [grammar.parse(sentence_of([word])).status for word in ("a", "crash", "b")]
        found += [grammar.parse(sentence_of([word])).status for word in ("sleep", "c")]
    assert found == ["complete", "crash", "complete", "timeout", "complete"]


def test_who_takes_no_more_does_not_wait(monkeypatch, tmp_path):
    stand_in(monkeypatch, tmp_path, STAND_IN)
    with LinkGrammar("en", n_process=2) as grammar:
        words = ["a", *["sleep"] * 9]
        results = grammar.pipe([sentence_of([word]) for word in words])
        assert next(results).status == "complete"
        results.close()
        assert grammar._idle.qsize() < 2  # still asleep


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ('print(\'{"missing": "OSError"}\')', r"UC901.*apt install link-grammar"),
        ('print(\'{"missing": "LookupError"}\')', "UC902"),
        ("import sys; sys.exit(1)", "UC903"),
    ],
)
def test_what_is_missing_is_said(monkeypatch, tmp_path, code, message):
    stand_in(monkeypatch, tmp_path, code)
    with pytest.raises(UccaError, match=message):
        LinkGrammar("en")


def test_library_that_is_not_there(monkeypatch, capsys):
    from spacy_ucca.link_grammar import link_worker

    monkeypatch.setattr(link_worker, "NAMES", ("no-such-library.so",))
    monkeypatch.setattr(link_worker.ctypes.util, "find_library", lambda name: None)
    link_worker.main("en", "1")
    assert capsys.readouterr().out == '{"missing": "OSError"}\n'


# Files


TAGS = st.sampled_from(["", ".v", "[!].n", "[?]", ".v-d=x"])


@given(st.lists(link_graphs(), min_size=1, max_size=3), st.data())
def test_files_of_links(tmp_path_factory, graphs, data):
    tags = [
        tuple(data.draw(st.lists(TAGS, min_size=len(g.tokens), max_size=len(g.tokens))))
        for g in graphs
    ]
    graphs = [replace(graph, tags=found) for graph, found in zip(graphs, tags)]
    path = tmp_path_factory.mktemp("links") / "links.conllu"
    path.write_text("\n".join(map(format_links, graphs)), "utf8")
    found = list(read_links(path))
    for parse, graph in zip(found, graphs, strict=True):
        assert parse.status == "complete"
        assert parse.graph.words == graph.words
        assert set(parse.graph.links) == set(graph.links)
        assert parse.graph.tags == (graph.tags if any(graph.tags) else ())


def test_nothing_is_lost_in_files(tmp_path):
    """Cycles do no harm, as directions are not looked at; what is not connected keeps its links."""
    tokens = tuple(map(Token, "ab"))
    graphs = [
        BilexicalGraph(tokens, (Arc(0, 1, "S"), Arc(1, 0, "S"), Arc(ROOT, 0, "W"))),
        BilexicalGraph(tokens, (Arc(0, 1, "S"),)),
        BilexicalGraph(tokens),
        BilexicalGraph(tokens, (Arc(ROOT, 1, "W"),)),
    ]
    links = [LinkGraph.from_bilexical(graph) for graph in graphs]
    path = tmp_path / "links.conllu"
    path.write_text("\n".join(map(format_links, links)))
    found = list(read_links(path))
    assert [parse.status for parse in found] == [
        "complete",
        "disconnected",
        "no parse",
        "dropped",
    ]
    assert [set(parse.graph.links) for parse in found] == [set(graph.links) for graph in links]


def test_files_without_links(tmp_path):
    path = tmp_path / "links.conllu"
    path.write_text(format_links(LinkGraph((Token("a"),))))
    with pytest.raises(FormatError, match=r"UC904.*spacy-ucca links"):
        list(read_links(path))
    path.write_text("")
    with pytest.raises(FormatError, match=r"links\.conllu"):
        list(read_links(path))


def test_sentences_of_conllu(tmp_path):
    path = tmp_path / "ud.conllu"
    rows = ["# sent_id = s1", "# text = I don't."]
    rows += ["1\tI\tI\tPRON\tPRP\t_\t2\tnsubj\t_\t_"]
    rows += ["2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No"]
    rows += ["2\tdo\tdo\tVERB\tVBP\t_\t0\troot\t_\t_", "3\tn't\tnot\tPART\tRB\t_\t2\tadvmod\t_\t_"]
    rows += ["4\t.\t.\tPUNCT\t.\t_\t2\tpunct\t_\t_", ""]
    path.write_text("\n".join(rows))
    (sentence,) = sentences_of_conllu(path)
    assert [token.form for token in sentence.tokens] == ["I", "do", "n't", "."]
    assert sentence.spaces[:3] == (True, False, False)
    assert sentence.id == "s1" and sentence.punct == (False, False, False, True)
    assert sentence.tokens[2] == Token("n't", "not", "PART", "RB")


def test_sentences_of_docs():
    nlp = spacy.blank("en")
    docs = [nlp.make_doc(text) for text in ("Hi there.", "", " \n ", " a   b \n")]
    found = list(sentences_of_docs(docs, "x"))
    assert [sentence.id for sentence in found] == ["x1", "x2"]
    assert [token.form for token in found[1].tokens] == ["a", "b"]
    assert found[1].spaces == (True, True)
    assert found[0].punct == (False, False, True)
    nlp.add_pipe("sentencizer")
    assert len(list(sentences_of_docs([nlp("Hi there. Jill skips.")]))) == 2


def test_counts():
    counts = LinkCounts()
    graph = LinkGraph((Token("a"),))
    for status in ("complete", "complete", "dropped", "disconnected", "timeout"):
        counts.add(LinkParse(status, graph))
    found = counts.to_dict()
    assert (found["sentences"], found["connected"], found["complete"]) == (5, 3, 2)
    assert found["connected_percent"] == 60 and found["complete_percent"] == pytest.approx(200 / 3)
    assert set(found["statuses"]) == set(STATUSES)
    assert LinkCounts().to_dict()["connected_percent"] == 0


def test_the_worker_needs_no_package():
    """It is started by its path: importing the package would cost a second."""
    import ast

    tree = ast.parse(link_grammar._WORKER.read_text())
    names = {
        alias.name.partition(".")[0]
        for n in ast.walk(tree)
        if isinstance(n, ast.Import)
        for alias in n.names
    }
    assert names <= sys.stdlib_module_names
    assert not any(n.level for n in ast.walk(tree) if isinstance(n, ast.ImportFrom))
