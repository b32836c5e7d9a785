"""An index of Scenes: one SQLite file, with full-text search over who and what takes part."""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from spacy.tokens import Doc, Span

from ..errors import Errors, UccaError
from ..extract import Argument, Predication, predications
from ..extract.words import first_token
from ..tokens.extension import require_graph
from .docs import sentences_of

VERSION = 1
APPLICATION = 0x55434341  # "UCCA", in the head of the file
_SCHEMA = f"""
CREATE TABLE scenes (
    id INTEGER PRIMARY KEY, doc TEXT NOT NULL, sentence TEXT NOT NULL, lemma TEXT NOT NULL COLLATE NOCASE,
    kind TEXT NOT NULL, negated INTEGER NOT NULL, record TEXT NOT NULL
);
CREATE INDEX lemmas ON scenes (lemma);
CREATE INDEX docs ON scenes (doc);
CREATE VIRTUAL TABLE words USING fts5 (subject, object, others, tokenize = 'unicode61');
PRAGMA application_id = {APPLICATION};
PRAGMA user_version = {VERSION};
"""


class SceneHit(NamedTuple):
    """A Scene that was found.

    doc (str): The name of its Doc.
    sentence (str): The sentence that it is in.
    record (Dict[str, Any]): The Scene, as `Predication.to_dict` gives it.
    """

    doc: str
    sentence: str
    record: dict[str, Any]


