"""Paired bootstrap: how far a score, and the difference of two, may vary by the choice of sentences.

Koehn (2004), Statistical significance tests for machine translation evaluation. Samples, seed and interval are those of sacreBLEU.
The p-value is that of Riezler and Maxwell (2005), of both sides: how often the difference of a sample is as far from the real
one as that is from none. A tie counts, so that a system is no better than itself.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

SAMPLES = 1000
SEED = 12345
MAX_DRAWN = 5_000_000  # sentences drawn at a time, to save memory
TIE = 1e-12


class Interval(NamedTuple):
    """Where 95 % of samples lie.

    low, high (float): The bounds.
    """

    low: float
    high: float

    def in_percent(self) -> str:
        """RETURNS (str): The bounds in percent."""
        return f"{100 * self.low:.1f} to {100 * self.high:.1f}"


class Resampled:
    """Scores of systems on samples of the sentences, drawn with replacement, the same for all systems.

    n (int): The number of sentences.
    samples (int): The number of samples.
    seed (int): The seed.
    """

    def __init__(self, n: int, samples: int = SAMPLES, seed: int = SEED) -> None:
        self.n, self.samples, self.seed = n, samples, seed

    def _drawn(self) -> Iterator[np.ndarray]:
        """YIELDS (ndarray): How often each sentence is drawn: samples, sentences."""
        rng = np.random.default_rng(self.seed)
        size = max(1, MAX_DRAWN // max(1, self.n))
        for start in range(0, self.samples, size):
            rows = min(size, self.samples - start)
            drawn = rng.choice(self.n, size=(rows, self.n), replace=True)
            yield np.stack([np.bincount(row, minlength=self.n) for row in drawn]).astype("f8")

    def sums(self, values: np.ndarray) -> np.ndarray:
        """Add up the values of the sentences of each sample.

        values (ndarray): Sentences, columns.
        RETURNS (ndarray): Samples, columns.
        """
        none = np.empty((0, values.shape[1]))
        return np.concatenate([none, *(weights @ values for weights in self._drawn())])


def f1_of(counts: np.ndarray) -> np.ndarray:
    """RETURNS (ndarray): F1 of matches, predicted and gold items, which are the last axis; NaN where there are none."""
    both = counts[..., 1] + counts[..., 2]
    return np.divide(2 * counts[..., 0], both, out=np.full(both.shape, np.nan), where=both > 0)


def interval(scores: np.ndarray) -> Interval | None:
    """RETURNS (Optional[Interval]): Where 95 % of the scores of samples lie; None, if no sample has one."""
    known = np.sort(scores[~np.isnan(scores)])
    outside = len(known) // 40
    return Interval(float(known[outside]), float(known[-1 - outside])) if len(known) else None


def p_value(differences: np.ndarray, real: float) -> float:
    """How probable it is that two systems as good as each other differ as much as these do.

    differences (ndarray): Of the scores of each sample.
    real (float): That of the scores on all sentences.
    RETURNS (float): The probability.
    """
    known = differences[~np.isnan(differences)]
    far = np.abs(known - real) >= abs(real) - TIE
    return float((far.sum() + 1) / (len(known) + 1))
