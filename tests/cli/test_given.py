"""`parse` keeps the text of given words where it spells some otherwise, and uses the places that other tools give."""

import json
from pathlib import Path

import pytest
from cli_runs import run

from spacy_ucca.formats.files import read_graphs
from spacy_ucca.formats.mend import FormatWarning
from spacy_ucca.formats.registry import FORMATS
from spacy_ucca.graph import Graph

WRITTEN = [name for name, entry in FORMATS.items() if entry.writes]
READ = [name for name in WRITTEN if FORMATS[name].reads]


def parse(path: Path, model: str) -> list[Graph]:
    """RETURNS (List[Graph]): The graphs of a file."""
    return FORMATS["jsonl"].read(run("parse", path, "-m", model, "-t", "jsonl").stdout)


def token(number: object, form: str, start: int, **more: object) -> dict[str, object]:
    return {
        "id": number,
        "text": form,
        "start_char": start,
        "end_char": start + len(form),
        **more,
    }


WONT = ("I", "will", "not", "go", ".")
STANZA = [
    [
        *(token(1, "I", 9), token([2, 3], "won't", 11), {"id": 2, "text": "will"}),
        *({"id": 3, "text": "not"}, token(4, "go", 17), token(5, ".", 19)),
    ],
    [token(1, "Go", 22), token(2, "!", 24)],
]
MISC = [
    {"id": "1", "text": "I"},
    {"id": "2-3", "text": "won't"},
    *({"id": "2", "text": "will"}, {"id": "3", "text": "not"}),
    *({"id": "4", "text": "go", "misc": "x=y|SpaceAfter=No"}, {"id": "5", "text": "."}),
]


def corenlp(*tokens: tuple[str, str, int, str]) -> dict[str, object]:
    names = ("word", "originalText", "characterOffsetBegin", "after")
    found = [dict(zip(names, each), index=i) for i, each in enumerate(tokens, 1)]
    ends = [{"characterOffsetEnd": each[2] + len(each[1])} for each in tokens]
    return {"index": 0, "tokens": [{**a, **b} for a, b in zip(found, ends, strict=True)]}


CORENLP = {
    "sentences": [
        corenlp(("-LRB-", "(", 0, ""), ("Go", "Go", 1, ""), ("-RRB-", ")", 3, "\n\n")),
        corenlp(
            ("``", "“", 6, ""), ("à", "au", 7, " "), ("le", "au", 7, " "), ("😀", "😀", 10, "")
        ),
    ]
}


@pytest.mark.parametrize(
    "data, text, words, n",
    [
        (STANZA, "I won't go.  Go!", (*WONT, "Go", "!"), 2),
        ({"sentences": STANZA}, "I won't go.  Go!", (*WONT, "Go", "!"), 2),
        ({"text": "\tI won't  go.\nGo!", "sentences": STANZA}, None, (*WONT, "Go", "!"), 2),
        ({"tokens": MISC}, "I won't go.", WONT, 1),
        (CORENLP, "(Go)\n\n“au 😀", ("(", "Go", ")", "“", "à", "le", "😀"), 2),
        ({"tokens": [token(1, "A", 0, ws=True), token(2, "b", 10**12)]}, "A b", ("A", "b"), 1),
        ({"tokens": [token(1, "A", 5, ws=True), token(2, "b", 0)]}, "A b", ("A", "b"), 1),
        ({"text": "Ann lefft.", "words": ["Ann", "left", "."]}, None, ("Ann", "left", "."), 1),
        ({"text": "ﬁve", "words": ["FIVE"]}, None, ("FIVE",), 1),
        ({"text": "No.", "words": [{"text": "Yes", "ws": False}, "!"]}, "Yes!", ("Yes", "!"), 1),
    ],
)
def test_places_of_other_tools_are_used(
    data: object, text: str | None, words: tuple, n: int, model: str, tmp_path: Path
) -> None:
    file = tmp_path / "x.json"
    file.write_text(json.dumps(data), "utf8")
    (graph,) = parse(file, model)
    assert graph.words == words and len(graph.roots) == n
    assert graph.details["text"] == (text or data["text"])  # type: ignore[index, call-overload]


@pytest.mark.parametrize("name", [*READ, "scenes", "csv"])
def test_text_of_respelled_words_goes_through_all_formats(
    name: str, model: str, tmp_path: Path
) -> None:
    text = "I won't  go, -LRB-yes-RRB-."
    file, out = tmp_path / "x.conllu", tmp_path / f"y{FORMATS[name].suffixes[0]}"
    words = ("I", "will", "not", "go", ",", "(", "yes", ")", ".")
    numbers = ("1", "2-3", "2", "3", *"456789")
    forms = ("I", "won't", *words[1:])
    rows = (f"{n}\t{form}" + "\t_" * 4 + "\t0\troot\t_\t_\n" for n, form in zip(numbers, forms))
    file.write_text(f"# sent_id = y\n# text = {text}\n{''.join(rows)}", "utf8")
    stderr = run("parse", file, "-m", model, "-t", name, "-o", out).stderr
    assert "UW106" in stderr and "'will' for 'won't'" in stderr
    if name in READ:
        (graph,) = read_graphs(out, name)
        assert graph.words == words
        if FORMATS[name].makes_text:
            assert graph.details["text"] == text and "Made up" not in stderr
            assert Graph.from_json(graph.to_json()) == graph
            assert [*graph.to_networkx().nodes(data="end")][-1][1] == len(text)
    elif name == "scenes":
        for line in out.read_text("utf8").splitlines():
            (start, end), *_ = json.loads(line)["relation"]["offsets"]
            assert text[start:end] == json.loads(line)["relation"]["text"]


def test_a_text_of_other_words_is_told(model: str, tmp_path: Path) -> None:
    """The text is what the tokens say of spaces."""
    row, file = "1\tGo\t_\t_\t_\t_\t0\troot\t_\tSpaceAfter=No\n", tmp_path / "x.conllu"
    file.write_text(f"# text = Sleep well\n{row}2\t!" + "\t_" * 8, "utf8")
    with pytest.warns(FormatWarning, match=r"UW105.*x\.conllu"):
        (graph,) = parse(file, model)
    assert graph.details["text"] == "Go!"
    for name in ("xml", "uccaapp", "conllu", "penman"):
        other = FORMATS[name].write(graph).replace("Go!", "Sleep well")
        with pytest.warns(FormatWarning, match="UW105"):
            (again,) = FORMATS[name].read(other)
        assert "text" not in again.details


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.jsonl", '{"words": ["Go", ""]}\n'),
        ("x.json", '[[{"id": 1, "text": "Go"}, {"id": 2, "text": ""}]]'),
        ("x.conllu", "1\tGo\t" + "\t".join("_" * 8) + "\n2\t\t" + "\t".join("_" * 8) + "\n\n"),
    ],
)
def test_empty_words_are_named(name: str, content: str, tmp_path: Path, model: str) -> None:
    (tmp_path / name).write_text(content, "utf8")
    result = run("parse", tmp_path / name, "-m", model, code=1)
    assert "UC559" in result.stderr and "word 2 is empty" in result.stderr and name in result.stderr
