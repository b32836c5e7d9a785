"""What a request asks beside the graph: a query, guidelines, predications."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
import spacy
from golden import MODEL
from serving import Client, parse_text, serving_pipeline, stand_in
from spacy.language import Language

from spacy_ucca.drawing.render import render_svg
from spacy_ucca.extract import predications
from spacy_ucca.graph import Graph, Unit
from spacy_ucca.matcher import UccaMatcher, parse_pattern
from spacy_ucca.serve import query as query_module
from spacy_ucca.serve.limits import Limits, Refusal
from spacy_ucca.serve.page import QUERIES
from spacy_ucca.serve.query import find_matches, read_query

LIMITS = Limits()
TEXT = (
    "After  graduation,\nJohn moved to Paris.\n\nThe 🎉 film that we saw was long.\n"
    "She gave it up, although nobody had asked her to."
)


def ask(client: Client, text: str, **fields: Any) -> tuple[int, Any]:
    return client.ask("POST", "/parse", {"text": text, **fields})[:2]


@pytest.fixture(scope="module")
def nlp() -> Language:
    if not MODEL.exists():
        pytest.skip("no pipeline ships yet")
    return spacy.load(MODEL)


@pytest.fixture(scope="module")
def shipped(nlp: Language) -> Iterator[Client]:
    with serving_pipeline(nlp) as client:
        yield client


@pytest.mark.parametrize("query", [pattern for pattern, _ in QUERIES])
def test_matches_are_those_of_the_matcher(nlp: Language, shipped: Client, query: str) -> None:
    status, answer = ask(shipped, TEXT, query=query)
    assert status == 200 and answer["matches"]
    doc = parse_text(nlp, TEXT, max_tokens=1000)
    graph = Graph.from_json(answer["json"])
    matcher = UccaMatcher(nlp.vocab)
    matcher.add("q", [query])
    expected = [units for _, units in matcher(doc)]
    assert [
        {name: unit["unit"] for name, unit in match["units"].items()} for match in answer["matches"]
    ] == [{name: unit.index for name, unit in units.items()} for units in expected]
    for match in answer["matches"]:
        start = match["start"]
        assert answer["text"][start:].startswith(match["sentence"])
        assert match["sentence"] in [sentence.text for sentence in doc.sents]
        for unit in match["units"].values():
            parts = ["".join(answer["text"][a:b].split()) for a, b in unit["spans"]]
            words = [graph.words[i] for i in Unit(graph, unit["unit"]).tokens()]
            assert "".join(parts) == "".join(words)
            assert unit["text"] == " ... ".join(answer["text"][a:b] for a, b in unit["spans"])
            assert unit["label"] == Unit(graph, unit["unit"]).label
    found = {unit["unit"] for match in answer["matches"] for unit in match["units"].values()}
    assert answer["svg"] == render_svg(graph, highlight=found)


def test_predications_are_those_of_the_doc(nlp: Language, shipped: Client) -> None:
    answer = ask(shipped, TEXT, formats=["predications"])[1]
    doc = parse_text(nlp, TEXT, max_tokens=1000)
    assert answer["text"] == doc.text == " ".join(TEXT.split())
    assert answer["predications"] == [found.to_dict() for found in predications(doc)]
    for row in answer["predications"]:
        assert answer["text"][row["start"] : row["end"]] == row["relation"]


def test_guidelines_are_followed(nlp: Language, shipped: Client) -> None:
    known = nlp.get_pipe("ucca_parser").known_guidelines
    assert len(known) > 1
    for name in known:
        status, answer = ask(shipped, TEXT, guidelines=name)
        assert status == 200
        assert Graph.from_json(answer["json"]).guidelines == name
    default = ask(shipped, TEXT)[1]["json"]
    assert Graph.from_json(default).guidelines == nlp.get_pipe("ucca_parser").guidelines
    page = shipped.ask("GET", "/")[1]
    assert all(f"<option>{name}</option>" in page for name in known)
    schema = shipped.ask("GET", "/openapi.json")[1]["components"]["schemas"]["Request"]
    assert sorted(schema["properties"]["guidelines"]["enum"]) == sorted(known)
    for wrong in ("v3", 1, ["v2"], "<b>" * 100, "\ud83d"):
        status, answer = ask(shipped, TEXT, guidelines=wrong)
        assert status == 400 and "UC695" in answer["error"] and len(answer["error"]) < 200
        assert all(name in answer["error"] for name in known)


def test_without_guidelines_to_choose_from(client: Client) -> None:
    status, answer = ask(client, "Ann left", guidelines="v2")
    assert status == 400 and "UC696" in answer["error"]
    assert '"guidelines"' not in json.dumps(client.ask("GET", "/openapi.json")[1])
    assert 'id="guidelines"' not in client.ask("GET", "/")[1]
    assert all(ask(client, "Ann left", guidelines=none)[0] == 200 for none in (None, ""))


@pytest.mark.parametrize("query", [None, "", "  \n"])
def test_without_a_query_there_are_no_matches(client: Client, query: Any) -> None:
    status, answer = ask(client, "Ann left", query=query)
    assert status == 200 and "matches" not in answer
    assert "highlight" not in answer["svg"]


@pytest.mark.parametrize(
    ("query", "code"),
    [
        (1, "UC697"),
        (["H"], "UC697"),
        ("H" * (LIMITS.query_characters + 1), "UC697"),
        ("H[P", "UC653"),
        ("H[Z]", "UC653"),
        ("\ud83d", "UC653"),
        ("P:text(\ud83d)", "UC657"),
        ("P:lemma(go)", "UC699"),  # the stand-in has no lemmas
        ("G[!A:dep(x)]", "UC699"),  # though no unit is a G
        ("[" * 1000, "UC653"),
        ("H[" * 500, "UC653"),
    ],
)
def test_queries_that_cannot_be_answered(client: Client, query: Any, code: str) -> None:
    status, answer = ask(client, "Ann left", query=query)
    assert status == 400 and f"[{code}]" in answer["error"]
    assert "Traceback" not in answer["error"]


@pytest.mark.parametrize("depth", [50, 1_000])
def test_deep_queries_are_answered_or_refused(depth: int) -> None:
    """Whatever the stack is in: the reader, the compiler, the search."""
    nlp, _ = stand_in()
    with serving_pipeline(nlp, limits=Limits(query_characters=100_000)) as client:
        for opened, closed in (("H[", "]"), ("*[!*[", "]]"), ("*[>>*=a", "]"), ("* ", "")):
            query = opened * depth + "P" + closed * depth
            query = query if closed else f"H[{query}]"
            status, answer = ask(client, "Ann left", query=query)
            assert status == 200 or (status == 400 and depth > 50 and answer["error"]), answer


def test_any_text_can_be_searched(client: Client) -> None:
    for text in ("👩‍👩‍👧 ❤️ 🎉", "שלום עולם.", "a", "\u202eabc \x00\x07", "a\n\nb\n\nc"):
        status, answer = ask(client, text, query="*=a")
        assert status == 200
        graph = Graph.from_json(answer["json"])
        assert {match["units"]["a"]["unit"] for match in answer["matches"]} == {*range(len(graph))}


def test_a_search_ends(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    text, query = "word " * 60, "*[>>*=a >>*=b >>*=c]"
    monkeypatch.setattr(query_module, "MAX_STEPS", 5_000)
    status, answer = ask(client, text, query=query)
    assert status == 400 and "UC698" in answer["error"]
    monkeypatch.setattr(query_module, "MAX_MATCHES", 7)
    assert len(ask(client, text, query="*=a")[1]["matches"]) == 7
    # and when nobody waits for it
    nlp, _ = stand_in()
    matcher, checks = read_query(query, nlp.vocab, LIMITS), [0] * 9
    with pytest.raises(IndexError):
        find_matches(nlp(text), matcher, checks.pop)  # type: ignore[arg-type]
    with pytest.raises(Refusal):
        read_query("H[", nlp.vocab, LIMITS)


def test_examples_of_the_page_are_patterns(client: Client) -> None:
    page = client.ask("GET", "/")[1]
    for pattern, meaning in QUERIES:
        assert f'data-query="{pattern}"' in page and meaning in page
        assert parse_pattern(pattern)
    for pattern in ("H[P=what A=who]", "P=verb:lemma(move)", "H:negated", "*:has(up)"):
        assert f"<code>{pattern}</code>" in page and parse_pattern(pattern)


def test_the_best_graphs(nlp: Language, shipped: Client) -> None:
    text = "John saw the man with the telescope."
    status, answer = ask(shipped, text, n_best=3, formats=["svg", "json"])
    assert status == 200
    (beam,) = nlp.get_pipe("ucca_parser").beam_parse([nlp(text)], 3)
    for found, (probability, graph) in zip(answer["n_best"], beam, strict=True):
        assert found["probability"] == pytest.approx(probability, abs=1e-4)
        assert Graph.from_json(found["json"]).same_structure(graph)
        assert found["svg"].startswith("<svg")
    assert "n_best" not in ask(shipped, text, n_best=1)[1]
    answer = ask(shipped, text, n_best=2, formats=[])[1]
    assert [set(found) for found in answer["n_best"]] == [{"probability"}] * 2
    assert ask(shipped, "a " * 4000, n_best=3)[0] == 413
    for wrong in (0, 11, "2", 1.5, 2.0, True, [2]):
        status, answer = ask(shipped, text, n_best=wrong)
        assert status == 400 and "n_best" in answer["error"]
    assert 'id="best"' in shipped.ask("GET", "/")[1]
    assert "<code>n_best</code>" in shipped.ask("GET", "/docs")[1]


def test_without_a_beam(client: Client) -> None:
    status, answer = ask(client, "Ann left", n_best=2)
    assert status == 400 and "ucca_parser" in answer["error"]
    assert '"n_best"' not in json.dumps(client.ask("GET", "/openapi.json")[1])
    assert 'id="best"' not in client.ask("GET", "/")[1]


def test_pictures_are_as_wide_as_asked(client: Client) -> None:
    text = "Ann " * 30
    for width in (200, 333.5, 10_000):
        status, answer = ask(client, text, width=width, formats=["svg"])
        found = float(re.search(r' width="([\d.]+)"', answer["svg"])[1])
        assert status == 200 and found <= max(width, 320)
    assert ask(client, text)[1]["svg"] == ask(client, text, width=1200)[1]["svg"]
    for wrong in (0, 199, 10_001, "500", True, None, [500], float("nan")):
        status, answer = ask(client, text, width=wrong)
        assert status == 400 and "UC741" in answer["error"] and "'width'" in answer["error"]
