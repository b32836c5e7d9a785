"""Trained parsers that tell another one, in training, how likely they hold each choice.

Graphs that they label texts with (`ensemble.py`) say what they chose; this says what else they thought of, in gold states
and in those that the learner itself gets into (Hinton, Vinyals and Dean, 2015; in the states of a parser, Kuncoro et al.,
2016). How beliefs become a loss is `lessons.py`'s.
"""

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy
from spacy.attrs import DEP, HEAD, ORTH, SENT_START, TAG
from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import registry
from thinc.api import Model

from .component import UccaParser
from .confidence import log_softmax
from .corpus import bare_copy
from .ensemble import Ensemble, ensemble_of, mean_scorers
from .errors import Errors, UccaError
from .extensions import get_guidelines
from .lessons import MAX_LESSONS, Lesson
from .model import same_kind, scorer_names
from .pipelines import load_pipeline, run_upstream, trained_parsers
from .search import to_numpy

__all__ = ["Teacher", "create_set_teacher"]

READ = [ORTH, TAG, DEP, HEAD, SENT_START]  # what parsers read of a Doc, beside its guidelines
WEIGHT = 0.7

Paths = str | Path | list[str] | list[Path]


@registry.callbacks("spacy-ucca.set_teacher.v1")
def create_set_teacher(
    paths: Paths | None, weight: float = WEIGHT, component: str = "ucca_parser"
) -> Callable[[Language], Language]:
    """Give a `ucca_parser` a teacher, before it is initialized or trained further: for `[initialize.before_init]`.

    paths (Optional[Union[str, Path, List]]): A trained pipeline with `ucca_parser`, or several of the same labels, whose
        mean is the teacher. If one has several parsers, it is the one that reads in the learner's direction. None: nobody
        teaches.
    weight (float): How much the teacher counts, from 0 to 1; the rest is what the annotation says.
    component (str): The name of the component that learns.
    RETURNS (Callable[[Language], Language]): The callback.
    """

    def set_teacher(nlp: Language) -> Language:
        if paths:
            parser: Any = nlp.get_pipe(component)
            if not isinstance(parser, UccaParser):
                raise UccaError(Errors.UC336.format(name=component))
            all_paths = [paths] if isinstance(paths, str | Path) else paths
            teacher = Teacher(all_paths, weight, backward=parser.model.attrs["backward"])
            _ = teacher.ensemble  # loaded now, to say at once what is wrong with it
            parser.teacher = teacher
        return nlp

    return set_teacher


