"""The application: pages, answers, errors."""

import json
from dataclasses import fields
from typing import Any
from xml.etree import ElementTree

import pytest
from serving import Client, serving, serving_pipeline, stand_in
from starlette.applications import Starlette
from starlette.routing import Mount

import spacy_ucca.drawing.html
from spacy_ucca.drawing.render import render_svg, render_tree
from spacy_ucca.errors import UccaError
from spacy_ucca.formats.xml import read_xml_string
from spacy_ucca.graph import Graph
from spacy_ucca.serve.answer import FORMATS
from spacy_ucca.serve.app import build_app
from spacy_ucca.serve.limits import Limits
from spacy_ucca.serve.page import EXAMPLES

LIMITS = Limits()
EVIL = "<img src=x onerror=alert(1)> <script>window.hacked=1</script> \"'&amp; ]]> </textarea>"
GETS = ("/", "/docs", "/openapi.json", "/health", "/version")
PAGES = {**dict.fromkeys(GETS, "GET, HEAD"), "/parse": "POST"}


@pytest.mark.parametrize("path", ["/", "/docs"])
def test_pages_are_whole_and_need_nothing_else(client: Client, path: str) -> None:
    status, page, headers = client.ask("GET", path)
    assert status == 200 and headers["Content-Type"] == "text/html; charset=utf-8"
    assert page.startswith("<!DOCTYPE html>") and page.rstrip().endswith("</html>")
    assert not any(mark in page for mark in ("http://", "https://", "//cdn", "@import", "url("))
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert client.ask("HEAD", path)[:2] == (200, "")


def test_only_the_script_of_the_page_runs(client: Client) -> None:
    _, page, headers = client.ask("GET", "/")
    nonce = headers["Content-Security-Policy"].split("'nonce-")[1].split("'")[0]
    assert page.count("<script") == page.count(f'<script nonce="{nonce}">') == 1
    assert nonce not in client.ask("GET", "/")[1]
    assert all(text in page for text in EXAMPLES["en"])
    _, page, headers = client.ask("GET", "/docs")
    assert "script" not in headers["Content-Security-Policy"] and "<script" not in page


def test_answer_has_the_graph_in_all_forms(client: Client) -> None:
    status, answer = client.parse("Ann left\nParis .\n\nBob   stayed")
    assert status == 200
    graph = Graph.from_json(answer["json"])
    assert graph.words == ("Ann", "left", "Paris", ".", "Bob", "stayed")
    assert len(graph.roots) == 2
    assert answer["svg"] == render_svg(graph) and answer["tree"] == render_tree(graph)
    assert read_xml_string(answer["xml"]).words == graph.words
    assert answer["direction"] == "ltr"
    assert answer["summary"].startswith("2 sentences, 6 tokens, 2 Scenes")


@pytest.mark.parametrize("formats", [[], ["json"], ["xml", "svg", "xml"], list(FORMATS)])
def test_answer_has_the_forms_that_are_asked_for(client: Client, formats: list[str]) -> None:
    status, answer, _ = client.ask("POST", "/parse", {"text": "Ann left", "formats": formats})
    assert status == 200
    assert set(answer) == {"text", "lang", "direction", "summary", *formats}
    whole = client.ask("POST", "/parse", {"text": "Ann left", "formats": [*FORMATS]})[1]
    assert answer == {name: whole[name] for name in answer}


@pytest.mark.parametrize(
    "text",
    [
        EVIL,
        "👩‍👩‍👧 ❤️ 🎉",
        "שלום עולם.",
        "مرحبا بالعالم",
        "\u202eabc\x00\x07",
        "word " * 500,
        "x" * LIMITS.characters,
    ],
)
def test_any_text_gives_well_formed_answers(client: Client, text: str) -> None:
    status, answer = client.parse(text)
    assert status == 200, answer
    svg = ElementTree.fromstring(answer["svg"])
    ElementTree.fromstring(answer["xml"])
    tags = {element.tag.rpartition("}")[2] for element in svg.iter()}
    assert tags <= {"svg", "g", "path", "rect", "circle", "text", "title", "style"}
    assert not any(name.startswith("on") for element in svg.iter() for name in element.attrib)
    rtl = spacy_ucca.drawing.html.is_rtl([text])
    assert answer["direction"] == ("rtl" if rtl else "ltr")