class SceneIndex:
    """Scenes of many Docs, to be found by their relation, by who and what takes part, by kind and by negation.

    path (Optional[Union[str, Path]]): The file, which is made if it is not there; None keeps the index in memory. What is added is in
        the file after `close`, or at the end of a `with` block; after an exception in the block, it is not.
    RAISES (UccaError): If the file is no index, or cannot be opened.
    """

    def __init__(self, path: str | Path | None = None) -> None:
        self.path = ":memory:" if path is None else str(path)
        try:
            self._db = sqlite3.connect(self.path)
            self._open()
        except sqlite3.Error as err:
            raise UccaError(Errors.UC680.format(path=self.path, reason=err)) from None

    def _open(self) -> None:
        application, version, tables = (
            self._db.execute(query).fetchone()[0]
            for query in (
                "PRAGMA application_id",
                "PRAGMA user_version",
                "SELECT count(*) FROM sqlite_master",
            )
        )
        if not tables:
            self._db.executescript(_SCHEMA)
        elif application != APPLICATION:
            raise UccaError(Errors.UC680.format(path=self.path, reason="another database"))
        elif version != VERSION:
            raise UccaError(Errors.UC681.format(path=self.path, version=version, known=VERSION))

    def __enter__(self) -> "SceneIndex":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        with suppress(sqlite3.ProgrammingError):  # closed in the block
            if kind is not None:
                self._db.rollback()
        self.close()

    def close(self) -> None:
        """Write what was added, and close the file. Closing it again changes nothing."""
        with suppress(sqlite3.ProgrammingError):
            self._db.commit()
        self._db.close()

    def _run(self, query: str, values: Sequence[Any] = ()) -> sqlite3.Cursor:
        try:
            return self._db.execute(query, values)
        except (sqlite3.ProgrammingError, sqlite3.OperationalError) as err:
            raise UccaError(Errors.UC693.format(path=self.path, reason=err)) from None

    def __len__(self) -> int:
        """RETURNS (int): The number of Scenes."""
        return int(self._run("SELECT count(*) FROM scenes").fetchone()[0])

    def add(self, doc: Doc, name: str | Path = "") -> int:
        """Add the Scenes of a Doc, in place of those of another one with its name.

        doc (Doc): A Doc with a graph.
        name (Union[str, Path]): Its name in what is found, such as its file; "" for none, which many Docs can have.
        RETURNS (int): How many Scenes it has.
        RAISES (UccaError): If the Doc has no graph, or the index is closed or cannot be written.
        """
        require_graph(doc)
        found, name = predications(doc), str(name or "")
        if name:
            self.remove(name)
        sentences = {token.i: sent.text for sent in sentences_of(doc) for token in sent}
        for each in found:
            cursor = self._run(
                "INSERT INTO scenes (doc, sentence, lemma, kind, negated, record) VALUES (?, ?, ?, ?, ?, ?)",
                (
                    name,
                    " ".join(sentences.get(first_token(each.scene), "").split()),
                    each.lemma,
                    each.kind,
                    each.is_negated,
                    json.dumps(each.to_dict(), ensure_ascii=False),
                ),
            )
            words = (_words([each.subject]), _words([each.object]), _words(_others(each)))
            self._run(
                "INSERT INTO words (rowid, subject, object, others) VALUES (?, ?, ?, ?)",
                (cursor.lastrowid, *words),
            )
        return len(found)

    def remove(self, name: str | Path) -> int:
        """Remove the Scenes of the Docs of a name.

        name (Union[str, Path]): The name.
        RETURNS (int): How many Scenes there were.
        """
        name, ids = str(name), "SELECT id FROM scenes WHERE doc = ?"
        self._run(f"DELETE FROM words WHERE rowid IN ({ids})", (name,))
        return self._run("DELETE FROM scenes WHERE doc = ?", (name,)).rowcount

    def search(
        self,
        words: str = "",
        *,
        lemma: str | Sequence[str] = (),
        subject: str = "",
        object: str = "",
        kind: str | Sequence[str] = (),
        negated: bool | None = None,
        limit: int | None = 100,
    ) -> list[SceneHit]:
        """Find Scenes. All conditions that are given hold of each.

        words (str): Words of participants, times, places or adverbials; all occur, as they are or as lemmas. "Par*" finds what begins so.
        lemma (Union[str, Sequence[str]]): The lemma of the relation, or several.
        subject (str): Words of the subject.
        object (str): Words of the object.
        kind (Union[str, Sequence[str]]): What the Scene is for the unit it stands in, as `Unit.scene_kind` says, such as "parallel".
        negated (Optional[bool]): Whether the text denies it.
        limit (Optional[int]): The most to find; None for all.
        RETURNS (List[SceneHit]): The Scenes, in the order in which they were added.
        RAISES (UccaError): If `limit` is below 1, there is no word in a text to look for, or the index is closed.
        """
        if limit is not None and limit < 1:
            raise UccaError(Errors.UC682.format(limit=limit))
        conditions, values = ["1"], list[Any]()
        for column, wanted in (("lemma", lemma), ("kind", kind)):
            options = [wanted] if isinstance(wanted, str) else [*wanted]
            if options:
                conditions.append(f"{column} IN ({', '.join('?' * len(options))})")
                values += options
        if negated is not None:
            conditions.append("negated = ?")
            values.append(negated)
        texts = (("subject object others", words), ("subject", subject), ("object", object))
        query = " AND ".join(_match(columns, text) for columns, text in texts if text)
        if query:
            conditions.append("id IN (SELECT rowid FROM words WHERE words MATCH ?)")
            values.append(query)
        sql = f"SELECT doc, sentence, record FROM scenes WHERE {' AND '.join(conditions)} ORDER BY id LIMIT ?"
        rows = self._run(sql, (*values, -1 if limit is None else limit))
        return [SceneHit(doc, sentence, json.loads(record)) for doc, sentence, record in rows]


def _match(columns: str, text: str) -> str:
    """RETURNS (str): A text to look for in the language of SQLite, in which words have no other meaning."""
    found = []
    for word in text.split():
        bare = word.rstrip("*")
        if any(c.isalnum() for c in bare):
            quoted = bare.replace('"', '""')
            found.append(f'{{{columns}}} : "{quoted}"{"*" if word.endswith("*") else ""}')
    if not found:
        raise UccaError(Errors.UC683.format(text=text))
    return " AND ".join(found)


def _others(each: Predication) -> list[Argument | Span | None]:
    return [*each.others, *each.times, *each.places, *each.adverbials]


def _words(items: Iterable[Argument | Span | None]) -> str:
    """RETURNS (str): The words of participants, as they are and as lemmas."""
    spans = (item.span if isinstance(item, Argument) else item for item in items)
    return " ".join(
        f"{t.text} {t.lemma_}" for span in spans if span is not None for t in span if not t.is_space
    )
