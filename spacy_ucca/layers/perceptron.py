"""The averaged perceptron with MINUPDATE: a table of weights for binary features that are given by ids.

Learning is online: what one row teaches counts for the next. A feature's weights take part in scores once it was
in `min_update` updates; what its first updates taught is kept and counts from then on (Goldberg and Elhadad,
"Learning Sparser Perceptron Models", 2011). Until then it costs some bytes and not a row of weights.
"""

from typing import Any

import numpy
import srsly
from thinc.api import NumpyOps

from ..native.load import kernels

NO_FEATURE = 0  # the id of what is no feature, and its number


class FeatureIndex:
    """Numbers ids from 1 on, many at once: a hash table in two arrays. Ids are hashes already, so that their last
    bits say where they are, or where to begin to look."""

    def __init__(self) -> None:
        self.n = 0
        self.ids = numpy.zeros(1 << 10, dtype="uint64")
        self.numbers = numpy.zeros(1 << 10, dtype="int32")

    def find(self, ids: numpy.ndarray) -> numpy.ndarray:
        """RETURNS (ndarray[int32]): The numbers of ids, in their shape; 0 for those that have none."""
        wanted = ids.ravel()
        last = len(self.ids) - 1
        at = (wanted & numpy.uint64(last)).astype("int64")
        here = self.ids[at]
        found = numpy.where(here == wanted, self.numbers[at], NO_FEATURE)
        todo = numpy.flatnonzero((here != wanted) & (here != NO_FEATURE))
        at = at[todo]
        while len(todo):
            at = (at + 1) & last
            here = self.ids[at]
            hit = here == wanted[todo]
            found[todo[hit]] = self.numbers[at[hit]]
            more = ~hit & (here != NO_FEATURE)
            todo, at = todo[more], at[more]
        return found.reshape(ids.shape)

    def add(self, ids: numpy.ndarray) -> numpy.ndarray:
        """Number new ids.

        ids (ndarray[uint64]): (n,) ids that are all different, not 0 and have no numbers.
        RETURNS (ndarray[int32]): (n,) their numbers.
        """
        self.reserve(len(ids))
        numbers = numpy.arange(self.n + 1, self.n + 1 + len(ids), dtype="int32")
        self.n += len(ids)
        self._place(ids, numbers)
        return numbers

    def reserve(self, n: int) -> None:
        """Make room for more ids, so that half of the table stays free.

        n (int): Their number.
        """
        if 2 * (self.n + n) > len(self.ids):
            taken = self.ids != NO_FEATURE
            old = self.ids[taken], self.numbers[taken]
            size = 1 << (2 * (self.n + n) - 1).bit_length()
            self.ids = numpy.zeros(size, dtype="uint64")
            self.numbers = numpy.zeros(size, dtype="int32")
            self._place(*old)

    def _place(self, ids: numpy.ndarray, numbers: numpy.ndarray) -> None:
        last = len(self.ids) - 1
        at = (ids & numpy.uint64(last)).astype("int64")
        while len(ids):
            first = numpy.zeros(len(ids), dtype="bool")
            first[numpy.unique(at, return_index=True)[1]] = True
            first &= self.ids[at] == NO_FEATURE
            self.ids[at[first]], self.numbers[at[first]] = ids[first], numbers[first]
            ids, numbers, at = ids[~first], numbers[~first], (at[~first] + 1) & last


