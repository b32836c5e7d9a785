"""Parse batches of texts: a stage for Ray Data, Spark, or a loop over the batches of a file."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from spacy.attrs import LENGTH
from spacy.language import Language
from spacy.tokens import Doc

from ..errors import Errors, UccaError
from ..tokens.load import load
from ..training.pipelines import UCCA, loading, names_assigning, set_beam_width, trained_parsers
from .batch import parse_each, pipeline_columns
from .rows import Row, make_row, make_table
from .schema import SCHEMA, pa
from .texts import as_text, reason_of

__all__ = ["ParseStage"]

BATCH_WORDS = 5_000
MAX_SENTENCE, MAX_WORD = 5_000, 10_000
_STOP = re.compile(r"[.!?…。！？؟।]\W*$|\n")


class ParseStage:
    """Parse a batch of texts. The pipeline is loaded once a process, when the first batch comes. A text that cannot be parsed
    costs its own row alone, which has the reason in the column `error`.

    model (str): The name of an installed pipeline, or a directory; the same on all machines.
    text (str): The column of texts.
    id (str): The column of ids. Without it, ids are null.
    lang (Optional[str]): The code of the language of the texts; None: see `spacy_ucca.load`.
    guidelines (Optional[str]): The guidelines to follow; None: those of the pipeline.
    beam_width (Optional[int]): The beam width; None: that of the pipeline.
    batch_words (int): The number of words that are parsed at a time. Memory grows with it.
    max_sentence (int): The most words that a text may have without the end of a sentence.
    max_word (int): The most characters that a word may have.
    """

    def __init__(
        self,
        model: str,
        *,
        text: str = "text",
        id: str = "id",
        lang: str | None = None,
        guidelines: str | None = None,
        beam_width: int | None = None,
        batch_words: int = BATCH_WORDS,
        max_sentence: int = MAX_SENTENCE,
        max_word: int = MAX_WORD,
    ) -> None:
        self.model = str(model)
        self.text, self.id = text, id
        self.lang, self.guidelines, self.beam_width = lang, guidelines, beam_width
        self.batch_words, self.max_sentence, self.max_word = batch_words, max_sentence, max_word

    @property
    def nlp(self) -> Language:
        """RETURNS (Language): The pipeline.
        RAISES (UccaError): If it cannot be loaded, sets no graphs, or has not learned the guidelines."""
        return _load(self.model, self.lang, self.guidelines, self.beam_width)

    @property
    def schema(self) -> pa.Schema:
        """RETURNS (pa.Schema): The schema of what comes out."""
        return SCHEMA

    def __call__(self, batch: pa.Table) -> pa.Table:
        """Parse a batch, as `ray.data.Dataset.map_batches` asks for.

        batch (pa.Table): Texts, and their ids.
        RETURNS (pa.Table): A row for each, in order: see `schema`.
        RAISES (UccaError): If there is no column of texts.
        """
        return make_table([row for rows in self.parse(self._items(batch)) for row in rows])

    def map_batches(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Parse batches one after the other, as Spark's `DataFrame.mapInArrow` asks for.

        batches (Iterable[pa.RecordBatch]): Texts, and their ids.
        YIELDS (pa.RecordBatch): Rows of the schema, `batch_words` at a time.
        RAISES (UccaError): If there is no column of texts.
        """
        for batch in batches:
            for rows in self.parse(self._items(batch)):
                yield from make_table(rows).to_batches()

    def parse(self, items: Iterable[tuple[Any, Any]]) -> Iterator[list[Row]]:
        """Parse texts by numbers of words.

        items (Iterable[Tuple[Any, Any]]): Ids and texts; in place of a text may be an error, the reason why there is none.
        YIELDS (List[Dict[str, Any]]): Rows, in order.
        """
        rows: list[Row] = []
        docs: list[Doc | Exception] = []
        words = 0
        for id, text in items:
            rows.append({"id": None if id is None else str(id)})
            try:
                rows[-1]["text"] = text = as_text(text)
                doc = self._make_doc(text)
                words += len(doc)
                docs.append(doc)
            except Exception as err:  # of the tokenizer, too
                docs.append(err)
            if words >= self.batch_words:
                yield self._finish(rows, docs)
                rows, docs, words = [], [], 0
        if rows:
            yield self._finish(rows, docs)

    def _items(self, batch: Any) -> Iterator[tuple[Any, Any]]:
        names = batch.schema.names
        if self.text not in names:
            message = Errors.UC576.format(where="The table", name=self.text, names=", ".join(names))
            raise UccaError(message)
        ids = batch[self.id].to_pylist() if self.id in names else [None] * batch.num_rows
        return zip(ids, batch[self.text].to_pylist())

    def _make_doc(self, text: str) -> Doc:
        doc = self.nlp.make_doc(text)
        if len(doc) > self.max_sentence:
            longest = n = 0
            for token in doc:
                n = 0 if _STOP.search(token.text) else n + 1
                longest = max(longest, n)
            if longest > self.max_sentence:
                raise UccaError(Errors.UC574.format(n=longest, limit=self.max_sentence))
        if len(text) > self.max_word and (n := int(doc.to_array(LENGTH).max())) > self.max_word:  # type: ignore[union-attr]
            raise UccaError(Errors.UC575.format(n=n, limit=self.max_word))
        return doc

    def _finish(self, rows: list[Row], docs: list[Doc | Exception]) -> list[Row]:
        name = pipeline_columns(self.nlp)
        for row, parsed in zip(rows, parse_each(self.nlp, docs, batch_size=len(docs))):
            try:
                if isinstance(parsed, Exception):
                    raise parsed
                row |= make_row(row["id"], parsed)
            except Exception as err:
                row["error"] = reason_of(err)
        return [{**row, **name} for row in rows]


@lru_cache(maxsize=1)
def _load(model: str, lang: str | None, guidelines: str | None, beam_width: int | None) -> Language:
    with loading(model):
        nlp = load(model, lang=lang)
    if not names_assigning(nlp, UCCA):
        raise UccaError(Errors.UC630.format(model=model))
    for parser in trained_parsers(nlp) if guidelines is not None else ():
        parser.guidelines = guidelines
    set_beam_width(nlp, beam_width)
    return nlp
