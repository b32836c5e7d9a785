"""The lower layers of a transformer, kept as they are and computed once for each sentence.

Nothing changes them in training, so what they make of a sentence is the same in every epoch: where there is no GPU, most
of the time is saved. What is saved to disk knows nothing of it, as the callback comes after initialization. torch is not
imported before the transformer is there.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from spacy.util import registry

from .errors import Errors

if TYPE_CHECKING:
    from spacy.language import Language

MOST = 100_000  # sentences that are kept: of base size, as many take 6 GB in bfloat16


@registry.callbacks("spacy-ucca.freeze_layers.v1")
def create_freeze_layers(
    n_layers: int, component: str = "transformer", once: bool = False, bfloat16: bool = False
) -> Callable[["Language"], "Language"]:
    """Keep the word embeddings and the first layers of a transformer as they are: nothing is computed backwards there.
    For `initialize.after_init`.

    n_layers (int): How many layers.
    component (str): The name of the component with the transformer, which is built as BERT is: `embeddings`, and
        `encoder.layer` (RoBERTa, MPNet, ELECTRA, XLM-RoBERTa and others).
    once (bool): Whether to compute them once for each sentence and keep the result in memory. They have no dropout then.
    bfloat16 (bool): Whether all layers are computed in half of the bits in training, which CPUs that can do it do
        faster. Weights keep all of them.
    RETURNS (Callable[[Language], Language]): The callback.
    RAISES (ValueError): If there is no such transformer, or not so many layers. (KeyError): If there is no such
        component.
    """

    def after_init(nlp: "Language") -> "Language":
        module = _transformer(getattr(nlp.get_pipe(component), "model", None))
        n_known = -1 if module is None else len(module.encoder.layer)
        if not 0 <= n_layers <= n_known:
            known = f"it has {n_known} layers" if module is not None else "it has none"
            raise ValueError(Errors.UC821.format(name=component, n=n_layers, known=known))
        upper = [f"layer.{i}." for i in range(n_layers, n_known)]
        for part in (module.embeddings, module.encoder):
            for name, parameter in part.named_parameters():
                if not name.startswith(tuple(upper)):
                    parameter.requires_grad_(False)
        if once or bfloat16:
            module.forward = _Forward(module, n_layers if once else None, bfloat16)
        return nlp

    return after_init


def _transformer(model: Any) -> Any:
    """RETURNS (Optional[torch.nn.Module]): The transformer in a Thinc model, if there is one as is asked for."""
    for node in model.walk() if model is not None else ():
        for shim in node.shims:
            module = getattr(shim, "_model", None)
            if hasattr(getattr(module, "encoder", None), "layer") and hasattr(module, "embeddings"):
                return module
    return None


class _Forward:
    """What a transformer computes, in two steps: its lower layers, which are known if they have seen the sentence, and
    the others.

    module (torch.nn.Module): The transformer.
    n_layers (Optional[int]): How many layers are lower ones; None keeps nothing.
    bfloat16 (bool): Whether to compute in half of the bits.
    """

    def __init__(self, module: Any, n_layers: int | None, bfloat16: bool) -> None:
        import torch

        self.torch = torch
        self.module = module
        self.n_layers = n_layers
        self.bfloat16 = bfloat16
        self.plain = module.forward
        self.known: dict[bytes, Any] = {}

        class Given(torch.nn.Module):
            """Stands in the place of the embeddings, and gives what it is given."""

            def forward(self, *args: Any, inputs_embeds: Any = None, **kwargs: Any) -> Any:
                return inputs_embeds

        self.given = Given()

    def __call__(self, input_ids: Any, attention_mask: Any, **kwargs: Any) -> Any:
        with self.torch.autocast(input_ids.device.type, self.torch.bfloat16, self.bfloat16):
            if self.n_layers is None:
                output = self.plain(input_ids, attention_mask=attention_mask, **kwargs)
            else:
                vectors = self._lower(input_ids, attention_mask, kwargs)
                upper = self.module.encoder.layer[self.n_layers :]
                read = ("token_type_ids", "position_ids")  # by the embeddings
                rest = {name: value for name, value in kwargs.items() if name not in read}
                with self._only(self.given, upper):
                    output = self.plain(
                        None, attention_mask=attention_mask, inputs_embeds=vectors, **rest
                    )
        if isinstance(output, dict):
            return type(output)(**{name: value.float() for name, value in output.items()})
        return tuple(value.float() for value in output)

    def _lower(self, input_ids: Any, attention_mask: Any, kwargs: dict[str, Any]) -> Any:
        """RETURNS (torch.Tensor): (n, length, width), what the lower layers make of the pieces."""
        lengths = attention_mask.sum(1).int().tolist()
        rows = input_ids.cpu().numpy()
        keys = [row[:length].tobytes() for row, length in zip(rows, lengths, strict=True)]
        first = {key: i for i, key in reversed(list(enumerate(keys)))}
        new = [i for key, i in first.items() if key not in self.known]
        found = {key: self.known[key] for key in keys if key in self.known}
        if new:
            modules = [self.module.embeddings, *self.module.encoder.layer[: self.n_layers]]
            training = [module.training for module in modules]
            for module in modules:
                module.eval()
            lower = self.module.encoder.layer[: self.n_layers]
            with self.torch.no_grad(), self._only(self.module.embeddings, lower):
                rest = {
                    name: value[new] for name, value in kwargs.items() if hasattr(value, "shape")
                }
                output = self.plain(input_ids[new], attention_mask=attention_mask[new], **rest)
            for module, was in zip(modules, training):
                module.train(was)
            kept = output[0].to(self.torch.bfloat16) if self.bfloat16 else output[0]
            for i, vectors in zip(new, kept):
                found[keys[i]] = vectors[: lengths[i]].clone()
            if len(self.known) + len(new) <= MOST:
                self.known.update(found)
        padded = self.torch.nn.utils.rnn.pad_sequence(
            [found[key] for key in keys], batch_first=True
        )
        short = input_ids.shape[1] - padded.shape[1]
        return self.torch.nn.functional.pad(padded.float(), (0, 0, 0, short))

    @contextmanager
    def _only(self, embeddings: Any, layers: Any) -> Iterator[None]:
        """Have the transformer consist of some of its parts, as a context."""
        module = self.module
        before = module.embeddings, module.encoder.layer
        module.embeddings, module.encoder.layer = embeddings, layers
        try:
            yield
        finally:
            module.embeddings, module.encoder.layer = before
