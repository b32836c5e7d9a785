"""SDP, CoNLL-X, CoNLL-U, export, PENMAN and DOT: layout, round trips, and files that are broken."""

import re
import shutil
import subprocess
from importlib.util import find_spec

import hypothesis.strategies as st
import pytest
from hypothesis import assume, given
from strategies import ODD_WORDS, graphs

from spacy_ucca.conversion.bilexical import from_bilexical, to_bilexical
from spacy_ucca.conversion.graph import ROOT, TOP, Arc, Token
from spacy_ucca.errors import FormatError
from spacy_ucca.formats.brackets import read_brackets, write_brackets
from spacy_ucca.formats.conll import (
    iter_conll,
    iter_conllu,
    read_conll,
    read_conllu,
    write_conll,
    write_conllu,
)
from spacy_ucca.formats.dot import write_dot
from spacy_ucca.formats.export import read_export, write_export
from spacy_ucca.formats.files import find_files
from spacy_ucca.formats.penman import read_penman, write_penman
from spacy_ucca.formats.sdp import iter_sdp, read_sdp, write_sdp
from spacy_ucca.formats.xml import read_xml
from spacy_ucca.graph import FOUNDATIONAL, IMPLICIT, Graph
from spacy_ucca.text.spacing import without_spaces

FORMATS = {
    "sdp": (read_sdp, write_sdp),
    "conll": (read_conll, write_conll),
    "conllu": (read_conllu, write_conllu),
    "export": (read_export, write_export),
    "penman": (read_penman, write_penman),
}
EXAMPLE = """# id = 7
[L#3 After] [H#1 [P graduation] [A* =2]] [U ,] [H#4 [A#2 John] [P moved] [A [R to] [C New York]]] [U .]
[:LKG [LR =3] [LA =1] [LA =4]]
"""
# As the `semstr` package 1.2.2 writes the example, but for the numbers of units in export
CONLL = """
# format = ucca
# sent_id = 7
1	After	_	Word	Word	_	2	L	_	_
2	graduation	_	Word	Word	_	0	H	_	_
3	,	_	Punctuation	Punctuation	_	2	U	_	_
4	John	_	Word	Word	_	5	A	_	_
4	John	_	Word	Word	_	2	A*	_	_
5	moved	_	Word	Word	_	2	H	_	_
6	to	_	Word	Word	_	7	R	_	_
7	New	_	Word	Word	_	5	A	_	_
8	York	_	Word	Word	_	7	Terminal	_	_
9	.	_	Punctuation	Punctuation	_	2	U	_	_
"""
# Tops are not marked there
SDP = """
#7
# format = ucca
1	After	_	Word	-	-	_	L	_	_
2	graduation	_	Word	+	+	_	_	_	_
3	,	_	Punctuation	-	-	_	U	_	_
4	John	_	Word	-	-	_	A*	A	_
5	moved	_	Word	-	+	_	H	_	_
6	to	_	Word	-	-	_	_	_	R
7	New	_	Word	-	+	_	_	A	_
8	York	_	Word	-	-	_	_	_	Terminal
9	.	_	Punctuation	-	-	_	U	_	_
"""
EXPORT = """
#BOS 7
After	Word	--	Terminal	500
graduation	Word	--	Terminal	501
,	Punctuation	--	Terminal	502
John	Word	--	Terminal	503
moved	Word	--	Terminal	504
to	Word	--	Terminal	505
New	Word	--	Terminal	506
York	Word	--	Terminal	506
.	Punctuation	--	Terminal	507
#500	FN	--	L	511	LR	512
#501	FN	--	P	508
#502	PNCT	--	U	511
#503	FN	--	A	510	A*	508
#504	FN	--	P	510
#505	FN	--	R	509
#506	FN	--	C	509
#507	PNCT	--	U	511
#508	FN	--	H	511	LA	512
#509	FN	--	A	510
#510	FN	--	H	511	LA	512
#511	FN	--	--	0
#512	LKG	--	--	0
#EOS 7
"""
PENMAN = """
# ::id 7
# ::tok After graduation , John moved to New York .
(v0 / FN
    :L (v1 / FN~e.0
        :LR-of (v12 / LKG
            :LA v2
            :LA v5))
    :H (v2 / FN
        :P (v3 / FN~e.1)
        :A-remote v6)
    :U (v4 / PNCT~e.2)
    :H (v5 / FN
        :A (v6 / FN~e.3)
        :P (v7 / FN~e.4)
        :A (v8 / FN
            :R (v9 / FN~e.5)
            :C (v10 / FN~e.6,7)))
    :U (v11 / PNCT~e.8))
"""


