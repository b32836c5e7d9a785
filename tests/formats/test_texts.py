"""The text that words are from: through formats, and cut with their graph."""

import json
import re
from pathlib import Path

import pytest
from conllu_samples import MULTIWORD, multiword, surface_tokens
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import graphs

from spacy_ucca.errors import FormatError
from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.formats.conllu import iter_ud_sentences
from spacy_ucca.formats.convert import convert_files
from spacy_ucca.formats.registry import FORMATS
from spacy_ucca.formats.sources import read_sources
from spacy_ucca.formats.xml import write_xml
from spacy_ucca.graph import Graph, GraphBuilder
from spacy_ucca.text.spacing import find_words, original_spaces, original_text
from spacy_ucca.text.split import split_at

SPACES = st.sampled_from(["", " ", "  ", "\n", "\r\n\r\n", "\t", "\u00a0", "\u3000 "])


@st.composite
def with_text(draw, endings=("", "", "s", "☃☃")) -> Graph:
    """A graph with a text that its words are from, some of them with other endings."""
    graph = draw(graphs().filter(lambda g: g.words and all(w and w.strip() for w in g.words)))
    parts = [draw(SPACES)]
    for word in graph.words:
        parts += [word + draw(st.sampled_from(endings)), draw(SPACES)]
    text = "".join(parts)
    details = {**graph.details, "id": "1", "text": text}
    return graph.replace(details=details)


ONE_LINE = ("conllu", "penman", "brackets", "sdp", "conll", "export")


@pytest.mark.parametrize("name", ["xml", "jsonl", "uccaapp", "mrp", *ONE_LINE])
@given(graph=with_text())
@settings(max_examples=25)
def test_formats_keep_the_text(name: str, graph: Graph) -> None:
    entry = FORMATS[name]
    (back,) = entry.read(entry.write(graph))
    if back.words != graph.words or original_text(graph) is None:
        return
    text, spans = original_text(graph) or ("", [])
    found = original_text(back)
    assert found is not None
    if name in ONE_LINE:
        assert found[0].split() == text.split()
        assert original_spaces(back) == original_spaces(graph)
        has_ranges = re.search(r"^\d+-\d+\t", entry.write(graph), re.MULTILINE)
        if name == "conllu" and not has_ranges:  # also where other programs look
            (sentence,) = iter_ud_sentences(entry.write(graph).split("\n"), "x")
            assert [*sentence.spaces[:-1]] == (original_spaces(graph) or [])[:-1]
    else:
        assert found == (text, spans)


@pytest.mark.parametrize("name", [n for n, entry in FORMATS.items() if entry.reads])
@pytest.mark.parametrize("spec", MULTIWORD)
def test_any_script_comes_back_to_the_letter(name: str, spec: str) -> None:
    """The words, their text, and their places, in all formats; only `penn` has no place for a text."""
    (source,) = read_sources(multiword(spec), "conllu", source="x")
    assert not isinstance(source, FormatError) and source.words and source.text
    assert source.text == surface_tokens(spec)[0]
    builder = GraphBuilder(source.words)
    root = builder.add_unit()
    for token in range(len(source.words)):
        unit = builder.add_unit()
        builder.add_edge(root, unit, "A" if token else "P")
        builder.add_terminal(unit, token)
    graph = builder.build()
    graph = graph.replace(details={"id": "s", "text": source.text})
    written = FORMATS[name].write(graph)
    (back,) = FORMATS[name].read(written)
    assert back.words == graph.words
    if name != "penn":
        assert original_text(back) == original_text(graph) is not None
    if name == "conllu":  # the rows alone, for other programs
        rows = [line for line in written.split("\n") if not line.startswith("# text")]
        (sentence,) = iter_ud_sentences(rows, "x")
        assert (sentence.text, sentence.words) == (source.text, source.words)


def test_white_space_that_xml_cannot_hold_costs_no_text() -> None:
    """A form feed is where a page of a PDF ends."""
    text = "Ann\fleft.\x0b\n\x1fBob \x00 came."
    graph = read_brackets("# id = 1\n[H [A Ann] [P left.]] [H [A Bob] [P \\u0000 came.]]")[0]
    graph = graph.replace(details={**graph.details, "text": text})
    with pytest.warns(UserWarning, match="UW101"):
        (back,) = FORMATS["xml"].read(FORMATS["xml"].write(graph))
    found, before = original_text(back), original_text(graph)
    assert found is not None and before is not None and found[1] == before[1]
    assert found[0] == "Ann left. \n Bob \ufffd came."


@given(graph=with_text(endings=("",)), data=st.data())
@settings(max_examples=50)
def test_parts_have_their_part_of_the_text(graph: Graph, data: st.DataObject) -> None:
    found = original_text(graph)
    if found is None or not graph.roots:
        return
    text, spans = found
    n = len(graph.words)
    ends = sorted({n, *data.draw(st.sets(st.integers(1, n)))})
    for start, end, part in zip([0, *ends], ends, split_at(graph, ends)):
        assert part.details["text"] == text[spans[start][0] : spans[end - 1][1]]
        assert find_words(part.words, part.details["text"]) is not None


@pytest.fixture
def graph() -> Graph:
    return read_brackets("# id = 504\n[H [A Ann] [P came]] [U .]")[0]


def test_what_is_made_up_is_said(graph: Graph, tmp_path: Path) -> None:
    known = graph.replace(details={**graph.details, "text": "Ann came."})
    for name, one, n in (("a", graph, 1), ("b", known, 0)):
        write_xml(one, tmp_path / f"{name}.xml")
        report = convert_files([tmp_path / f"{name}.xml"], tmp_path / "x.mrp", to="mrp")
        assert report.made_up == n and report.to_dict()["made_up"] == n
        text = json.loads((tmp_path / "x.mrp").read_text("utf8"))["input"]
        assert text == ("Ann came ." if n else "Ann came.")
    # A text of other words is no text of these
    stale = known.replace(words=("Bob", "sleeps", "?"))
    assert original_text(stale) is None
    assert json.loads(FORMATS["mrp"].write(stale))["input"] == "Bob sleeps ?"
    assert "Ann" not in FORMATS["xml"].write(stale)
