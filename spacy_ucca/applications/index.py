"""An index of Scenes: one SQLite file, with full-text search over who and what takes part."""

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from spacy.tokens import Doc, Span

from ..errors import Errors, UccaError
from ..extract import Argument, Predication, predications
from ..extract.words import first_token
from ..tokens.extension import require_graph
from .tokens import sentences_of

VERSION = 1
APPLICATION = 0x55434341  # "UCCA", in the head of the file
WAIT = 60.0  # seconds for another process that writes
_LARGEST = 2**63 - 1  # whole number that SQLite takes
# By what SQLite says
_REMEDIES = {
    "closed": "Open it again, or search within the `with` block.",
    "locked": "Another process uses it. Try again when that has closed it, or give each process a file of its own.",
    "full": "Make room, and add the Doc again.",
    "thread": "Open it in each thread.",
    "surrogates": "There is half a character, as where a text was cut within an emoji. Remove it.",
    "": "If the file is damaged, make it again from the Docs.",
}
_LOST = " What was added since it was opened is lost."
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


_COLUMNS = "doc, sentence, lemma, kind, negated, record"
_ADD_SCENE = f"INSERT INTO scenes ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)"
_ADD_WORDS = "INSERT INTO words (rowid, subject, object, others) VALUES (?, ?, ?, ?)"


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
        self._changed = False
        try:
            if not isinstance(path, str | os.PathLike | None) or not self.path:
                raise ValueError("this is no name of a file")
            self._db = sqlite3.connect(self.path, timeout=WAIT)
            try:
                self._open()
            except BaseException:
                self._db.close()
                raise
        except UccaError:
            raise
        except (sqlite3.Error, ValueError) as err:
            if "locked" in str(err):
                remedy = _REMEDIES["locked"]
                message = Errors.UC693.format(path=self.path, reason=err, remedy=remedy)
                raise UccaError(message) from None
            raise UccaError(Errors.UC680.format(path=self.path, reason=err)) from None

    def _open(self) -> None:
        tables, application, version = self._head()
        if not tables:
            self._db.execute("BEGIN IMMEDIATE")  # whole or not at all, and by one process
            tables, application, version = self._head()
            for statement in () if tables else _SCHEMA.split(";"):
                self._db.execute(statement)
            self._db.commit()
        if tables and application != APPLICATION:
            raise UccaError(Errors.UC680.format(path=self.path, reason="another database"))
        if tables and version != VERSION:
            what = f"index of Scenes {self.path}"
            raise UccaError(Errors.UC009.format(what=what, version=version, expected=VERSION))

    def _head(self) -> list[int]:
        """RETURNS (List[int]): The number of tables, first, as another process may make them; whose file this is; its version."""
        tables = "SELECT count(*) FROM sqlite_master"
        queries = (tables, "PRAGMA application_id", "PRAGMA user_version")
        return [self._db.execute(query).fetchone()[0] for query in queries]

    def __enter__(self) -> "SceneIndex":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        with suppress(sqlite3.Error):  # closed in the block, or rolled back by SQLite
            if kind is not None:
                self._db.rollback()
        self.close()

    def close(self) -> None:
        """Write what was added, and close the file. Closing it again changes nothing.

        RAISES (UccaError): If it cannot be written. If another process reads it just now, `close` may be called again.
        """
        with self._naming():
            with suppress(sqlite3.ProgrammingError):
                self._db.commit()
            self._changed = False
            self._db.close()

    @contextmanager
    def _naming(self) -> Iterator[None]:
        """Name the index, and the remedy, in an error of SQLite."""
        try:
            yield
        except (sqlite3.Error, OverflowError, UnicodeError, json.JSONDecodeError) as err:
            reason = str(err).rstrip(".")
            remedy = next(text for key, text in _REMEDIES.items() if key in reason)
            if self._changed and not self._db.in_transaction:
                remedy += _LOST
            message = Errors.UC693.format(path=self.path, reason=reason, remedy=remedy)
            raise UccaError(message) from None

    @contextmanager
    def _whole(self) -> Iterator[None]:
        """Change the index wholly or, after an error, not at all."""
        with self._naming():
            if not self._db.in_transaction:
                self._db.execute("BEGIN IMMEDIATE")
            self._db.execute("SAVEPOINT change")
            try:
                yield
            except BaseException:
                with suppress(sqlite3.Error):  # a full disk ends the transaction
                    self._db.execute("ROLLBACK TO change")
                raise
            self._db.execute("RELEASE change")
            self._changed = True

    def __len__(self) -> int:
        """RETURNS (int): The number of Scenes."""
        with self._naming():
            return int(self._db.execute("SELECT count(*) FROM scenes").fetchone()[0])

    def add(self, doc: Doc, name: str | Path = "") -> int:
        """Add the Scenes of a Doc, in place of those of another one with its name.

        doc (Doc): A Doc with a graph.
        name (Union[str, Path]): Its name in what is found, such as its file; "" for none, which many Docs can have.
        RETURNS (int): How many Scenes it has.
        RAISES (UccaError): If the Doc has no graph, or the index is closed or cannot be written.
        """
        require_graph(doc)
        found, name = predications(doc), _name(name)
        sentences = {token.i: sent.text for sent in sentences_of(doc) for token in sent}
        with self._whole():
            if name:
                self._remove(name)
            for each in found:
                row = (
                    name,
                    " ".join(sentences.get(first_token(each.scene), "").split()),
                    each.lemma,
                    each.kind,
                    each.is_negated,
                    json.dumps(each.to_dict(), ensure_ascii=False),
                )
                words = (_words([each.subject]), _words([each.object]), _words(_others(each)))
                number = self._db.execute(_ADD_SCENE, row).lastrowid
                self._db.execute(_ADD_WORDS, (number, *words))
        return len(found)

    def remove(self, name: str | Path) -> int:
        """Remove the Scenes of the Docs of a name.

        name (Union[str, Path]): The name.
        RETURNS (int): How many Scenes there were.
        RAISES (UccaError): If the index is closed or cannot be written.
        """
        with self._whole():
            return self._remove(_name(name))

    def _remove(self, name: str) -> int:
        ids = "SELECT id FROM scenes WHERE doc = ?"
        self._db.execute(f"DELETE FROM words WHERE rowid IN ({ids})", (name,))
        return self._db.execute("DELETE FROM scenes WHERE doc = ?", (name,)).rowcount

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
        RAISES (UccaError): If a condition is of a wrong type, there is no word in a text to look for, or the index cannot be read.
        """
        if limit is not None and (type(limit) is not int or limit < 1):
            raise UccaError(Errors.UC682.format(limit=limit))
        for name, text in (("words", words), ("subject", subject), ("object", object)):
            _check(name, text, isinstance(text, str), "a text")
        _check("negated", negated, negated is None or isinstance(negated, bool), "True or False")
        conditions, values = ["1"], list[Any]()
        for column, wanted in (("lemma", lemma), ("kind", kind)):
            options = [wanted] if isinstance(wanted, str) else wanted
            good = isinstance(options, Iterable) and not isinstance(options, bytes)
            _check(column, wanted, good, "a text or several")
            options = [*options]
            _check(column, wanted, all(isinstance(o, str) for o in options), "a text or several")
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
        with self._naming():
            most = _LARGEST if limit is None else min(limit, _LARGEST)
            rows = self._db.execute(sql, (*values, most))
            return [SceneHit(doc, sentence, json.loads(record)) for doc, sentence, record in rows]


def _check(name: str, value: Any, good: bool, wanted: str) -> None:
    if not good:
        raise UccaError(Errors.UC675.format(name=name, value=value, wanted=wanted))


def _name(name: Any) -> str:
    _check("name", name, isinstance(name, str | os.PathLike | int | None), "a text or a path")
    return "" if name is None else str(name)


def _match(columns: str, text: str) -> str:
    """RETURNS (str): A text to look for in the language of SQLite, in which words have no other meaning."""
    found = []
    for word in text.replace("\0", " ").split():
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
