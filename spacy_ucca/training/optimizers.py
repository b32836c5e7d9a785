"""Learn rates of parts of a pipeline: Adam with a rate for each group of parameters, and decay for the perceptron.

Pretrained layers have to learn more slowly than new ones; Thinc's optimizers have one learn rate for all parameters.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from spacy.util import registry
from thinc.api import Optimizer
from thinc.optimizers import ADAM_DEFAULTS, FloatOrSeq

from ..errors import Errors
from ..parser.settings import check_rates

if TYPE_CHECKING:
    from spacy.language import Language


@registry.optimizers("spacy-ucca.Adam.v1")
class GroupedAdam(Optimizer):
    """Adam with a learn rate for each group of parameters.

    learn_rate (Union[float, Iterable[float]]): The learn rate, or a schedule.
    rates (Optional[Dict[str, float]]): Prefixes of parameter names, each with the factor of the learn rate. The longest
        prefix that fits is used; 0 keeps parameters as they are. Parameters of `spacy-ucca.Encoder.v1` have names such as
        "encoder.layer.0.output.weight", Thinc's have names without dots, such as "W".
    L2, beta1, beta2, eps, grad_clip, L2_is_weight_decay, use_averages: As for Thinc's `Adam.v1`.
    RAISES (UccaError): If a rate is negative or not finite.
    """

    def __init__(
        self,
        learn_rate: FloatOrSeq = ADAM_DEFAULTS["learn_rate"],
        rates: dict[str, float] | None = None,
        *,
        L2: FloatOrSeq = ADAM_DEFAULTS["L2"],
        beta1: FloatOrSeq = ADAM_DEFAULTS["beta1"],
        beta2: FloatOrSeq = ADAM_DEFAULTS["beta2"],
        eps: FloatOrSeq = ADAM_DEFAULTS["eps"],
        grad_clip: FloatOrSeq = ADAM_DEFAULTS["grad_clip"],
        L2_is_weight_decay: bool = True,
        use_averages: bool = True,
    ) -> None:
        super().__init__(
            learn_rate,
            L2=L2,
            beta1=beta1,
            beta2=beta2,
            eps=eps,
            grad_clip=grad_clip,
            L2_is_weight_decay=L2_is_weight_decay,
            use_averages=use_averages,
        )
        check_rates(**{f"rates.{name}": rate for name, rate in (rates or {}).items()})
        if isinstance(learn_rate, float):  # and no schedule
            check_rates(learn_rate=learn_rate)
        self.rates = sorted((rates or {}).items(), key=lambda item: -len(item[0]))

    def rate_of(self, name: str) -> float:
        """RETURNS (float): The factor of the learn rate of a parameter."""
        return next((rate for start, rate in self.rates if name.startswith(start)), 1.0)

    def __call__(
        self, key: tuple[int, str], weights: Any, gradient: Any, *, lr_scale: float = 1.0
    ) -> tuple[Any, Any]:
        """Update a parameter; see `thinc.api.Optimizer`."""
        rate = self.rate_of(key[1])
        if not rate:
            return weights, gradient
        if self.averages is not None and key not in self.averages:
            # Thinc's averages begin at 0: after one step they are 0.8 of the weights.
            self.averages[key] = weights.copy()
        return super().__call__(key, weights, gradient, lr_scale=lr_scale * rate)


@registry.callbacks("spacy-ucca.learn_rate_decay.v1")
def create_learn_rate_decay(
    learn_rate: float = 1.0, decay: float = 0.1, component: str = "ucca_parser"
) -> Callable[["Language", dict[str, Any]], None]:
    """Let the learning rate of a perceptron decay from epoch to epoch: learn_rate / (1 + decay * epoch), as TUPA
    does. For `training.before_update`.

    learn_rate (float): The rate in the first epoch.
    decay (float): The decay.
    component (str): The name of the parser, with the model `spacy-ucca.TupaSparse.v1`.
    RETURNS (Callable[[Language, Dict[str, Any]], None]): The callback.
    RAISES (UccaError): If a number is negative or not finite.
    """
    check_rates(learn_rate=learn_rate, decay=decay)

    def before_update(nlp: "Language", info: dict[str, Any]) -> None:
        model: Any = getattr(nlp.get_pipe(component), "model", None)
        has_actions = "actions" in getattr(model, "ref_names", ())
        attrs = model.get_ref("actions").attrs if has_actions else {}
        if "learn_rate" not in attrs:
            raise ValueError(Errors.UC820.format(name=component))
        attrs["learn_rate"] = learn_rate / (1 + decay * info["epoch"])

    return before_update
