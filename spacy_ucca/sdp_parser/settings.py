"""Settings of `sdp_parser`."""

from dataclasses import dataclass

from ..errors import Errors
from ..parser.settings import check_flags, is_number, is_whole, wrong_value

LOSSES = ("likelihood", "margin")


@dataclass(frozen=True, kw_only=True)
class SdpSettings:
    """Settings of `sdp_parser`.

    loss (str): "likelihood" learns each pair of tokens by itself, "margin" the distance to the best wrong graph.
    noedge_weight (float): The weight of pairs without an edge in the loss, where others have 1.
    deterministic (bool): Whether no token may have two outgoing edges with the same label.
    both_directions (bool): Whether edges may lead both ways between two tokens.
    tree (bool): Whether edges that are not remote form a tree under the top of each sentence, as in UCCA.
    max_distance (int): The greatest distance between the two tokens of an edge; 0 is no limit.
    min_label_freq (int): How often a label has to occur in the training data to be learned.
    RAISES (ValueError): If no loss has that name, or a setting is of the wrong type or out of range.
    """

    loss: str = "likelihood"
    noedge_weight: float = 0.3
    deterministic: bool = False
    both_directions: bool = False
    tree: bool = False
    max_distance: int = 10
    min_label_freq: int = 1

    def __post_init__(self) -> None:
        if self.loss not in LOSSES:
            raise ValueError(Errors.UC878.format(name=self.loss, known=", ".join(LOSSES)))
        check_flags(self, "deterministic", "both_directions", "tree")
        if not is_number(self.noedge_weight, 0, float("inf")):
            raise wrong_value("noedge_weight", self.noedge_weight, "a number, 0 or more")
        for name in ("max_distance", "min_label_freq"):
            if not is_whole(value := getattr(self, name)):
                raise wrong_value(name, value, "a whole number, 0 or more")
