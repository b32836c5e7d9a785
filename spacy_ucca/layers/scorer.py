"""What a parser asks of a scorer of rows."""

from collections.abc import Callable, Mapping
from typing import Any

from spacy.tokens import Doc
from thinc.api import Model

from ..native.columns import LABEL_BITS
from .rows import Rows, Targets


class ScorerStep:
    """The interface of a scorer that has seen the tokens of a batch, and scores any number of rows."""

    def predict(self, rows: Rows) -> Any:
        """RETURNS (Floats2d): (n_rows, nO) scores, before softmax."""
        raise NotImplementedError

    def learn(self, right: Targets, n: int) -> float:
        """Learn from rows; gradients of weights are kept.

        right (Targets): What is right.
        n (int): The number that losses and gradients are divided by.
        RETURNS (float): The loss.
        """
        raise NotImplementedError

    def finish(self, _: Any = None) -> Any:
        """RETURNS (Floats2d): (n_tokens, nI) the gradient of the token vectors, when all rows are done."""
        raise NotImplementedError

    def weights_of_sum(self) -> tuple[Any, ...] | None:
        """RETURNS (Optional[Tuple[ndarray, ...]]): What compiled search reads: see `SlotStep`. None if scores are made in other
        ways."""
        return None


class ScorerKind:
    """What a parser asks of a kind of scorers: its inputs, its sizes, and how it grows. The architecture puts it into
    `attrs["kind"]` of a scorer; it is saved with no model.

    build (Callable[[Model], Model]): Makes a scorer of the widths of another one, without sizes and weights.
    """

    def __init__(self, build: Callable[[Model], Model]) -> None:
        self.build = build

    def inputs(self, docs: list[Doc], vectors: Any) -> Any:
        """RETURNS (Any): What the scorer gets of a batch, whose token vectors are those."""
        return vectors

    def sizes(self, schema: Any, n_outputs: int) -> dict[str, int]:
        """RETURNS (Dict[str, int]): The dimensions of a scorer for rows of a schema and a number of classes."""
        n_bits = len(schema.bits) * LABEL_BITS
        return {"nO": n_outputs, "nF": len(schema.tokens), "nV": schema.n_values, "nB": n_bits}

    def set_sizes(self, scorer: Model, schema: Any, n_outputs: int) -> None:
        """Set the dimensions of a new scorer."""
        for dim, size in self.sizes(schema, n_outputs).items():
            scorer.set_dim(dim, size)

    def grow(
        self, scorer: Model, schema: Any, n_outputs: int, places: Mapping[str, Mapping[int, int]]
    ) -> Model:
        """Make a scorer for more rows and classes, which gives the scores of before.

        scorer (Model): A scorer with weights.
        schema (Schema): The new columns.
        n_outputs (int): The new number of classes.
        places (Mapping[str, Mapping[int, int]]): The new number of each of the values of categories, of the "classes" and of the
            "actions".
        RETURNS (Model): The scorer. Gradients and moments of the old sizes are dropped.
        """
        larger = self.build(scorer)
        larger.ops = scorer.ops
        larger.attrs.update(scorer.attrs)
        larger.set_dim("nI", scorer.get_dim("nI"))
        self.set_sizes(larger, schema, n_outputs)
        larger.initialize()
        for name in scorer.param_names:
            old: Any = scorer.get_param(name)
            grown: Any = larger.get_param(name)
            moved = self.rows_of(name, places)
            for row in range(old.shape[0]):
                grown[moved.get(row, row)] = old[row]
            larger.set_param(name, grown)
        return larger

    def rows_of(self, param: str, places: Mapping[str, Mapping[int, int]]) -> Mapping[int, int]:
        """RETURNS (Mapping[int, int]): The new rows of a parameter; others stay where they are."""
        return places.get({"V": "values", "O": "classes"}.get(param, ""), {})
