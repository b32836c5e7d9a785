"""PairScorer: scores pairs of units for each label by a biaffine form (Dozat and Manning, 2017, section 2.2).

Units become vectors by a SlotScorer each for both sides of a pair; what is known of the pair alone, such as the path
between its units, adds to the scores.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from thinc.api import Model, uniform_init
from thinc.types import Floats2d

from ..native.columns import LABEL_BITS
from .rows import Part
from .slot_scorer import ScorerKind, SlotScorer, forward_step

# What an untrained model believes: the logarithm of the odds against a remote edge.
PRIOR = 3.0
Pair = tuple[Any, Any, Any]  # vectors, which vector each pair has, how to learn


def PairScorer(width: int) -> Model[Floats2d, "PairStep"]:
    """Scores pairs of units against token vectors. Class 0 is "no edge".

    width (int): Width of the vectors of units.
    RETURNS (Model[Floats2d, PairStep]): Maps token vectors (n_tokens, nI) to a PairStep.
    """
    parents, children = SlotScorer(width), SlotScorer(width)
    return Model(
        "pair_scorer",
        partial(forward_step, PairStep),
        init=_init,
        layers=[parents, children],
        refs={"parents": parents, "children": children},
        dims={"nO": None, "nI": None, "nH": width, "nV": None},
        params={"U": None, "V": None},
        attrs={"kind": PairKind(_new_like, ("nO", "nV"))},
    )


def _new_like(scorer: Model) -> Model:
    return PairScorer(scorer.get_dim("nH"))


class PairKind(ScorerKind):
    """A PairScorer has a scorer for the units and one for the children, whose columns begin with these names."""

    def set_sizes(self, scorer: Model, schema: Any, n_outputs: int) -> None:
        super().set_sizes(scorer, schema, n_outputs)
        for ref, start in (("parents", "unit "), ("children", "child ")):
            side = scorer.get_ref(ref)
            side.set_dim("nF", sum(name.startswith(start) for name in schema.tokens))
            side.set_dim("nV", schema.n_values)
            side.set_dim("nB", LABEL_BITS * sum(name.startswith(start) for name in schema.bits))


def _init(model: Model, X: Any = None, Y: Any = None) -> None:
    ops: Any = model.ops
    nO, nH = model.get_dim("nO"), model.get_dim("nH")
    for layer in model.layers:
        layer.set_dim("nI", model.get_dim("nI"), force=True)
        layer.set_dim("nO", nH)
        layer.initialize()
    form: Any = uniform_init(ops, (nO, nH + 1, nH + 1), lo=-(nH**-0.5), hi=nH**-0.5)
    form[:, -1, -1] = 0.0
    form[0, -1, -1] = PRIOR
    model.set_param("U", form)
    model.set_param("V", uniform_init(ops, (model.get_dim("nV"), nO), lo=-0.05, hi=0.05))


class PairStep:
    """A PairScorer that has seen the token vectors of a batch. Its rows come in three parts: those of parents, of
    children, and of pairs.

    model (Model): The PairScorer.
    X (Floats2d): (n_tokens, nI) token vectors.
    is_train (bool): Whether dropout is wanted.
    """

    def __init__(self, model: Model, X: Floats2d, is_train: bool) -> None:
        self.model: Any = model
        self.ops: Any = model.ops
        self.sides = [model.get_ref(name)(X, is_train) for name in ("parents", "children")]

    def predict_parts(self, parts: Sequence[Part]) -> Floats2d:
        """RETURNS (Floats2d): (n_pairs, nO) scores, before softmax."""
        vectors = [step.predict(part.rows) for (step, _), part in zip(self.sides, parts)]
        return self._score(parts, vectors)[0]

    def begin_update(self, parts: Sequence[Part]) -> tuple[Floats2d, Callable[[Floats2d], None]]:
        """Score pairs and keep what backpropagation needs.

        parts (Sequence[Part]): The rows.
        RETURNS (Tuple[Floats2d, Callable]): The scores (n_pairs, nO), and a function that takes their gradient.
        """
        outputs = [step.begin_update(part.rows) for (step, _), part in zip(self.sides, parts)]
        scores, backprop = self._score(parts, [vectors for vectors, _ in outputs])

        def backprop_all(d_scores: Floats2d) -> None:
            for (_, learn), d_vectors in zip(outputs, backprop(d_scores)):
                learn(d_vectors)

        return scores, backprop_all

    def _score(
        self, parts: Sequence[Part], vectors: Sequence[Any]
    ) -> tuple[Floats2d, Callable[[Floats2d], tuple[Any, Any]]]:
        ops, xp, model = self.ops, self.ops.xp, self.model
        form, table = model.get_param("U"), model.get_param("V")
        n_labels, size = form.shape[0], form.shape[1]
        take = [ops.asarray(part.take) for part in parts[:2]]
        parents, children = (
            xp.concatenate([v, ops.alloc2f(len(v), 1) + 1.0], axis=1)[rows]
            for v, rows in zip(vectors, take)
        )
        # (n, nO, nH + 1): what each label makes of the parent
        mapped = (parents @ form.transpose(1, 0, 2).reshape((size, -1))).reshape(
            (-1, n_labels, size)
        )
        scores = xp.matmul(mapped, children[:, :, None])[:, :, 0]
        categories = ops.asarray(parts[2].rows.categories, dtype="int32")
        if len(categories):
            scores += ops.gather_add(table, categories)

        def backprop(gradient: Floats2d) -> tuple[Any, Any]:
            d_scores: Any = ops.as_contig(gradient)
            outer = d_scores[:, :, None] * children[:, None, :]
            flat = outer.reshape((len(outer), -1))
            d_form = (parents.T @ flat).reshape((size, n_labels, size))
            model.inc_grad("U", ops.as_contig(d_form.transpose(1, 0, 2)))
            d_children = xp.matmul(d_scores[:, None, :], mapped)[:, 0]
            d_parents = flat @ form.transpose(0, 2, 1).reshape((-1, size))
            d_table = ops.alloc2f(*table.shape)
            for column in range(categories.shape[1]):
                ops.scatter_add(d_table, ops.as_contig(categories[:, column]), d_scores)
            model.inc_grad("V", d_table)
            gradients = []
            for d_pairs, rows, side in zip((d_parents, d_children), take, vectors):
                d_side = ops.alloc2f(*side.shape)
                ops.scatter_add(d_side, rows.astype("int32"), ops.as_contig(d_pairs[:, :-1]))
                gradients.append(d_side)
            return gradients[0], gradients[1]

        return scores, backprop

    def finish(self, _: Any = None) -> Floats2d:
        """RETURNS (Floats2d): (n_tokens, nI) the gradient of the token vectors."""
        return sum(finish() for _, finish in self.sides)