@pytest.fixture(scope="module")
def example() -> Graph:
    return read_brackets(EXAMPLE)[0]


@pytest.mark.parametrize(
    ("name", "expected"),
    [("sdp", SDP), ("conll", CONLL), ("export", EXPORT), ("penman", PENMAN)],
)
def test_layout(example, name, expected):
    read, write = FORMATS[name]
    assert write(example) == expected[1:]
    (graph,) = read(expected)
    assert write(graph) == expected[1:]
    assert graph.details == {"id": "7"} and graph.punct == example.punct


def test_layout_of_conllu(example):
    rows = [line.split("\t") for line in write_conllu(example).splitlines()]
    assert rows[:3] == [
        ["# format = ucca"],
        ["# sent_id = 7"],
        ["# text = After graduation , John moved to New York ."],
    ]
    assert [row[6:9] for row in rows[3:8]] == [
        ["2", "L", "2:L"],
        ["0", "H", "0:H"],
        ["2", "U", "2:U"],
        ["5", "A", "2:A|5:A"],
        ["2", "H", "2:H"],
    ]
    assert len(rows) == 3 + 9 and {len(row) for row in rows[3:]} == {10}


def test_tree_has_one_row_per_token(example):
    lines = write_conll(example, tree=True).splitlines()
    assert len(lines) == 2 + 9 and "*" not in "".join(lines)


@pytest.mark.parametrize("name", FORMATS)
def test_several_graphs(example, sample, name):
    read, write = FORMATS[name]
    text = "\n".join(map(write, sample))
    found = read(text)
    assert [g.details["id"] for g in found] == [g.details["id"] for g in sample]
    assert [g.words for g in found] == [g.words for g in sample]
    assert [g.punct for g in found] == [g.punct for g in sample]
    crlf = read("\ufeff" + text.replace("\n", "\r\n") + "\r\n\r\n")
    assert all(a.same_structure(b) for a, b in zip(crlf, found, strict=True))


@pytest.mark.parametrize(("iterate", "name"), [(iter_sdp, "sdp"), (iter_conll, "conll")])
def test_streaming_reads_no_further_than_it_must(example, iterate, name):
    def lines():
        yield from (FORMATS[name][1](example) + "\n").splitlines(keepends=True)
        raise AssertionError("read too far")

    assert next(iterate(lines())) is not None


# Round trips


def shown(word: str) -> str:
    """What columns that are divided by tabs hold of a word."""
    word = re.sub("[\t\n\r]", " ", word)
    return word if word.strip() else word.replace(" ", "_") or "_"


def joined(word: str) -> str:
    """What columns that are divided by white space hold of it: no-break spaces stay."""
    return re.sub(r"[ \t\n\r\v\f]", "_", word) or "_"


@given(graphs(words=ODD_WORDS, max_roots=2).map(without_spaces))
def test_conll_keeps_the_bilexical_graph(graph):
    assume(graph.words)
    wanted = to_bilexical(graph)
    (found,) = iter_conll(write_conll(graph).split("\n"))
    assert found.arcs == wanted.arcs and found.punct == wanted.punct and found.id == "p7"
    assert found.words == tuple(map(shown, graph.words))
    (tree,) = iter_conll(write_conll(graph, tree=True).split("\n"))
    assert tree.arcs == wanted.tree().arcs


