"""Targets are made once for each sentence, as long as there is room."""

import pytest
from util import make_examples, make_nlp

from spacy_ucca.graph import Graph
from spacy_ucca.parser import targets
from spacy_ucca.parser.targets import SentenceCache


@pytest.mark.parametrize(("room", "made_again"), [(5, 0), (4, 1), (1, 4)])
def test_more_sentences_than_there_is_room_for(
    room: int, made_again: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(targets, "MAX_SENTENCES", room)
    cache = SentenceCache("name")
    made: list[int] = []
    for epoch in range(2):
        made.clear()
        for key in range(5):
            assert cache.get_or_make(key, lambda key=key: made.append(key) or key) == key
        assert len(made) == (made_again if epoch else 5)
    assert len(cache) == room


def test_targets_do_not_depend_on_the_room(
    graphs: list[Graph], monkeypatch: pytest.MonkeyPatch
) -> None:
    pipe = make_nlp(graphs).get_pipe("ucca_parser")
    examples = make_examples(pipe.vocab, graphs)
    expected = [gold.graph for gold, _ in pipe._find_targets(examples)]
    monkeypatch.setattr(targets, "MAX_SENTENCES", 0)
    pipe._targets.clear()
    assert [gold.graph for gold, _ in pipe._find_targets(examples)] == expected
    assert not len(pipe._targets)
