"""The guidelines that the sentences of a batch follow, and what may be predicted under each."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy
from spacy.tokens import Doc
from spacy.training import Example

from ..errors import Errors, UccaError
from ..graph.categories import split_label
from ..tokens.extension import get_guidelines, set_guidelines
from ..tokens.sentences import Sentence
from ..transition import TransitionSystem
from .settings import DEFAULT_GUIDELINES


class Allowed:
    """What may be predicted for the sentences of a batch: actions, or classes of another scorer.

    table (ndarray[bool]): (n_guidelines + 1, n) what is allowed under each guidelines.
    rows (ndarray[int]): (n_sentences,) the guidelines of each sentence: a row of the table.
    """

    def __init__(self, table: numpy.ndarray, rows: numpy.ndarray) -> None:
        self.table = table
        self.rows = rows
        used = numpy.unique(rows)
        self.is_everything = bool(table[used].all())
        # Mostly a batch follows one set of guidelines: columns are faster than single cells.
        self._columns = numpy.nonzero(~table[used[0]])[0] if len(used) == 1 else None

    def restrict(self, mask: numpy.ndarray, sentences: Any) -> numpy.ndarray:
        """Restrict what is valid to what is allowed.

        mask (ndarray[bool]): (n_rows, n) what is valid.
        sentences (Sequence[int]): (n_rows,) the sentence of each row.
        RETURNS (ndarray[bool]): The mask. Rows where nothing valid is allowed stay as they are.
        """
        if self.is_everything:
            return mask
        restricted = mask & self.table[self.rows[sentences]]
        stuck = ~restricted.any(axis=1)
        restricted[stuck] = mask[stuck]
        return restricted

    def restrict_scores(self, scores: numpy.ndarray, sentences: Any) -> numpy.ndarray:
        """Make what is not allowed impossible.

        scores (ndarray[float32]): (n_rows, n) scores before softmax; changed in place.
        sentences (Sequence[int]): (n_rows,) the sentence of each row.
        RETURNS (ndarray[float32]): The scores, -inf where something is not allowed.
        """
        if not self.is_everything:
            if self._columns is not None:
                scores[:, self._columns] = -numpy.inf
            else:
                scores[~self.table[self.rows[sentences]]] = -numpy.inf
        return scores


# Nothing is forbidden, whatever the guidelines.
EVERYTHING = Allowed(numpy.ones((1, 1), dtype="bool"), numpy.zeros(0, dtype="int64"))


class LabelsByGuidelines:
    """What may be predicted under each guidelines: no labels that their training data does not have. Tables have a row for
    each guidelines; row 0, of unknown ones, allows all.

    guidelines (Mapping[str, Sequence[str]]): The joined labels of edges by name; none stands for all.
    labels (Iterable[str]): The labels of all guidelines.
    system (TransitionSystem): The transition system, which numbers labels and actions.
    remote_ids (Sequence[int]): The label of each class of remote edges.
    bags (Sequence[Sequence[int]]): The labels of each class of implicit children.
    """

    def __init__(
        self,
        guidelines: Mapping[str, Sequence[str]],
        labels: Iterable[str],
        system: TransitionSystem,
        remote_ids: Sequence[int],
        bags: Sequence[Sequence[int]],
    ) -> None:
        self.ids = {name: i for i, name in enumerate(guidelines, start=1)}
        self.categories = {
            name: frozenset(category for label in own for category in split_label(label))
            for name, own in guidelines.items()
            if own
        }
        names = system.label_names  # with those that the system itself needs
        self.labels = numpy.ones((len(guidelines) + 1, len(names)), dtype="bool")
        for name, own in guidelines.items():
            if own:
                foreign = set(labels).difference(own)
                self.labels[self.ids[name]] = [label not in foreign for label in names]
        self.actions = self.labels[:, system.action_labels]
        self.remotes = self.labels[:, remote_ids]
        self.implicit = numpy.stack([self.labels[:, bag].all(axis=1) for bag in bags], axis=1)


def guidelines_of(
    sentences: Iterable[Sentence], numbers: Mapping[str, int], default: str
) -> numpy.ndarray:
    """Find the guidelines of sentences.

    sentences (Iterable[Sentence]): The sentences.
    numbers (Mapping[str, int]): The number of each guidelines, from 1.
    default (str): The guidelines of Docs that name none.
    RETURNS (ndarray[int]): (n_sentences,) their numbers; 0 for unknown ones.
    """
    names = (get_guidelines(sentence.doc) or default for sentence in sentences)
    return numpy.array([numbers.get(name, 0) for name in names], dtype="int64")


def choose_guidelines(name: str, known: Sequence[str], component: str) -> str:
    """Choose the guidelines of Docs that name none, for a parser that has learned.

    name (str): The setting of the parser.
    known (Sequence[str]): The guidelines that it has learned.
    component (str): The name of the parser, for messages.
    RETURNS (str): The only guidelines that are known, if nobody set others; otherwise the setting.
    RAISES (UccaError): If it is not known.
    """
    if len(known) == 1 and name == DEFAULT_GUIDELINES:
        return known[0]
    require_known([name], known, component)
    return name


def require_known(names: Iterable[str], known: Sequence[str], component: str) -> None:
    """Check names of guidelines.

    names (Iterable[str]): The names.
    known (Sequence[str]): The guidelines that a parser has learned; with none, all names are right.
    component (str): The name of the parser, for messages.
    RAISES (UccaError): If a name is not known.
    """
    for name in names:
        if known and name not in known:
            raise UccaError(
                Errors.UC330.format(name=component, guidelines=name, known=", ".join(known))
            )


def follow_references(examples: Iterable[Example]) -> None:
    """Let predicted Docs follow the guidelines of their references, where they name none: spaCy's corpus reader copies the
    tokens alone.

    examples (Iterable[Example]): The examples; their predicted Docs are changed.
    """
    for eg in examples:
        if not get_guidelines(eg.predicted):
            set_guidelines(eg.predicted, get_guidelines(eg.reference))


def names_of(docs: Iterable[Doc]) -> set[str]:
    """RETURNS (Set[str]): The guidelines that Docs name."""
    return {get_guidelines(doc) for doc in docs} - {""}