@given(graphs(words=ODD_WORDS, max_roots=2).map(without_spaces))
def test_conllu_keeps_the_bilexical_graph(graph):
    assume(graph.words)
    wanted = to_bilexical(graph)
    (found,) = iter_conllu(write_conllu(graph).split("\n"))
    assert found.words == tuple(map(shown, graph.words))
    assert {a for a in found.arcs if not a.remote} == {a for a in wanted.arcs if not a.remote}
    remote = {a[:3] for a in wanted.arcs if a.remote}
    assert {a[:3] for a in found.arcs if a.remote} == remote - {a[:3] for a in wanted.tree().arcs}


@given(graphs(words=ODD_WORDS, max_roots=2).map(without_spaces))
def test_sdp_keeps_arcs_but_one_per_pair(graph):
    assume(graph.words)
    wanted = to_bilexical(graph)
    (found,) = iter_sdp(write_sdp(graph).split("\n"))
    assert found.words == tuple(map(shown, graph.words))
    assert found.tops == wanted.tops or not wanted.tops
    first: dict = {}
    for arc in sorted(wanted.arcs, key=lambda arc: arc.remote):
        if arc.head != ROOT:
            first.setdefault(arc[:2], arc)
    assert {a for a in found.arcs if a.head != ROOT} == set(first.values())


def with_implicit(graph: Graph, words) -> Graph:
    """The graph, with units that have nothing under them implicit."""
    parents = {edge.parent for edge in graph.edge_tuples}
    kinds = [
        IMPLICIT
        if kind == FOUNDATIONAL and unit not in parents and not graph[unit].is_root
        else kind
        for unit, kind in enumerate(graph.kinds)
    ]
    return Graph(words, kinds, graph.edge_tuples, punct=graph.punct)


@given(graphs(words=ODD_WORDS, max_roots=3).map(without_spaces))
def test_export_keeps_the_graph(graph):
    (found,) = read_export(write_export(graph))
    assert found.same_structure(with_implicit(graph, tuple(map(joined, graph.words))))
    assert found.punct == graph.punct and found.details == {"id": "p7"}


@given(graphs(words=ODD_WORDS).map(without_spaces))
def test_penman_keeps_the_graph(graph):
    (found,) = read_penman(write_penman(graph))
    same = Graph(tuple(map(joined, graph.words)), graph.kinds, graph.edge_tuples, punct=graph.punct)
    assert found.same_structure(same)
    assert found.punct == graph.punct and found.details == {"id": "p7"}


@pytest.mark.skipif(find_spec("penman") is None, reason="the penman package is not installed")
@given(graphs())
def test_the_penman_package_reads_it(graph):
    import penman
    from penman.layout import reconfigure

    decoded = penman.decode(write_penman(graph))
    assert read_penman(penman.encode(decoded))[0].same_structure(graph)
    other = penman.format(reconfigure(decoded))
    assert read_penman(other)[0].same_structure(graph)


@pytest.mark.parametrize("name", FORMATS)
def test_no_annotation(name):
    read, write = FORMATS[name]
    graph = Graph(["a", "#500", "#EOS", "(b)", "~c", "1", "🦊", "שלום"], [], [])
    (found,) = read(write(graph))
    assert found.words == graph.words
    if name != "sdp":  # says nothing of it: see the docstring
        assert all(found.unit_of(i) is None for i in range(len(graph.words)))


