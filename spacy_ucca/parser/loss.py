"""What a batch of examples teaches, and the loss.

Lessons of one sentence are made in `gold.py`, those of the model's own states in `exploration.py`; here they
are put together, and kept from epoch to epoch.
"""

import warnings
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Generic, NamedTuple, TypeVar

import numpy
from spacy.attrs import ORTH
from spacy.training import Example
from thinc.types import Floats2d

from ..errors import (
    Errors,
    OracleError,
    UccaError,
    Warnings,
)
from ..features.state_rows import Syntax, stack_rows
from ..graph import Graph
from ..layers.template_scorer import TemplateStep
from ..tokens.sentences import read_syntax
from .examples import Lesson, teach
from .exploration import Taught
from .labels import Inventory

MAX_LESSONS = 50_000  # sentences whose lessons are kept between epochs

Key = TypeVar("Key", bound=Hashable)
What = TypeVar("What")


class GoldSentence(NamedTuple):
    """A gold sentence of a batch.

    example (Example): Where it is from.
    graph (Graph): Its graph.
    attached (List[int]): Its tokens that are attached to something, counted from its first one.
    tokens (ndarray[int32]): The same tokens in the Doc.
    places (ndarray[int32]): The same tokens in the batch.
    """

    example: Example
    graph: Graph
    attached: list[int]
    tokens: numpy.ndarray
    places: numpy.ndarray


class LessonStore(Generic[Key, What]):
    """Lessons of sentences, made when first asked for. It is large: workers of `nlp.pipe(n_process=2)` and copies begin
    with an empty one.

    name (str): The name of the component, for messages.
    """

    refused: type[UccaError] = OracleError  # what says that a sentence cannot be learned

    def __init__(self, name: str) -> None:
        self.name = name
        self._kept: dict[Key, What | None] = {}
        self._warned: set[str] = set()

    def __reduce__(self) -> tuple:
        return type(self), (self.name,)

    def __len__(self) -> int:
        return len(self._kept)

    def clear(self) -> None:
        """Forget all lessons, as labels have changed."""
        self._kept.clear()

    def recall(self, key: Key, make: Callable[[], What]) -> What | None:
        """Get the lesson of a sentence.

        key (Hashable): What it depends on.
        make (Callable[[], Any]): Makes it; raises `refused`, if the sentence cannot be learned.
        RETURNS (Optional[Any]): The lesson; None, if there is none: the reason is warned of once.
        """
        if key not in self._kept:
            lesson = None
            try:
                lesson = make()
            except self.refused as err:
                message = Warnings.UW302.format(name=self.name, reason=err)
                if message not in self._warned:
                    self._warned.add(message)
                    warnings.warn(message, stacklevel=2)
            if len(self._kept) >= MAX_LESSONS:
                self._kept.pop(next(iter(self._kept)))
            self._kept[key] = lesson
        return self._kept[key]

    def sentences(self, examples: Iterable[Example]) -> Iterator[GoldSentence]:
        """The gold sentences of a batch.

        examples (Iterable[Example]): The batch.
        YIELDS (GoldSentence): Those in which something is attached.
        RAISES (ValueError): If a predicted Doc has other tokens than its reference.
        """
        offset = 0
        for eg in examples:
            for start, graph in gold_sentences(eg, self.name):
                attached = [i for i in range(len(graph.words)) if graph.unit_of(i) is not None]
                if attached:
                    tokens = numpy.array(attached, dtype="int32") + start
                    yield GoldSentence(eg, graph, attached, tokens, tokens + offset)
            offset += len(eg.predicted)


class LessonBook(LessonStore[tuple[Graph, bytes], tuple[Graph, dict[str, Lesson]]]):
    """The lessons of `ucca_parser`: by sentence and dependency tree, what of the graph is learned, and its lessons by
    scorer."""

    def find(
        self, inventory: Inventory, examples: Iterable[Example]
    ) -> list[tuple[Taught, dict[str, Lesson]]]:
        """The gold sentences of a batch and their lessons, those left out that cannot be built.

        inventory (Inventory): Labels, system and columns.
        examples (Iterable[Example]): The batch.
        RETURNS (List[Tuple[Taught, Dict[str, Lesson]]]): Each sentence, and its lessons by scorer.
        RAISES (ValueError): If a predicted Doc has other tokens than its reference.
        """
        found = []
        for gold in self.sentences(examples):
            syntax = read_syntax(gold.example.predicted, gold.tokens, inventory.dep_ids)
            key = gold.graph, numpy.array([syntax.heads, syntax.deps]).tobytes()
            lesson = self.recall(key, partial(_teach, inventory, gold, syntax))
            if lesson is not None:
                found.append((Taught(lesson[0], syntax, gold.places), lesson[1]))
        return found


