"""The OpenAPI description is what the application does."""

import json
import pydoc
import re
from dataclasses import fields
from typing import Any

import pytest
from serving import Client, parse_text, stand_in

from spacy_ucca.formats import registry
from spacy_ucca.serve.answer import DEFAULT, FORMATS
from spacy_ucca.serve.limits import Limits
from spacy_ucca.serve.query import MAX_MATCHES
from spacy_ucca.serve.request import ParseRequest


@pytest.fixture(scope="module")
def description(client: Client) -> dict[str, Any]:
    status, description, _ = client.ask("GET", "/openapi.json")
    assert status == 200
    return description


def schema(description: dict[str, Any], name: str) -> dict[str, Any]:
    return description["components"]["schemas"][name]


def test_references_lead_somewhere(description: dict[str, Any]) -> None:
    references = re.findall(r'"\$ref": "#/([^"]+)"', json.dumps(description))
    assert references
    for reference in references:
        place = description
        for key in reference.split("/"):
            place = place[key]
        assert place["type"] == "object"
        assert set(place.get("required", ())) <= set(place["properties"])


def test_described_are_the_pages_for_programs(client: Client, description: dict[str, Any]) -> None:
    routes = {route.path: route.methods - {"HEAD"} for route in client.app.routes}  # type: ignore[attr-defined]
    for page in ("/", "/docs", "/openapi.json"):
        del routes[page]
    assert routes == {
        path: {method.upper() for method in methods}
        for path, methods in description["paths"].items()
    }
    matches = schema(description, "Answer")["properties"]["matches"]
    assert matches["maxItems"] == MAX_MATCHES and f"{MAX_MATCHES:,}" in matches["description"]
    assert (
        schema(description, "Request")["properties"]["query"]["maxLength"]
        == Limits().query_characters
    )


def test_request_and_answer_are_those_described(
    client: Client, description: dict[str, Any]
) -> None:
    request = schema(description, "Request")["properties"]
    assert {*request} - {"guidelines", "n_best"} == {
        field.name for field in fields(ParseRequest)
    } - {"guidelines", "n_best"}
    assert request["formats"]["default"] == list(DEFAULT)
    assert request["text"]["maxLength"] == Limits().characters
    assert request["texts"]["maxItems"] == Limits().texts
    assert (
        {*request["formats"]["items"]["enum"]}
        == {*FORMATS}
        == {
            *("svg", "tree", "json", "predications"),
            *(form.name for form in registry.FORMATS.values() if form.writes),
        }
    )
    (example,) = request["text"]["examples"]
    (query,) = request["query"]["examples"]
    asked = {"text": example, "query": query, "formats": [*FORMATS]}
    status, answer, _ = client.ask("POST", "/parse", asked)
    properties = schema(description, "Answer")["properties"]
    assert status == 200 and set(answer) == set(properties)
    for name in ("predications", "matches"):
        record = properties[name]["items"]["properties"]
        assert answer[name] and all(set(item) == set(record) for item in answer[name])
    assert answer["direction"] in properties["direction"]["enum"]
    status, answer, _ = client.ask("POST", "/parse", {"text": example, "formats": []})
    assert set(answer) == set(schema(description, "Answer")["required"])


def test_answers_are_read_by_the_calls_described(
    client: Client, description: dict[str, Any]
) -> None:
    pytest.importorskip("pandas")
    text = "Ann  can't go.\n\nBob 🎉 stayed"
    answer = client.parse(text)[1]
    expected = parse_text(stand_in()[0], text, max_tokens=99)
    properties = schema(description, "Answer")["properties"]
    calls = re.findall(r"`([\w.]+)\(answer\['(\w+)'\]\)`", json.dumps(properties))
    assert {name for _, name in calls} == {"xml", "json", "predications"}
    for call, name in calls:
        found = pydoc.locate(call)(answer[name])  # type: ignore[operator]
        if name == "predications":
            assert found.to_dict("records") == answer["predications"]
        elif name == "json":
            assert found == expected._.ucca
        else:  # which has one root
            assert found.words == expected._.ucca.words
    assert answer["json"]["text"] == answer["text"] == expected.text


@pytest.mark.parametrize(
    ("method", "path", "body", "headers", "status"),
    [
        ("POST", "/parse", {}, {}, 400),
        ("POST", "/parse", {"text": "a"}, {"Host": "example.org"}, 403),
        ("GET", "/none", None, {}, 404),
        ("GET", "/parse", None, {}, 405),
        ("POST", "/parse", {"text": "a" * 20_001}, {}, 413),
        ("POST", "/parse", {"text": "a"}, {"Content_Type": "text/plain"}, 415),
        ("POST", "/parse", {"text": "FAIL"}, {}, 500),
    ],
)
def test_errors_are_those_described(
    client: Client,
    description: dict[str, Any],
    method: str,
    path: str,
    body: Any,
    headers: dict[str, str],
    status: int,
) -> None:
    found, answer, _ = client.ask(method, path, body, **headers)
    assert found == status
    assert str(status) in description["paths"]["/parse"]["post"]["responses"]
    assert set(answer) == set(schema(description, "Error")["required"])


def test_page_has_all_that_is_described(client: Client, description: dict[str, Any]) -> None:
    page = client.ask("GET", "/docs")[1]
    for path, methods in description["paths"].items():
        assert all(f"{method.upper()} {path}" in page for method in methods)
    for part in description["components"]["schemas"].values():
        assert all(f"<code>{name}</code>" in page for name in part["properties"])
    for status in description["paths"]["/parse"]["post"]["responses"]:
        assert f"<td>{status}</td>" in page
