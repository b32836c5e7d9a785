"""Settings of the span parser."""

from dataclasses import dataclass

from ..errors import Errors
from ..parser.settings import GraphSettings, check_flags, is_number, is_whole

DECODERS = ("chart", "topdown")
LOSSES = ("crf", "margin")


@dataclass(frozen=True, kw_only=True)
class SpanSettings(GraphSettings):
    """Settings of `ucca_span_parser`, beside those that all parsers have. `repair` also has the labels of a tree chosen
    by the rules of UCCA. `remote_threshold` does not decide which units may be children of remote edges: labels do.

    decoder (str): "chart" finds the best tree of all; "topdown" splits spans greedily, and is trained to do so.
    loss (str): "crf" maximizes the probability of the gold tree; "margin" the distance to the best wrong tree.
    threshold (float): Minimum probability of a span in a tree, unless the loss is "margin": a lower one gives more units,
        a higher one fewer and more certain ones.
    max_length (int): Longer sentences are parsed in parts, and left out of training.
    one_step (bool): Whether labels say only the direction of a move, as in the notes of Jiang (2019), section 3: all
        moves are undone by one step.
    RAISES (ValueError): If there is no such decoder or loss, or a threshold or the length is out of range.
    """

    decoder: str = "chart"
    loss: str = "crf"
    threshold: float = 0.4
    max_length: int = 1_000
    one_step: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        check_flags(self, "one_step")
        for name, known in (("decoder", DECODERS), ("loss", LOSSES)):
            value = getattr(self, name)
            if not isinstance(value, str) or value not in known:
                raise ValueError(
                    Errors.UC840.format(what=name, value=value, known=", ".join(known))
                )
        if not is_number(self.threshold, 0, 1):
            raise ValueError(Errors.UC850.format(name="threshold", value=self.threshold))
        if not is_whole(self.max_length) or self.max_length < 1:
            raise ValueError(Errors.UC844.format(value=self.max_length))

    @property
    def has_probabilities(self) -> bool:
        """RETURNS (bool): Whether the scores of spans are probabilities, which `threshold` is compared to."""
        return self.decoder == "chart" and self.loss != "margin"