class Teacher:
    """What trained parsers believe of actions, remote edges and implicit units. They are loaded when they are first asked,
    and their token vectors are kept for as many sentences as lessons are: a transformer is waited for in the first epoch.

    paths (Sequence[Union[str, Path]]): Pipelines with `ucca_parser`: names of installed ones, or directories.
    weight (float): How much their beliefs count, from 0 to 1.
    backward (bool): In which direction the parser reads that counts, where a pipeline has several.
    RAISES (UccaError): If there is no such weight.
    """

    def __init__(
        self, paths: Sequence[str | Path], weight: float = WEIGHT, *, backward: bool = False
    ) -> None:
        if not 0 <= weight <= 1:
            raise UccaError(Errors.UC335.format(weight=weight))
        self.paths = [str(path) for path in paths]
        self.weight = weight
        self.backward = backward
        self._vectors: dict[tuple[bytes, str], list[numpy.ndarray]] = {}

    def __reduce__(self) -> tuple:
        return partial(type(self), backward=self.backward), (self.paths, self.weight)

    @cached_property
    def ensemble(self) -> Ensemble:
        """RETURNS (Ensemble): The parsers, loaded when first asked for.
        RAISES (UccaError): If one cannot be loaded or is of another kind, or they differ in labels."""
        pipelines = [(path, load_pipeline(path)) for path in self.paths]
        for path, nlp in pipelines:
            parser = next(iter(trained_parsers(nlp)), None)
            if not isinstance(parser, UccaParser) or parser.model.attrs["rows"] != "slots":
                raise UccaError(Errors.UC337.format(path=path))
        return ensemble_of(pipelines, backward=self.backward)

    @property
    def label_data(self) -> dict[str, Any]:
        """RETURNS (Dict[str, Any]): The labels, which whoever learns from it has too."""
        return self.ensemble.parsers[0].label_data

    def fits(self, model: Model, label_data: dict[str, Any] | None) -> bool:
        """Say whether a parser can learn from this one.

        model (Model): Its model, which needs the same transition system, direction and rows of the same kind.
        label_data (Optional[Dict[str, Any]]): Its labels, which need to be the same; None, if it will take any.
        RETURNS (bool): Whether it can.
        """
        own = self.ensemble.parsers[0].model
        return same_kind(model, own) and label_data in (None, self.label_data)

    def prepare(self, model: Model) -> None:
        """Let a new model begin with the teacher's scorers, where they are of the same size: what comes before them is
        learned sooner then.

        model (Model): An initialized model, of the same labels.
        """
        own = self.ensemble.parsers[0].model
        for name in scorer_names(model):
            theirs: Any = own.get_ref(name)
            learner: Any = model.get_ref(name)
            params = {key: theirs.get_param(key) for key in theirs.param_names}
            if params.keys() == set(learner.param_names) and all(
                value.shape == learner.get_param(key).shape for key, value in params.items()
            ):
                for key, value in params.items():
                    learner.set_param(key, learner.ops.asarray(value, dtype=value.dtype).copy())

    def advise(self, docs: Sequence[Doc], lessons: dict[str, Lesson]) -> dict[str, Lesson]:
        """Add to lessons what the teacher believes.

        docs (Sequence[Doc]): The batch.
        lessons (Dict[str, Lesson]): By scorer, rows over the tokens of the batch.
        RETURNS (Dict[str, Lesson]): The same, with beliefs.
        """
        steps = self._steps(docs)
        advised = {}
        for name, lesson in lessons.items():
            scores = to_numpy(steps[name].predict(lesson.rows))
            if lesson.mask is not None:
                scores = numpy.where(lesson.mask, scores, -1e9)
            beliefs = numpy.exp(log_softmax(scores))
            advised[name] = lesson._replace(beliefs=beliefs, trust=self.weight)
        return advised

    def _steps(self, docs: Sequence[Doc]) -> dict[str, Any]:
        """RETURNS (Dict[str, Any]): The mean of the parsers' scorers, over the tokens of the batch."""
        keys = [(doc.to_array(READ).tobytes(), get_guidelines(doc)) for doc in docs]
        found = {key: self._vectors[key] for key in keys if key in self._vectors}
        new = {key: doc for key, doc in zip(keys, docs) if key not in found}
        found.update(zip(new, self._encode(list(new.values()))))
        for key in new:
            if len(self._vectors) >= MAX_LESSONS:
                self._vectors.pop(next(iter(self._vectors)))
            self._vectors[key] = found[key]
        steps = []
        for k, parser in enumerate(self.ensemble.parsers):
            ops: Any = parser.model.ops
            X = ops.asarray(numpy.concatenate([found[key][k] for key in keys]), dtype="float32")
            names = scorer_names(parser.model)
            steps.append({name: parser.model.get_ref(name).predict(X) for name in names})
        return mean_scorers(steps)

    def _encode(self, docs: list[Doc]) -> list[list[numpy.ndarray]]:
        """RETURNS (List[List[ndarray]]): For each Doc, its token vectors by each parser, of half the width in memory."""
        if not docs:
            return []
        each = []
        for parser, components in zip(self.ensemble.parsers, self.ensemble.upstream):
            # What components upstream write (a transformer's output) is not for training data.
            copies = [bare_copy(doc, True, parser.vocab) for doc in docs]
            run_upstream(components, copies)
            vectors = parser.model.get_ref("tok2vec").predict(copies)
            each.append([to_numpy(x).astype("float16") for x in vectors])
        return [list(own) for own in zip(*each)]