def _teach(
    inventory: Inventory, gold: GoldSentence, syntax: Syntax
) -> tuple[Graph, dict[str, Lesson]]:
    graph = gold.graph.only(gold.attached)
    return graph, teach(inventory, graph, syntax)


def gold_sentences(eg: Example, name: str) -> list[tuple[int, Graph]]:
    """The gold graph of an example, sentence by sentence.

    eg (Example): The example.
    name (str): The name of the component, for messages.
    RETURNS (List[Tuple[int, Graph]]): The first token of each sentence, and its graph; nothing without a graph.
    RAISES (ValueError): If the predicted Doc has other tokens than its reference.
    """
    graph = eg.reference._.ucca
    if graph is None:
        return []
    if not numpy.array_equal(eg.predicted.to_array(ORTH), eg.reference.to_array(ORTH)):
        raise ValueError(Errors.UC311.format(name=name, text=eg.reference.text[:60]))
    return [(0, graph)] if len(graph.roots) == 1 else graph.sentences()


def stack(found: Sequence[tuple[Taught, dict[str, Lesson]]]) -> dict[str, Lesson]:
    """Put the lessons of a batch together.

    found (Sequence[Tuple[Taught, Dict[str, Lesson]]]): From `LessonBook.find`.
    RETURNS (Dict[str, Lesson]): By scorer, the rows of all sentences; none if there are no sentences.
    """
    stacked = {}
    places = [taught.places for taught, _ in found]
    for name in found[0][1] if found else ():
        parts = [lessons[name] for _, lessons in found]
        rows = stack_rows([part.rows for part in parts], places)
        if not len(rows.tokens):
            continue
        masks = [part.mask for part in parts if part.mask is not None]
        stacked[name] = Lesson(
            rows,
            numpy.concatenate([part.classes for part in parts]),
            numpy.concatenate(masks) if masks else None,
        )
    return stacked


def learn(ops: Any, steps: dict[str, Any], lessons: dict[str, Lesson]) -> float:
    """Have the scorers of a batch learn: a perceptron by its own rule, others by the gradient of the cross
    entropy, which the optimizer will follow.

    ops (Ops): The ops of the model.
    steps (Dict[str, Any]): The scorers.
    lessons (Dict[str, Lesson]): By scorer, what is right.
    RETURNS (float): The loss.
    """
    actions = steps["actions"]
    if isinstance(actions, TemplateStep):
        lesson = lessons["actions"]
        assert lesson.mask is not None
        return actions.learn(lesson.rows, lesson.classes, lesson.mask)
    scores, backprops = {}, {}
    for name, lesson in lessons.items():
        scores[name], backprops[name] = steps[name].begin_update(lesson.rows)
    loss, d_scores = cross_entropy(ops, lessons, scores)
    for name, gradient in d_scores.items():
        backprops[name](gradient)
    return loss


def cross_entropy(
    ops: Any, lessons: dict[str, Lesson], scores: dict[str, Floats2d]
) -> tuple[float, dict[str, Floats2d]]:
    """The loss of a batch. Where several classes are right, their probabilities together are to be 1.

    ops (Ops): The ops of the model.
    lessons (Dict[str, Lesson]): By scorer, what is right.
    scores (Dict[str, Floats2d]): By scorer, the scores of the rows of its lesson.
    RETURNS (Tuple[float, Dict[str, Floats2d]]): The loss and the gradient of the scores.
    """
    loss, gradients = 0.0, {}
    # One scale for all scorers: what a state, a pair and a unit teach counts the same.
    n_states = max(len(lessons["actions"].classes), 1) if lessons else 1
    xp = ops.xp
    for name, lesson in lessons.items():
        logits: Any = scores[name]
        if lesson.mask is not None:
            logits = xp.where(ops.asarray(lesson.mask), logits, -1e9)
        logits = logits - logits.max(axis=1, keepdims=True)
        probabilities = xp.exp(logits)
        probabilities /= probabilities.sum(axis=1, keepdims=True)
        d_scores = probabilities.copy()
        if lesson.targets is not None:
            right = probabilities * ops.asarray(lesson.targets)
            total = right.sum(axis=1, keepdims=True) + 1e-12
            loss -= float(xp.log(total).sum())
            d_scores -= right / total
        else:
            index = xp.arange(len(lesson.classes)), ops.asarray(lesson.classes)
            loss -= float(xp.log(probabilities[index] + 1e-12).sum())
            d_scores[index] -= 1.0
        gradients[name] = (d_scores / n_states).astype("float32")
    return loss / n_states, gradients