def test_the_longest_text_fits_however_json_writes_it(client: Client) -> None:
    text = "🎉" * LIMITS.characters
    body = json.dumps({"text": text, "formats": ["json"]}).encode()
    assert b"\\ud83c\\udf89" in body
    assert client.ask("POST", "/parse", body)[0] == 200


@pytest.mark.parametrize(
    ("text", "status", "code"),
    [
        ("", 400, "UC622"),
        (" \n\t ", 400, "UC622"),
        (None, 400, "UC624"),
        (["a"], 400, "UC624"),
        ("a" * (LIMITS.characters + 1), 413, "UC623"),
        ("a " * (LIMITS.sentence_tokens + 1), 413, "UC632"),
        ("half \ud83d", 400, "UC629"),
        ("please FAIL", 500, "UC626"),
    ],
)
def test_texts_that_cannot_be_parsed(client: Client, text: Any, status: int, code: str) -> None:
    found, answer = client.parse(text)
    assert found == status and f"[{code}]" in answer["error"]
    assert "Traceback" not in answer["error"]
    assert client.parse("And on it goes")[0] == 200


@pytest.mark.parametrize("formats", [["pdf"], "svg", None, [["svg"]], {"svg": 1}])
def test_forms_that_there_are_not(client: Client, formats: Any) -> None:
    status, answer, _ = client.ask("POST", "/parse", {"text": "a", "formats": formats})
    assert status == 400 and "UC639" in answer["error"] and "svg" in answer["error"]


def test_requests_without_a_text(client: Client) -> None:
    for body in (b"", b"{", b"\xff", b"[" * 50_000, b'"a"', b"[]", b"{}"):
        status, answer, _ = client.ask("POST", "/parse", body)
        assert status == 400 and "UC624" in answer["error"]
    status, answer, _ = client.ask("POST", "/parse", b"text=a", Content_Type="text/plain")
    assert status == 415 and "UC624" in answer["error"]
    status, answer, _ = client.ask("POST", "/parse", b"x" * (LIMITS.body + 1))
    assert status == 413 and "UC640" in answer["error"]


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize(
    "method", ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "X"]
)
def test_pages_name_the_methods_they_take(client: Client, path: str, method: str) -> None:
    status, answer, headers = client.ask(method, path)
    if method in PAGES[path].split(", "):
        assert status in (200, 415)  # POST without JSON
    else:
        assert status == 405 and headers["Allow"] == PAGES[path]
        assert method == "HEAD" or "UC634" in answer["error"]


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "/../x", "/parse/", "/parse/x", "//", "/PARSE", "*"]
)
@pytest.mark.parametrize("method", ["GET", "POST", "PUT"])
def test_other_paths_are_not_there(client: Client, path: str, method: str) -> None:
    status, answer, _ = client.ask(method, path, b"{}")
    assert status == 404 and "UC627" in answer["error"]


def test_limits_are_those_of_the_builder() -> None:
    nlp, _ = stand_in()
    limits = Limits(characters=20, sentence_tokens=3)
    with serving_pipeline(nlp, limits=limits) as client:
        assert "20" in client.ask("GET", "/")[1]
        assert client.parse("a b c\n\nd e f")[0] == 200
        status, answer = client.parse("a b c\n\nd e f g")
        assert status == 413 and "Sentence 2 ('d e f g...') has 4 tokens" in answer["error"]
        status, answer = client.parse("a" * 21)
        assert status == 413 and "UC623" in answer["error"]
    for name in (field.name for field in fields(Limits)):
        for value in (0, -1, "2", None, True, float("nan")):
            with pytest.raises(UccaError, match=rf"UC637.*{name}"):
                Limits(**{name: value})


def test_application_can_be_mounted_in_another() -> None:
    nlp, _ = stand_in()
    app = build_app(nlp)
    outer = Starlette(routes=[Mount("/deep/ucca", app)])
    outer.state.pool = app.state.pool
    with serving(outer) as client:
        status, page, _ = client.ask("GET", "/deep/ucca/")
        assert status == 200
        assert 'fetch("parse"' in page  # relative to the page
        status, answer, _ = client.ask("POST", "/deep/ucca/parse", {"text": "Ann left"})
        assert status == 200 and "<svg" in answer["svg"]
        assert client.ask("GET", "/deep/ucca/openapi.json")[1]["servers"] == [{"url": "/deep/ucca"}]
        status, answer, headers = client.ask("PUT", "/deep/ucca/parse")
        assert status == 405 and headers["Allow"] == "POST" and "UC634" in answer["error"]
        assert client.ask("GET", "/deep/ucca/none")[0] == 404