def test_lemmas_and_tags_come_from_the_xml(example):
    extra = {"lemma": "after", "pos": "ADP", "tag": "IN"}
    comma = {"lemma": ",", "pos": "PUNCT", "tag": ","}
    tokens = {"0": {"extra": extra}, "2": {"extra": comma}, "3": {"extra": comma}}
    graph = Graph.from_record({**example.to_record(), "details": {"xml": {"tokens": tokens}}})
    rows = [line.split("\t") for line in write_conll(graph).splitlines()]
    assert rows[1][:6] == ["1", "After", "after", "ADP", "IN", "_"]
    assert rows[3][:6] == ["3", ",", ",", "PUNCT", ",", "_"]
    assert rows[4][2:5] == [
        ",",
        "Word",
        ",",
    ]  # no punctuation by its kind, whatever the tagger says
    (found,) = iter_conll(write_conll(graph).split("\n"))
    assert found.tokens[0] == Token("After", "after", "ADP", "IN") and found.punct == graph.punct
    assert read_sdp(write_sdp(graph))[0].punct == graph.punct


# Files of other tools


def test_ud_relations():
    ud = "1-2\tdell'\t_\t_\t_\t_\t_\t_\t_\t_\n" + "".join(
        "\t".join(row.split()) + "\n"
        for row in (
            "1 New _ PROPN NNP _ 3 nsubj 3:nsubj|4.1:nsubj _",
            "2 York _ PROPN NNP _ 1 flat 1:flat _",
            "3 grew _ VERB VBD _ 0 root 0:root _",
            "4 ! _ PUNCT . _ 3 punct 3:punct _",
            "4.1 _ _ _ _ _ _ _ _ _",
        )
    )
    (graph,) = read_conllu(ud)
    assert write_brackets(graph).strip() == "[H [nsubj New York] [C grew]] [U !]"


def test_sdp_of_other_tools():
    rows = ["#SDP 2015", "#22000001", "1 a _ N - + _ _", "2 b _ N - - _ ARG1", "3 c _ N - - _ _"]
    (found,) = iter_sdp([row if row[0] == "#" else "\t".join(row.split()) for row in rows])
    assert found.id == "22000001"
    assert set(found.arcs) == {Arc(0, 1, "ARG1"), Arc(ROOT, 0, TOP), Arc(ROOT, 2, TOP)}


def test_export_of_other_tools():
    text = """#FORMAT 4
%% a comment
#BOS 12 1 0 0 %% more
Er er PPER 3.Nom SB 500
schläft schlafen VVFIN -- HD 500 %% a comment
. . $. -- -- 0
#500 -- S -- -- 0
#EOS 12
"""
    (graph,) = read_export(text)
    assert write_brackets(graph).split("\n")[1] == "{SB}Er {HD}schläft ~."
    uparse = "#BOS 1\nEr\tWord-Terminal\t--\t--\t500\n#500\tFN-A\t--\t--\t501\n#501\tFN\t--\t--\t0\n#EOS 1"
    assert write_brackets(read_export(uparse)[0]).split("\n")[1] == "[A Er]"


def test_amr():
    text = """
# ::id amr.1 ::date 2020 ::annotator me
# ::snt The boy wants to go 3 times
(w / want-01~e.2
   :ARG0~e.0 (b / boy~e.1)
   :ARG1 (g / go-02~e.4 :ARG0 b~e.1 :freq 3~e.5)
   :mode "x y" :polarity - :x (t / thing))
"""
    (graph,) = read_penman(text)
    assert graph.details == {"id": "amr.1", "text": "The boy wants to go 3 times"}
    assert len(graph.words) == 7
    edges = {(e.label, e.remote, e.child.text, e.child.kind) for e in graph.edges}
    assert ("ARG0", False, "boy", "FN") in edges and ("ARG0", True, "boy", "FN") in edges
    assert ("polarity", False, "", IMPLICIT) in edges and ("x", False, "", IMPLICIT) in edges


