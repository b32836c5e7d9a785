"""Texts of files, in parts: all of them once and in order, the same each time; what cannot be read costs itself alone."""

import bz2
import gzip
import json
from pathlib import Path

import pytest

from spacy_ucca.distributed.schema import pa
from spacy_ucca.distributed.texts import Reader, find_texts, read_parts
from spacy_ucca.errors import UccaError

parquet = pytest.importorskip("pyarrow.parquet")
TEXTS = ["One two three.", "Ż", "a b c d e f g h i j k l m", "", "x " * 50, "The end"]


def write(folder: Path) -> None:
    folder.mkdir()
    parquet.write_table(pa.table({"text": TEXTS, "id": list("abcdef")}), folder / "1.parquet")
    lines = "".join(json.dumps({"text": t, "n": i}) + "\n\n" for i, t in enumerate(TEXTS))
    (folder / "2.jsonl").write_text(lines, "utf8")
    (folder / "3.b.txt").write_text("A text.\n\nOf two lines.\n", "utf8")
    (folder / "4.txt.gz").write_bytes(gzip.compress("Packed Ż".encode()))
    (folder / "5.ndjson.bz2").write_bytes(bz2.compress(b'{"id": 7, "text": "In."}'))
    (folder / "_SUCCESS").write_text("", "utf8")


@pytest.mark.parametrize("words", [1, 5, 30, 10**6])
@pytest.mark.parametrize("address", ["{}", "file://{}"])
def test_all_texts_are_read_once_in_order(words, address, tmp_path):
    write(tmp_path / "in")
    files = find_texts(address.format(tmp_path / "in"))
    parts = list(read_parts(files, Reader(words=words)))
    assert [item for part in parts for item in part] == [
        *zip("abcdef", TEXTS),
        *((f"2-{2 * i + 1}", text) for i, text in enumerate(TEXTS)),
        ("3.b", "A text.\n\nOf two lines.\n"),
        ("4", "Packed Ż"),
        ("7", "In."),
    ]
    for part in parts:  # without its last text, no part has enough words
        assert sum(len(text.split()) for _, text in part[:-1]) < words
    assert parts == list(read_parts(files, Reader(words=words)))


def test_lines(tmp_path):
    (tmp_path / "a.txt").write_bytes("\ufeffOne.\r\n\n Żwo\n".encode())
    (items,) = read_parts(find_texts(tmp_path), Reader(lines=True))
    assert items == [("a-1", "One."), ("a-3", " Żwo")]


def test_what_cannot_be_read_costs_itself(tmp_path):
    (tmp_path / "1.txt").write_text("Fine.", "utf8")
    (tmp_path / "2.parquet").write_bytes(b"PAR1 and no more")
    (tmp_path / "3.txt.gz").write_bytes(b"not packed")
    lines = [
        b'{"text": "Go"}',
        b"{",
        b"[]",
        b"{}",
        b'{"text": 5}',
        b'{"text": "\\ud800"}',
        b"\xff",
        b"[" * 99999,
    ]
    (tmp_path / "4.jsonl").write_bytes(b"\n".join([*lines, b'{"id": "\\ud800", "text": "a"}']))
    (tmp_path / "5.txt").write_bytes(b"\xff\xfeH\0i\0")
    items = [item for part in read_parts(find_texts(tmp_path), Reader()) for item in part]
    fine = [(id, text) for id, text in items if isinstance(text, str)]
    assert fine == [("1", "Fine."), ("4-1", "Go"), ("\\ud800", "a")]
    assert len(items) == 14 - 1 and all(
        isinstance(t, UccaError) for _, t in items if t not in ("Fine.", "Go", "a")
    )


def test_mistakes_are_told(tmp_path):
    for path, message in (
        (tmp_path / "none", "does not exist"),
        (tmp_path, "has no files"),
        ("nowhere://a/b", "UC577"),
    ):
        with pytest.raises(UccaError, match=message):
            find_texts(path)
    (tmp_path / "a.xml").write_text("<root/>", "utf8")
    with pytest.raises(UccaError, match=r"a.xml is none of these"):
        find_texts([tmp_path])
    parquet.write_table(pa.table({"body": ["a"]}), tmp_path / "a.parquet")
    files = find_texts(tmp_path / "a.parquet")
    with pytest.raises(UccaError, match=r"a.parquet has no column 'text'.*body"):
        list(read_parts(files, Reader()))
    assert list(read_parts(files, Reader(text="body"))) == [[("a-1", "a")]]
