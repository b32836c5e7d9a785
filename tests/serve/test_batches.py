"""Requests of several texts, their fields and formats, and what is asked about the pipeline."""

from typing import Any

import pytest
import spacy
from serving import Client, parse_text, serving_pipeline, stand_in

import spacy_ucca
from spacy_ucca.errors import FormatError
from spacy_ucca.formats import registry
from spacy_ucca.serve.answer import FORMATS
from spacy_ucca.serve.limits import Limits
from spacy_ucca.serve.parsing import parse_texts

LIMITS = Limits()
GOOD = ["Ann left\n\nBob stayed", "🎉", "שלום עולם.", "a " * 500, "Ann left"]
BAD = [
    *("", " \n", None, 7, float("nan"), ["a"], [["a"]], {}, {"text": "a"}, "half \ud83d", "please FAIL"),
    *("a" * (LIMITS.characters + 1), "a " * (LIMITS.sentence_tokens + 1)),
]  # fmt: skip
MIXED = [text for pair in zip(BAD, GOOD * 3) for text in pair]


def ask(client: Client, **fields: Any) -> tuple[int, Any]:
    return client.ask("POST", "/parse", fields)[:2]


def test_each_text_has_the_answer_that_it_gets_alone(client: Client) -> None:
    fields = {"query": "H[A=who]", "formats": ["json", "svg", "csv"]}
    status, answer = ask(client, texts=MIXED, **fields)
    assert status == 200 and len(answer["answers"]) == len(MIXED)
    for text, found in zip(MIXED, answer["answers"], strict=True):
        assert found == ask(client, text=text, **fields)[1]
        assert set(found) == {"error"} if text in BAD else "error" not in found
    assert ask(client, texts=[]) == (200, {"answers": []})
    assert ask(client, texts=["a"] * LIMITS.texts, formats=[])[0] == 200


@pytest.mark.parametrize(
    ("fields", "status", "code"),
    [
        ({"texts": ["a"], "text": "a"}, 400, "UC762"),
        ({"texts": ["a"], "text": None}, 400, "UC762"),
        ({"texts": "a"}, 400, "UC762"),
        ({"texts": None}, 400, "UC762"),
        ({"texts": {"a": "b"}}, 400, "UC762"),
        ({"texts": ["a"] * (LIMITS.texts + 1)}, 400, "UC762"),
        ({"texts": [""] * 10_000}, 400, "UC762"),
        ({"texts": ["a" * 3_000] * 7}, 413, "UC623"),
        ({"texts": ["a" * 10_000_000]}, 413, "UC640"),
        ({"texts": ["a"], "formats": ["pdf"]}, 400, "UC639"),
        ({"texts": ["a"], "lang": "fr"}, 400, "UC590"),
        ({"texts": ["a"], "lang": {"a": 1}}, 400, "UC59"),
        ({"texts": ["a"], "query": "H[P"}, 400, "UC653"),
        ({"texts": ["a"], "n_best": float("nan")}, 400, "UC641"),
    ],
)
def test_batches_that_are_refused(client: Client, fields: Any, status: int, code: str) -> None:
    found, answer = ask(client, **fields)
    assert found == status and f"[{code}" in answer["error"]


def test_texts_are_parsed_together() -> None:
    nlp, parser = stand_in()
    sizes = []

    def pipe(docs: list[Any], batch_size: int) -> Any:
        sizes.append(len(docs))
        return map(parser, docs)

    parser.pipe = pipe  # type: ignore[attr-defined]
    with serving_pipeline(nlp) as client:
        assert ask(client, texts=["a", "", "b\n\nc"])[0] == 200
        assert sizes == [3]
        assert "UC626" in ask(client, texts=["a", "FAIL", "b"])[1]["answers"][1]["error"]
        assert sizes[1:] == [3, 1, 1, 1]
    assert parse_texts(nlp, [], max_tokens=9) == []


def test_fields_that_there_are_not(client: Client) -> None:
    for name, hint in (("format", "Did you mean 'formats'?"), ("x" * 99, ""), ("\ud83d", "")):
        status, answer = ask(client, **{"text": "a", name: 1})
        assert status == 400 and "UC760" in answer["error"] and name[:40] in answer["error"] + name
        assert hint in answer["error"] and "n_best" in answer["error"]
        assert ("Did you" in answer["error"]) == bool(hint)
    status, answer, _ = client.ask("POST", "/parse", b'{"text": "a", "text": "b"}')
    assert status == 400 and "'text'. It stands twice" in answer["error"]
    for name in ("text", "texts", "formats", "query", "lang", "guidelines", "n_best"):
        for opened, closed in ((b"[", b"]"), (b'{"a":', b"}")):
            for depth in (400, 900, 9_000):
                value = opened * depth + b"1" + closed * depth
                text = b"" if name[:4] == "text" else b'"text": "a", '
                body = b'{%s"%s": %s}' % (text, name.encode(), value)
                status, answer, _ = client.ask("POST", "/parse", body)
                assert status == 400 or "answers" in answer


@pytest.mark.parametrize("form", [form for form in registry.FORMATS.values() if form.writes])
def test_files_are_those_of_the_formats(client: Client, form: registry.Format) -> None:
    text = 'Ann  can\'t\tgo "home".\n\nBob 🎉 <b> (stayed)'
    status, answer = ask(client, text=text, formats=[form.name])
    doc = parse_text(stand_in()[0], text, max_tokens=99)
    assert status == 200 and answer[form.name] == form.write(doc._.ucca, [doc])


def test_a_format_that_cannot_write_a_graph_says_so(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(graph: object) -> str:
        raise FormatError("[UC999] too wide")

    monkeypatch.setattr("spacy_ucca.formats.penn.write_penn", fail)
    status, answer = ask(client, text="a", formats=["tree", "penn"])
    assert status == 400 and "'penn': too wide" in answer["error"].replace("[UC999] ", "")
    first, second = ask(client, texts=["a", ""], formats=["penn"])[1]["answers"]
    assert "UC761" in first["error"] and "UC622" in second["error"]
    assert "penn" in FORMATS and ask(client, text="a")[0] == 200


def test_version(client: Client) -> None:
    status, version, _ = client.ask("GET", "/version")
    assert status == 200 and version == {
        **{"spacy_ucca": spacy_ucca.__version__, "spacy": spacy.__version__, "lang": "en"},
        **{"model": "en_pipeline", "version": "0.0.0", "components": ["stand_in_parser"]},
    }
    assert client.ask("GET", "/version", Host="example.org")[0] == 403
