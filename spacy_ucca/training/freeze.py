"""Freeze the lower layers of a transformer: no gradients are computed for them.

The rate 0 of `spacy-ucca.Adam.v1` keeps layers too, but computes their gradients.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from spacy.util import registry

from ..errors import Errors

if TYPE_CHECKING:
    from spacy.language import Language


@registry.callbacks("spacy-ucca.freeze_layers.v1")
def create_freeze_layers(
    n_layers: int, component: str = "transformer"
) -> Callable[["Language"], "Language"]:
    """Freeze the word embeddings and the first layers of a transformer. For `initialize.after_init`.

    n_layers (int): The number of layers to freeze.
    component (str): The name of the component with the transformer, which must be built like BERT: `embeddings`, and
        `encoder.layer` (RoBERTa, MPNet, ELECTRA, XLM-RoBERTa and others).
    RETURNS (Callable[[Language], Language]): The callback.
    RAISES (ValueError): If there is no such transformer, or it has fewer layers.
    RAISES (KeyError): If there is no such component.
    """

    def after_init(nlp: "Language") -> "Language":
        module = _transformer(getattr(nlp.get_pipe(component), "model", None))
        n_known = -1 if module is None else len(module.encoder.layer)
        if not 0 <= n_layers <= n_known:
            known = f"it has {n_known} layers" if module is not None else "it has none"
            raise ValueError(Errors.UC821.format(name=component, n=n_layers, known=known))
        upper = tuple(f"layer.{i}." for i in range(n_layers, n_known))
        for part in (module.embeddings, module.encoder):
            for name, parameter in part.named_parameters():
                if not name.startswith(upper):
                    parameter.requires_grad_(False)
        return nlp

    return after_init


def _transformer(model: Any) -> Any:
    """RETURNS (Optional[torch.nn.Module]): The first PyTorch module in a Thinc model that is built like BERT."""
    for node in model.walk() if model is not None else ():
        for shim in node.shims:
            module = getattr(shim, "_model", None)
            if hasattr(getattr(module, "encoder", None), "layer") and hasattr(module, "embeddings"):
                return module
    return None
