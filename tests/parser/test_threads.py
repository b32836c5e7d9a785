"""Several threads may use one pipeline: each gets the graphs that it would get alone."""

from concurrent.futures import ThreadPoolExecutor

import pytest
import spacy
from golden import DATA, MODEL


@pytest.mark.skipif(not MODEL.exists(), reason="no pipeline ships yet")
@pytest.mark.parametrize(
    ("beam_width", "n_threads", "n_texts"),
    [(1, 4, 24), (4, 4, 24), pytest.param(1, 8, 80, marks=pytest.mark.slow)],
)
def test_threads_do_not_disturb_each_other(beam_width, n_threads, n_texts):
    nlp = spacy.load(MODEL)
    nlp.get_pipe("ucca_parser").beam_width = beam_width
    texts = (DATA / "golden.txt").read_text("utf8").splitlines()[:n_texts]
    alone = [doc._.ucca for doc in nlp.pipe(texts)]

    def parse(thread: int) -> list:
        shift = thread * len(texts) // n_threads  # no two threads read the same text at once
        order = texts[shift:] + texts[:shift]
        graphs = [nlp(text)._.ucca for text in order]
        return graphs[len(texts) - shift :] + graphs[: len(texts) - shift]

    with ThreadPoolExecutor(n_threads) as threads:
        for graphs in threads.map(parse, range(n_threads)):
            assert all(a.same_structure(b) for a, b in zip(graphs, alone, strict=True))
