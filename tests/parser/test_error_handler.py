"""With an error handler that goes on, a Doc that cannot be parsed costs that Doc alone."""

from typing import Any

import pytest
import spacy
from spacy.tokens import Doc
from util import make_doc, make_nlp

from spacy_ucca.graph import Graph


@pytest.mark.parametrize("bad", [(), (0,), (3,), (0, 3, 4), tuple(range(5))])
@pytest.mark.filterwarnings("ignore")
def test_one_bad_doc_costs_that_doc(bad: tuple[int, ...], sample: list[Graph]) -> None:
    nlp = make_nlp(sample[:5])
    seen: list[Doc] = []

    def handler(name: str, component: Any, docs: list[Doc], error: Exception) -> None:
        assert name == "ucca_parser" and "UC330" in str(error)
        seen.extend(docs)

    docs = [make_doc(nlp.vocab, graph, gold=False) for graph in sample[:5]]
    expected = [doc._.ucca for doc in nlp.pipe([doc.copy() for doc in docs])]
    nlp.get_pipe("ucca_parser").add_guidelines("v2")  # type: ignore[attr-defined]
    for i in bad:
        docs[i]._.ucca_guidelines = "of another country"
    if bad:
        with pytest.raises(ValueError, match="UC330"):  # the default handler
            list(nlp.pipe([doc.copy() for doc in docs]))
    nlp.set_error_handler(handler)
    parsed = list(nlp.pipe(docs))
    good = [i for i in range(5) if i not in bad]
    assert [doc.text for doc in seen] == [docs[i].text for i in bad]
    assert parsed == [docs[i] for i in good]
    assert [doc._.ucca for doc in parsed] == [expected[i] for i in good]


def test_components_that_convert() -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("ucca_from_bilexical")
    seen: list[str] = []
    nlp.set_error_handler(lambda name, pipe, docs, error: seen.append(str(error)))
    assert not list(nlp.pipe(["No graph.", "None either."]))
    assert len(seen) == 2 and all("UC832" in text for text in seen)
