"""Parsers that tell another one in training how likely they hold each choice."""

import pickle
from pathlib import Path

import numpy
import pytest
import spacy
from spacy.language import Language
from thinc.api import Config
from util import make_examples, make_listening_nlp, make_nlp, overfit, tiny_config

from spacy_ucca.errors import UccaError
from spacy_ucca.graph import Graph
from spacy_ucca.lessons import cross_entropy, stack
from spacy_ucca.model import scorer_names
from spacy_ucca.teacher import Teacher, create_set_teacher

TINY_MODEL = tiny_config()["model"]


@pytest.fixture(scope="module")
def path(tree: Language, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("teacher") / "tree"
    tree.to_disk(path)
    return path


def pupil(graphs: list[Graph], paths: object, weight: float, **settings) -> Language:
    """RETURNS (Language): An initialized pipeline with that teacher."""
    nlp = spacy.blank("en")
    nlp.add_pipe("ucca_parser", config={**tiny_config(), **settings})
    create_set_teacher(paths, weight)(nlp)
    nlp.initialize(lambda: make_examples(nlp.vocab, graphs))
    return nlp


def lessons_of(nlp: Language, graphs: list[Graph]) -> tuple[list, dict]:
    examples = make_examples(nlp.vocab, graphs)
    parser = nlp.get_pipe("ucca_parser")
    return examples, stack(parser._lessons.find(parser.inventory, examples))


def test_a_teacher_believes_what_it_would_do(tree: Language, graphs: list[Graph], path) -> None:
    examples, lessons = lessons_of(tree, graphs)
    docs = [eg.predicted for eg in examples]
    advised = Teacher([path], 0.5).advise(docs, lessons)
    steps = tree.get_pipe("ucca_parser").model.predict(docs)
    assert advised.keys() == lessons.keys() == {"actions", "remotes", "implicit"}
    for name, lesson in advised.items():
        scores = steps[name].predict(lesson.rows)
        allowed = numpy.ones_like(scores, dtype="bool") if lesson.mask is None else lesson.mask
        expected = numpy.where(allowed, numpy.exp(scores), 0.0)
        expected /= expected.sum(axis=1, keepdims=True)
        # Vectors are kept in half the width.
        numpy.testing.assert_allclose(lesson.beliefs, expected, atol=0.01)
        assert lesson.trust == 0.5 and (lesson.classes == lessons[name].classes).all()


def test_who_believes_the_same_learns_nothing(tree: Language, graphs: list[Graph], path) -> None:
    parser = tree.get_pipe("ucca_parser")
    examples, lessons = lessons_of(tree, graphs)
    docs = [eg.predicted for eg in examples]
    steps = parser.model.predict(docs)
    scores = {name: steps[name].predict(lesson.rows) for name, lesson in lessons.items()}
    for trust, most in ((1.0, 0.01), (0.0, numpy.inf)):
        advised = Teacher([path], trust).advise(docs, lessons)
        n = len(lessons["actions"].classes)
        _, gradients = cross_entropy(parser.model.ops, advised, scores)
        assert all(abs(gradient).max() * n <= most for gradient in gradients.values())


def test_what_a_teacher_listens_to_runs_first(graphs: list[Graph], tmp_path) -> None:
    nlp = make_listening_nlp(graphs)
    nlp.to_disk(tmp_path / "listening")
    examples, lessons = lessons_of(nlp, graphs)
    docs = [eg.predicted for eg in examples]
    teacher = Teacher([tmp_path / "listening"])
    found = teacher.advise(docs, lessons)["actions"].beliefs
    assert not any(len(doc.tensor) for doc in docs)  # what is learned from stays as it is
    again = teacher.advise(docs[::-1], {})
    assert again == {} and len(teacher._vectors) == len(docs)
    for _ in nlp.get_pipe("tok2vec").pipe(docs):
        pass
    scores = (
        nlp.get_pipe("ucca_parser").model.predict(docs)["actions"].predict(lessons["actions"].rows)
    )
    scores = numpy.where(lessons["actions"].mask, numpy.exp(scores), 0)
    numpy.testing.assert_allclose(found, scores / scores.sum(axis=1, keepdims=True), atol=0.01)


def test_several_teach_by_their_mean(tree: Language, graphs: list[Graph], path, tmp_path) -> None:
    other = make_nlp(graphs, seed=1)
    other.to_disk(tmp_path / "other")
    examples, lessons = lessons_of(tree, graphs)
    docs = [eg.predicted for eg in examples]
    found = [
        Teacher(paths).advise(docs, lessons)
        for paths in ([path], [tmp_path / "other"], [path, tmp_path / "other"])
    ]
    for name in lessons:
        one, two, both = (advised[name].beliefs for advised in found)
        expected = numpy.sqrt(one * two)
        numpy.testing.assert_allclose(
            both, expected / expected.sum(axis=1, keepdims=True), atol=1e-4
        )


@pytest.mark.parametrize("trust", [0.0, 0.3, 1.0])
def test_the_gradient_is_that_of_the_loss(
    tree: Language, graphs: list[Graph], path, trust: float
) -> None:
    examples, lessons = lessons_of(tree, graphs)
    parser = tree.get_pipe("ucca_parser")
    advised = Teacher([path], trust).advise([eg.predicted for eg in examples], lessons)
    rng = numpy.random.default_rng(0)
    n_outputs = parser.inventory.n_outputs
    scores = {
        k: rng.normal(size=(len(v.classes), n_outputs[k])).astype("float64")
        for k, v in advised.items()
    }
    loss, gradients = cross_entropy(parser.model.ops, advised, scores)
    assert loss > 0
    for name, lesson in advised.items():
        row = int(rng.integers(len(lesson.classes)))
        for column in range(0, n_outputs[name], 5):
            values = []
            for step in (1e-3, -1e-3):
                moved = {k: v.copy() for k, v in scores.items()}
                moved[name][row, column] += step
                values.append(cross_entropy(parser.model.ops, advised, moved)[0])
            assert abs((values[0] - values[1]) / 2e-3 - gradients[name][row, column]) < 1e-4


def test_it_teaches(tree: Language, graphs: list[Graph], path) -> None:
    """Without any weight of what is annotated, in its own states too."""
    nlp = pupil(graphs, path, 1.0, exploration=0.5)
    parser = nlp.get_pipe("ucca_parser")
    assert parser.label_data == tree.get_pipe("ucca_parser").label_data
    before = overfit(nlp, graphs, steps=1)
    assert overfit(nlp, graphs, steps=30) < 0.5 * before
    doc = nlp(make_examples(nlp.vocab, graphs)[0].predicted)
    assert doc._.ucca.same_structure(graphs[0])


def test_what_it_begins_with(tree: Language, graphs: list[Graph], path) -> None:
    """The scorers of the teacher, if they are of one size; its labels in any case."""
    parser = pupil(graphs[:1], path, 0.5).get_pipe("ucca_parser")
    teacher = tree.get_pipe("ucca_parser")
    for name in scorer_names(parser.model):
        for param in ("T", "V", "O"):
            own, other = (p.model.get_ref(name).get_param(param) for p in (parser, teacher))
            assert own is not other and (own == other).all()
    narrow = Config(TINY_MODEL).merge(Config({"hidden_width": 7, "pair_width": 7, "unit_width": 7}))
    parser = pupil(graphs[:1], path, 0.5, model=narrow).get_pipe("ucca_parser")
    assert parser.label_data == teacher.label_data
    assert parser.model.get_ref("actions").get_dim("nH") == 7


def test_of_several_parsers_the_one_in_the_direction_of_the_learner(
    graphs: list[Graph], tmp_path
) -> None:
    nlp = spacy.blank("en")
    directions = {"ucca_backward": True, "ucca_parser": False}
    for name, backward in directions.items():
        nlp.add_pipe("ucca_parser", name=name, config=tiny_config(backward=backward))
    nlp.initialize(lambda: make_examples(nlp.vocab, graphs))
    nlp.to_disk(tmp_path / "both")
    for name, backward in directions.items():
        learner = pupil(graphs, tmp_path / "both", 0.5, **tiny_config(backward=backward))
        teacher = pickle.loads(pickle.dumps(learner.get_pipe("ucca_parser").teacher))
        assert [parser.name for parser in teacher.ensemble.parsers] == [name]


def test_it_is_not_saved(graphs: list[Graph], path, tmp_path) -> None:
    nlp = pupil(graphs, path, 0.5)
    nlp.to_disk(tmp_path / "pupil")
    assert spacy.load(tmp_path / "pupil").get_pipe("ucca_parser").teacher is None
    again = pickle.loads(pickle.dumps(nlp.get_pipe("ucca_parser").teacher))
    assert again.paths == [str(path)] and again.weight == 0.5
    texts = ["a b c.", "d e."]
    assert len(list(nlp.pipe(texts, n_process=2))) == 2


def test_one_of_another_vocabulary_and_the_cache(graphs: list[Graph], path) -> None:
    teacher = Teacher([path])
    nlp = pupil(graphs, None, 0.5)
    assert nlp.get_pipe("ucca_parser").teacher is None
    nlp.get_pipe("ucca_parser").teacher = teacher
    nlp.initialize(lambda: make_examples(nlp.vocab, graphs))
    overfit(nlp, graphs, steps=2)
    assert len(teacher._vectors) == len({tuple(graph.words) for graph in graphs})
    kept = {key: own[0] for key, own in teacher._vectors.items()}
    overfit(nlp, graphs, steps=1)
    assert all(teacher._vectors[key][0] is own for key, own in kept.items())


def test_mistakes_are_named(tree: Language, graphs: list[Graph], path, tmp_path) -> None:
    spacy.blank("en").to_disk(tmp_path / "blank")
    nlp = make_nlp(graphs[:1])
    for paths, message in ((tmp_path / "none", "none"), (tmp_path / "blank", "cannot teach")):
        with pytest.raises(UccaError, match=message):
            create_set_teacher(paths)(nlp)
    with pytest.raises(UccaError, match="from 0"):
        create_set_teacher(path, 1.5)(nlp)
    with pytest.raises(UccaError, match="no use for a teacher"):
        blank = spacy.blank("en")
        blank.add_pipe("sentencizer")
        create_set_teacher(path, component="sentencizer")(blank)
    create_set_teacher(path)(nlp)  # it keeps the labels that it has
    with pytest.raises(ValueError, match="other labels than its teacher"):
        overfit(nlp, graphs[:1], steps=1)


def test_the_system_must_be_the_same(graphs: list[Graph], path) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("ucca_parser", config=tiny_config("tupa"))
    create_set_teacher(path)(nlp)
    with pytest.raises(ValueError, match="another transition system"):
        nlp.initialize(lambda: make_examples(nlp.vocab, graphs))
    with pytest.raises(ValueError, match="direction"):
        pupil(graphs, path, 0.5, **tiny_config(backward=True))
    nlp = spacy.blank("en")
    nlp.add_pipe("ucca_parser", config=tiny_config())
    create_set_teacher(path)(nlp)
    few = make_nlp(graphs[:1]).get_pipe("ucca_parser").label_data
    with pytest.raises(ValueError, match="other labels"):
        nlp.get_pipe("ucca_parser").initialize(
            lambda: make_examples(nlp.vocab, graphs), nlp=nlp, labels=few
        )
