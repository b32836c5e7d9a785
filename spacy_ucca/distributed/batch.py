"""Parse Docs so that one that fails costs no other."""

from collections import deque
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc


def parse_each(
    nlp: "Language", docs: "Iterable[Doc]", *, batch_size: int | None = None
) -> "Iterator[Doc | Exception]":
    """Parse Docs with a pipeline. Where a batch fails, its Docs are parsed again one by one. Error handlers of the pipeline stay
    as they are, so several threads can use it.

    nlp (Language): The pipeline.
    docs (Iterable[Doc]): The Docs. Few are taken ahead.
    batch_size (Optional[int]): The number of Docs in a batch; None: that of the pipeline.
    YIELDS (Union[Doc, Exception]): For each Doc that Doc or another one, parsed, or why it cannot be.
    """
    size = batch_size or nlp.batch_size
    source = _Source(docs)
    while not source.is_done:
        try:
            for doc, i in nlp.pipe(source, as_tuples=True, batch_size=size):
                yield from (_parse_alone(nlp, lost) for lost in source.take_until(i))
                yield doc
            yield from (_parse_alone(nlp, lost) for lost in source.take(None))
        except Exception:
            if not source.inside:  # it is no Doc that failed
                raise
            for failed in source.take(size):
                yield _parse_alone(nlp, failed)
            source.give_back()
    if source.error is not None:
        raise source.error


class _Source:
    """Docs with their numbers, which remembers those that have not come out of the pipeline."""

    def __init__(self, docs: "Iterable[Doc]") -> None:
        self.docs = iter(docs)
        self.inside: deque[tuple[Doc, int]] = deque()
        self.n = 0
        self.is_done = False
        self.error: Exception | None = None

    def __iter__(self) -> "Iterator[tuple[Doc, int]]":
        while True:
            try:
                doc = next(self.docs)
            except StopIteration:
                break
            except Exception as err:
                self.error = err
                break
            self.inside.append((doc, self.n))
            self.n += 1
            yield self.inside[-1]
        self.is_done = True

    def take_until(self, number: int) -> "Iterator[Doc]":
        """YIELDS (Doc): The Docs before one that has come out, which a handler of the user's has left out. That one is inside no more."""
        while self.inside[0][1] != number:
            yield self.inside.popleft()[0]
        self.inside.popleft()

    def take(self, n: int | None) -> "Iterator[Doc]":
        """YIELDS (Doc): The first Docs inside; all, without a number."""
        for _ in range(len(self.inside) if n is None else min(n, len(self.inside))):
            yield self.inside.popleft()[0]

    def give_back(self) -> None:
        """Let the pipeline have the Docs again that are inside; some components may have begun with them."""
        back = [_fresh(doc) for doc, _ in self.inside]
        self.is_done = self.is_done and not back
        self.inside.clear()
        self.docs = chain(back, self.docs)


def _parse_alone(nlp: "Language", doc: "Doc") -> "Doc | Exception":
    try:
        return nlp(_fresh(doc))
    except Exception as err:
        return err


def _fresh(doc: "Doc") -> "Doc":
    """RETURNS (Doc): A Doc with what it had when it was made."""
    make: Any = type(doc)
    made: Doc = make(
        doc.vocab,
        words=[token.text for token in doc],
        spaces=[bool(token.whitespace_) for token in doc],
        sent_starts=[token.is_sent_start for token in doc],
        user_data=dict(doc.user_data),
    )
    return made
