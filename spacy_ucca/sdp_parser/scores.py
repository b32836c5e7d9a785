"""The interface of the models of `sdp_parser`: scores of the tokens and pairs of a batch."""

from typing import Protocol

import numpy
from thinc.api import Model

from .docs import Batch
from .hashed_linear import TableShim
from .tokens import Pairs


class Scores(Protocol):
    """The scores of a batch by a model. They take gradients, which train the model.

    batch (Batch): The batch.
    """

    batch: Batch

    def singletons(self) -> numpy.ndarray:
        """RETURNS (ndarray[float32]): (n,) the log odds of each token to be no singleton."""

    def tops(self) -> numpy.ndarray:
        """RETURNS (ndarray[float32]): (n,) the log odds of each token to be a top."""

    def edges(self, pairs: Pairs) -> numpy.ndarray:
        """RETURNS (ndarray[float32]): (n_pairs, 1 + n_labels) the scores of NOEDGE and of all labels."""

    def learn(self, singletons: numpy.ndarray, tops: numpy.ndarray, edges: numpy.ndarray) -> None:
        """Backpropagate the gradients of the last singletons, tops and edges."""


def is_initialized(model: Model) -> bool:
    """RETURNS (bool): Whether a model of `sdp_parser` has weights."""
    for node in model.walk():
        if any(node.has_param(name) is None for name in node.param_names):
            return False
        if any(isinstance(shim, TableShim) and shim.table is None for shim in node.shims):
            return False
    return True


def resize_output(model: Model, n_out: int) -> None:
    """Add outputs for new labels to a trained model; its weights stay.

    model (Model): The model.
    n_out (int): 1 + the number of labels.
    """
    model.attrs["resize_output"](model, n_out)
    model.set_dim("nO", n_out, force=True)
