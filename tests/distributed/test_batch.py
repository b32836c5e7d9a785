"""Docs that fail cost no other, whatever the pipeline's error handlers, and in several threads."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc

from spacy_ucca.distributed.batch import parse_each
from spacy_ucca.layers.numpy_products import _libraries, one_blas_thread


def make(handler: Any = None) -> tuple[Language, Counter[str]]:
    """RETURNS (Tuple[Language, Counter[str]]): A pipeline that fails at "bad", and how often it had each text."""
    nlp, seen = spacy.blank("en"), Counter[str]()

    class Failing:
        def __call__(self, doc: Doc) -> Doc:
            seen[doc.text] += 1
            doc.user_data["n"] = doc.user_data.get("n", 0) + 1
            if doc[0].text == "bad":
                raise ZeroDivisionError(doc.text)
            return doc

    nlp.add_pipe("sentencizer")
    Language.component("failing", func=Failing())
    nlp.add_pipe("failing")
    if handler is not None:
        nlp.set_error_handler(handler)
    return nlp, seen


def texts(n: int, *bad: int) -> list[str]:
    return [f"{'bad' if i in bad else 'good'} {i} ." for i in range(n)]


@pytest.mark.parametrize("bad", [(), (0,), (7,), (3, 4), (0, 9, 19), tuple(range(20))])
@pytest.mark.parametrize("size", [1, 3, 64])
def test_each_text_has_a_result_in_order(bad: tuple[int, ...], size: int) -> None:
    nlp, seen = make()
    given = texts(20, *bad)
    found = list(parse_each(nlp, map(nlp.make_doc, given), batch_size=size))
    assert [str(d) if i in bad else d.text for i, d in enumerate(found)] == given
    assert all(isinstance(d, ZeroDivisionError if i in bad else Doc) for i, d in enumerate(found))
    assert all(d.user_data["n"] == 1 for d in found if isinstance(d, Doc))
    assert max(seen.values()) <= 2


def test_a_handler_of_the_user_stays_and_is_called() -> None:
    told: list[str] = []
    nlp, _ = make(lambda name, pipe, docs, err: told.append(docs[0].text))
    handler = nlp.default_error_handler
    found = list(parse_each(nlp, map(nlp.make_doc, texts(5, 2))))
    assert nlp.default_error_handler is handler and told[0] == "bad 2 ."
    assert [d.text for d in found if isinstance(d, Doc)] == texts(5, 2)


def test_several_threads() -> None:
    nlp, _ = make()
    given = texts(200, 3, 50, 199)

    def work(_: int) -> list[Any]:
        return list(parse_each(nlp, map(nlp.make_doc, given), batch_size=7))

    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(work, range(4)))
    assert all(
        [isinstance(d, Exception) for d in r] == [t[0] == "b" for t in given] for r in results
    )


def test_the_limit_of_threads_is_taken_away_by_the_last() -> None:
    before = [library["num_threads"] for library in _libraries().info()]
    first, second = one_blas_thread(), one_blas_thread()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert all(library["num_threads"] == 1 for library in _libraries().info())
    second.__exit__(None, None, None)
    assert [library["num_threads"] for library in _libraries().info()] == before