def test_dot(example):
    text = write_dot(example)
    assert re.findall(r"^  (u\d+ -> \S+ \[.*dashed\]);$", text, re.MULTILINE) == [
        'u2 -> u6 [label="A", style=dashed]'
    ]
    arrows = re.findall(r"^  u\d+ -> ", text, re.MULTILINE)
    assert len(arrows) == len(example.edge_tuples)
    odd = Graph(['"', "\\", "a\nb", ""], [], [], details={"id": 'x"y'})
    assert '[label="\\""]' in write_dot(odd) and 'digraph "x\\"y"' in write_dot(odd)
    if shutil.which("dot"):
        for graph in (example, odd):
            result = subprocess.run(
                ["dot", "-Tsvg"], input=write_dot(graph), capture_output=True, text=True
            )
            assert result.returncode == 0, result.stderr


# Broken files


def edited(text: str, old: str, new: str) -> str:
    assert old in text
    return text.replace(old, new, 1)


BROKEN = [
    ("sdp", SDP, "\tL\t_\t_\n", "\tL\t_\n", 4, "9 columns, not 10"),
    ("sdp", SDP, "Word\t+\t+", "Word\t+\t-", 4, "10 columns, not 9"),
    ("sdp", SDP, "2\tgrad", "3\tgrad", 5, "3, not 2"),
    ("sdp", SDP, "2\tgrad", "x\tgrad", 5, "'x', not a whole"),
    ("sdp", SDP, "Word\t+\t+", "Word\t?\t+", 5, "not \\+ or -"),
    ("sdp", SDP, "A*\tA", "*\tA", 7, "no label"),
    ("sdp", SDP, "-\t+\t_\tH\t_", "-\t+\t_\tH\tA", 8, "its own head"),
    ("sdp", SDP, "+\t+\t_\t_\t_", "-\t+\t_\t_\tA", 5, "circle"),
    ("conll", CONLL, "\t_\t_\n", "\n", 4, "8 columns, not 10"),
    ("conll", CONLL, "2\tgrad", "3\tgrad", 5, "token 3 follows token 1"),
    ("conll", CONLL, "2\tgrad", "²\tgrad", 5, "not a whole"),
    ("conll", CONLL, "1\tAfter", "0\tAfter", 4, "token 0"),
    ("conll", CONLL, "\t2\tL", "\t12\tL", 4, "the head is 12, but there are 9"),
    ("conll", CONLL, "\t2\tL", "\t-1\tL", 4, "'-1', not a whole"),
    ("conll", CONLL, "\t2\tL", "\t1\tL", 4, "its own head"),
    ("conll", CONLL, "\t2\tL", "\t2\t_", 4, "no label"),
    ("conll", CONLL, "\t0\tH", "\t5\tH", 5, "circle: 2 'graduation' -> 5 'moved'"),
    ("conll", CONLL, "4\tJohn\t_\tWord\tWord\t_\t2", "4\tJim\t_\tWord\tWord\t_\t2", 8, "'Jim'"),
    ("conllu", CONLL, "L\t_", "L\tx:L", 4, "'x', not a whole"),
    ("conllu", CONLL, "L\t_", "L\t3", 4, "'3' in column 9"),
    ("export", EXPORT, "Word\t--\tTerminal\t500", "Word\t--\tTerminal", 3, "4 columns"),
    ("export", EXPORT, "Terminal\t500", "Terminal\tx", 3, "'x', not a whole"),
    ("export", EXPORT, "Terminal\t500", "Terminal\t599", 3, "no row #599"),
    ("export", EXPORT, "#501", "#500", 13, "#500 is there twice"),
    ("export", EXPORT, "#EOS 7\n", "", 25, "no #EOS"),
    ("export", EXPORT, "#BOS 7\n", "\n", 25, "without #BOS"),
    ("export", EXPORT, "#500", "#BOS 8\n#500", 12, "line 2 has no #EOS"),
    ("export", EXPORT, "#511\tFN\t--\t--\t0", "#511\tFN\t--\tA\t510", 2, "cycle"),
    ("export", EXPORT, "A*\t508", "*\t508", 15, "no category"),
    ("penman", PENMAN, ":U (v11 / PNCT~e.8))", ":U (v11 / PNCT~e.8)", 19, "not closed"),
    ("penman", PENMAN, "(v3 / FN~e.1)", "(v3 / FN~e.1))))", 10, "cannot stand here"),
    ("penman", PENMAN, "~e.8", "~e.9", 19, "token 9, of 9"),
    ("penman", PENMAN, "(v3 /", "(v2 /", 10, "two units"),
    ("penman", PENMAN, "(v3 /", "(v3", 10, "does not start with"),
    ("penman", PENMAN, ":P (v3", "(v3", 10, "cannot stand|no role"),
    ("penman", PENMAN, ":A-remote v6", ":A-remote", 11, "cannot stand here"),
    ("penman", PENMAN, "# ::tok", "# ::text", 2, "no words"),
]


