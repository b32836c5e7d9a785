"""`spacy-ucca.LogitEdge.v1`: the edge-factored linear model of `sdp_parser`, with hashed features and a table of weights for
each of the three stages.
"""

from collections.abc import Callable, Iterable
from typing import Any

import numpy
from spacy.tokens import Doc
from thinc.api import Model

from ..errors import check_rates
from .docs import Batch, read_batch
from .features import (
    FEATURES,
    check_features,
    edge_ids,
    singleton_ids,
    to_rows,
    top_ids,
)
from .hashed_linear import HashedLinear
from .scores import Scores
from .tokens import Pairs

SMALL_BITS = 18  # singletons and tops have one weight for a feature, and few features
CHUNK = 100_000  # pairs whose features are made at a time, for the sake of memory


def build_logit_edge(
    features: list[str] | None = None,
    hash_bits: int = 20,
    learn_rate: float = 0.1,
    L2: float = 1e-6,
) -> Model[list[Doc], Scores]:
    """Build linear models over hashed features, trained by AdaGrad. With the loss "likelihood" of `sdp_parser` this is
    LogitEdge; with "margin", the structured SVM.

    The optimizer of the training is not used: AdaGrad has its settings here.

    features (Optional[List[str]]): The classes of edge features; see `FEATURES`. None means all.
    hash_bits (int): The table of edges has 2 ** hash_bits rows of one weight for each label and NOEDGE.
    learn_rate (float): The learning rate of AdaGrad.
    L2 (float): The weight of L2 regularization. The paper takes a step of it for all weights after each epoch; here it is
        part of the gradient of the rows with features in the batch.
    RETURNS (Model[List[Doc], Scores]): The model.
    RAISES (UccaError): If a number is negative or not finite.
    """
    check_rates(learn_rate=learn_rate, L2=L2)
    names = list(FEATURES if features is None else features)
    check_features(names)
    parts = {
        "singletons": HashedLinear(SMALL_BITS, learn_rate, L2, nO=1),
        "tops": HashedLinear(SMALL_BITS, learn_rate, L2, nO=1),
        "edges": HashedLinear(hash_bits, learn_rate, L2),
    }
    return Model(
        "logit_edge",
        _forward,
        init=_init,
        layers=[*parts.values()],
        refs={**parts},
        dims={"nO": None},
        attrs={"features": names, "resize_output": _resize},
    )


def _init(model: Model, X: list[Doc] | None = None, Y: Any = None) -> None:
    model.get_ref("edges").set_dim("nO", model.get_dim("nO"))
    for layer in model.layers:
        layer.initialize()


def _resize(model: Model, n_out: int) -> None:
    edges = model.get_ref("edges")
    shim: Any = edges.shims[0]
    shim.table.resize(n_out)
    edges.set_dim("nO", n_out, force=True)


def _forward(model: Model, docs: list[Doc], is_train: bool) -> tuple[Scores, Callable]:
    scores = LinearScores(model, read_batch(docs), is_train)
    return scores, lambda _=None: docs


class LinearScores:
    """The `Scores` of a LogitEdge model.

    model (Model): The model.
    batch (Batch): The batch.
    is_train (bool): Whether gradients will come.
    """

    def __init__(self, model: Model, batch: Batch, is_train: bool) -> None:
        self.model, self.batch, self.is_train = model, batch, is_train
        self.backprops: dict[str, list[tuple[int, Callable]]] = {}

    def singletons(self) -> numpy.ndarray:
        return self._score("singletons", [singleton_ids(self.batch.tokens)])[:, 0]

    def tops(self) -> numpy.ndarray:
        return self._score("tops", [top_ids(self.batch.tokens)])[:, 0]

    def edges(self, pairs: Pairs) -> numpy.ndarray:
        names = self.model.attrs["features"]
        chunks = (
            Pairs(pairs.head[start : start + CHUNK], pairs.dependent[start : start + CHUNK])
            for start in range(0, max(len(pairs), 1), CHUNK)
        )
        return self._score("edges", (edge_ids(self.batch.tokens, part, names) for part in chunks))

    def learn(self, singletons: numpy.ndarray, tops: numpy.ndarray, edges: numpy.ndarray) -> None:
        gradients = {"singletons": singletons[:, None], "tops": tops[:, None], "edges": edges}
        for name, d_scores in gradients.items():
            start = 0
            for n, backprop in self.backprops.pop(name, ()):
                backprop(d_scores[start : start + n])
                start += n

    def _score(self, name: str, parts: Iterable[numpy.ndarray]) -> numpy.ndarray:
        layer: Any = self.model.get_ref(name)
        all_scores = []
        self.backprops[name] = []
        for ids in parts:
            scores, backprop = layer(to_rows(ids, layer.attrs["hash_bits"]), self.is_train)
            all_scores.append(scores)
            if self.is_train:
                self.backprops[name].append((len(ids), backprop))
        return all_scores[0] if len(all_scores) == 1 else numpy.concatenate(all_scores)