class AveragedPerceptron:
    """Scores and learns classes of rows of features.

    n_classes (int): The number of classes.
    min_update (int): How many updates a feature is in before its weights count.
    """

    def __init__(self, n_classes: int, min_update: int = 5) -> None:
        self.n_classes, self.min_update = n_classes, min_update
        self.index = FeatureIndex()
        # By the number of a feature: how many updates it was in, the first of these, its row of weights
        self.counts = numpy.zeros(1, dtype="int32")
        self.early = numpy.zeros((1, min_update - 1), dtype="int32")
        self.rows = numpy.zeros(1, dtype="int32")
        # Row 0 is that of all features whose weights do not count.
        self.n_rows = 1
        self.weights = numpy.zeros((1, n_classes), dtype="float32")
        self.delays = numpy.zeros((1, n_classes), dtype="float32")
        # Of each update: after how many rows, rate, the right class, the guessed one
        self.n_updates = 0
        self.updates = numpy.zeros((1, 4))
        self.n_seen = 0
        self._average: numpy.ndarray | None = None

    @property
    def average(self) -> numpy.ndarray:
        """The mean of the weights after each row seen. An update is in all of these but those before it, which is
        what `delays` sum up: no row is touched for the sake of the mean alone.
        RETURNS (ndarray[float32]): (n_rows, n_classes), without what does not count."""
        if self._average is None:
            self._average = self.weights[: self.n_rows]
            if self.n_seen:
                self._average = self._average - self.delays[: self.n_rows] / self.n_seen
        return self._average

    def scores(self, ids: numpy.ndarray) -> numpy.ndarray:
        """Score rows with the averaged weights.

        ids (ndarray[uint64]): (n, n_features): the features of each row, 0 for none.
        RETURNS (ndarray[float32]): (n, n_classes).
        """
        if not ids.size:
            return numpy.zeros((len(ids), self.n_classes), dtype="float32")
        return NumpyOps().gather_add(self.average, self.rows[self.index.find(ids)])

    def learn(
        self, ids: numpy.ndarray, classes: numpy.ndarray, mask: numpy.ndarray, rate: float = 1.0
    ) -> int:
        """Learn from rows, one after the other: where the best class is not the right one, the features' weights
        for the right one grow by the rate, and those for the other one shrink.

        ids (ndarray[uint64]): (n, n_features): the features of each row, different ones, 0 for none.
        classes (ndarray[int]): (n,) the right class of each.
        mask (ndarray[bool]): (n, n_classes) the classes to choose from.
        rate (float): The learning rate.
        RETURNS (int): The number of wrong ones.
        """
        # Room for the most that can come of it: each row wrong, each feature new, or at the update that lets it count
        n, most = len(ids), ids.size
        index = self.index
        index.reserve(most)
        size = index.n + 1 + most
        self.counts, self.early = _grown(self.counts, size), _grown(self.early, size)
        self.rows = _grown(self.rows, size)
        self.updates = _grown(self.updates, self.n_updates + n)
        self.weights = _grown(self.weights, self.n_rows + most)
        self.delays = _grown(self.delays, self.n_rows + most)
        sizes = numpy.array([index.n, self.n_rows, self.n_updates, self.n_seen], dtype="int64")
        self._average = None
        wrong: int = kernels.learn_rows(
            ids,
            classes,
            numpy.ascontiguousarray(mask).view("uint8"),
            numpy.float64(rate),  # so that the loop adds in double precision, compiled or not
            index.ids,
            index.numbers,
            self.counts,
            self.early,
            self.rows,
            self.weights,
            self.delays,
            self.updates,
            sizes,
            numpy.zeros(self.n_classes, dtype="float32"),
            numpy.zeros(ids.shape[1], dtype="int64"),
        )
        index.n, self.n_rows, self.n_updates, self.n_seen = sizes.tolist()
        return wrong

    def resize(self, n_classes: int, places: dict[int, int]) -> None:
        """Make room for more classes.

        n_classes (int): Their number from now on.
        places (Dict[int, int]): Where each class so far goes.
        """
        old, new = numpy.array([*places], dtype="int64"), numpy.array([*places.values()])
        for name in ("weights", "delays"):
            before = getattr(self, name)
            after = numpy.zeros((len(before), n_classes), dtype="float32")
            after[:, new] = before[:, old]
            setattr(self, name, after)
        moved = numpy.zeros(self.n_classes)
        moved[old] = new
        self.updates[:, 2:] = moved[self.updates[:, 2:].astype("int64")]
        self.n_classes, self._average = n_classes, None

    def to_bytes(self) -> bytes:
        """RETURNS (bytes): The features that count, with their averaged weights, as far as these are not 0."""
        index = self.index
        taken = numpy.flatnonzero(self.rows[index.numbers])
        taken = taken[numpy.argsort(index.ids[taken])]
        weights = self.average[self.rows[index.numbers[taken]]]
        places = numpy.nonzero(weights)
        return srsly.msgpack_dumps(
            {
                "n_classes": self.n_classes,
                "min_update": self.min_update,
                "ids": index.ids[taken],
                "lengths": numpy.bincount(places[0], minlength=len(taken)).astype("uint16"),
                "classes": places[1].astype("uint16"),
                "weights": weights[places],
            }
        )

    @classmethod
    def from_bytes(cls, data: bytes) -> "AveragedPerceptron":
        """Read a perceptron back. Further training begins with its averaged weights.

        data (bytes): What `to_bytes` gave.
        RETURNS (AveragedPerceptron): The perceptron.
        """
        message: dict[str, Any] = srsly.msgpack_loads(data)
        made = cls(message["n_classes"], message["min_update"])
        numbers = made.index.add(message["ids"])
        made.n_rows = len(numbers) + 1
        made.counts = numpy.full(made.n_rows, made.min_update, dtype="int32")
        made.early = numpy.zeros((made.n_rows, made.min_update - 1), dtype="int32")
        made.rows = numpy.arange(made.n_rows, dtype="int32")
        made.weights = numpy.zeros((made.n_rows, made.n_classes), dtype="float32")
        made.delays = numpy.zeros((made.n_rows, made.n_classes), dtype="float32")
        rows = numpy.repeat(numbers, message["lengths"])
        made.weights[rows, message["classes"]] = message["weights"]
        return made


def _grown(array: numpy.ndarray, size: int) -> numpy.ndarray:
    """RETURNS (ndarray): The array, or twice as many rows of it as are asked for, if it is too small."""
    if len(array) >= size:
        return array
    grown = numpy.zeros((2 * size, *array.shape[1:]), dtype=array.dtype)
    grown[: len(array)] = array
    return grown