@pytest.mark.parametrize(("name", "text", "old", "new", "line", "reason"), BROKEN)
def test_broken_files_are_refused(name, text, old, new, line, reason):
    pattern = rf"UC733.*some file, line {line}:.*(?:{reason})"
    with pytest.raises(FormatError, match=pattern):
        FORMATS[name][0](edited(text, old, new), source="some file")


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("text", ["", "\n\n", "\ufeff", "nonsense", "(", "#", "\0", "[H [A x]]"])
def test_no_such_file(name, text):
    read = FORMATS[name][0]
    try:
        assert read(text, source="some file") == []
    except FormatError as err:
        assert "some file" in str(err)
    if not text.strip("\n\ufeff"):
        with pytest.raises(FormatError, match="some file"):
            read(text, source="some file")


@given(st.sampled_from(list(FORMATS)), st.data())
def test_any_damage_is_read_or_refused(name, data):
    read, write = FORMATS[name]
    text = write(read_brackets(EXAMPLE)[0])
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text)))
        end = start + data.draw(st.integers(0, 12))
        text = text[:start] + data.draw(st.sampled_from(["", "\t", "\n", "(", ")", "7", "A", "*", ":", "#", " ", "0\t"])) + text[end:]  # fmt: skip
    try:
        found = read(text, source="some file")
    except FormatError as err:
        assert re.match(r"\[UC(733|115)\] some file", str(err))
    else:
        assert all(isinstance(graph, Graph) for graph in found)


# The shared corpora


CORPORA = ("UCCA_English-Wiki-1.2", "UCCA_English-EWT", "UCCA_German-20K", "UCCA_French-20K")


def check_round_trips(graph: Graph) -> None:
    """What the docstrings claim, for a graph as annotators made it."""
    assert not any(re.search(r"\s", word) or not word for word in graph.words)
    for read, write in (FORMATS["export"], FORMATS["penman"]):
        (found,) = read(write(graph))
        assert found.punct == graph.punct and found.details["id"] == graph.details["id"]
        assert found.same_structure(with_implicit(graph, graph.words))
    wanted = to_bilexical(graph)
    (conll,) = iter_conll(write_conll(graph).split("\n"))
    (conllu,) = iter_conllu(write_conllu(graph).split("\n"))
    (sdp,) = iter_sdp(write_sdp(graph).split("\n"))
    assert conll.arcs == wanted.arcs and conllu.tree().arcs == wanted.tree().arcs
    for found in (conll, conllu, sdp):
        assert found.words == graph.words and found.punct == graph.punct
        assert found.tops == wanted.tops
        assert {a[:2] for a in found.arcs} == {a[:2] for a in wanted.arcs}
    assert from_bilexical(conll).same_structure(from_bilexical(wanted))


@pytest.mark.parametrize("corpus", CORPORA)
def test_some_shared_passages(corpora, corpus):
    for path in find_files([corpora / corpus / "xml"], "xml")[::60]:
        check_round_trips(read_xml(path))


@pytest.mark.slow
@pytest.mark.parametrize("corpus", CORPORA)
def test_many_shared_passages(passages, corpus):
    for path in passages(corpus, 10):
        check_round_trips(read_xml(path))
