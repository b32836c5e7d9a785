"""Check the settings of a training before it begins: spaCy accepts some values that end in an error later."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from catalogue import RegistryError
from spacy.language import DEFAULT_CONFIG
from spacy.schemas import ConfigSchemaNlp, ConfigSchemaTraining
from spacy.util import dict_to_dot, dot_to_object, registry
from thinc.api import Config, ConfigValidationError

from ..errors import Errors, UccaError


def _at_least(least: int, kinds: Any = int) -> tuple[Callable[[Any], bool], str]:
    return lambda value: not isinstance(value, kinds) or value >= least, f"at least {least}"


def _is_share(value: Any) -> bool:
    # A schedule is no number. spaCy takes a whole number for one.
    return isinstance(value, (dict, list)) or (isinstance(value, float) and 0 <= value <= 1)


SHARE = (_is_share, "a decimal fraction from 0.0 to 1.0")
POSITIVE, NOT_NEGATIVE = _at_least(1), _at_least(0)
TEXT = (lambda value: isinstance(value, str), "text")
# What must hold for a setting that is given, and how it is said
RULES: dict[str, tuple[Callable[[Any], bool], str]] = {
    "nlp.batch_size": (lambda value: isinstance(value, int) and value > 0, "at least 1"),
    "training.dropout": SHARE,
    "training.eval_frequency": POSITIVE,
    "training.accumulate_gradient": POSITIVE,
    "training.max_steps": NOT_NEGATIVE,
    "training.patience": NOT_NEGATIVE,
    "training.batcher.size": (lambda value: value != [] and POSITIVE[0](value), "at least 1"),
    "training.optimizer.beta1": SHARE,
    "training.optimizer.beta2": SHARE,
    "training.optimizer.grad_clip": NOT_NEGATIVE,
    "training.optimizer.learn_rate": _at_least(0, (int, float)),
    "training.optimizer.learn_rate.total_steps": POSITIVE,
    "training.logger.progress_bar": (lambda bar: bar in (None, "train", "eval"), "train or eval"),
    "training.score_weights.ucca_f": (lambda value: value is not None, "a number"),
    "training.score_weights.ucca_per_type": (lambda value: value is None, "null"),
}


def check_settings(config: Config) -> None:
    """Check the settings of a training.

    config (Config): The configuration.
    RAISES (UccaError): If one is wrong. It is named.
    """
    with wrong_settings():
        filled = Config(DEFAULT_CONFIG).merge(config).interpolate()
        # The functions of these sections say what is wrong by these errors.
        try:
            registry.resolve(filled["nlp"], schema=ConfigSchemaNlp)  # type: ignore[arg-type]
            training = filled["training"].copy()
            if "output_file" in training["logger"]:  # its directory would be made
                training["logger"] = {**training["logger"], "output_file": None}
            registry.resolve(training, schema=ConfigSchemaTraining)  # type: ignore[arg-type]
        except (RegistryError, ConfigValidationError):
            raise
        except (ValueError, TypeError) as err:
            raise UccaError(Errors.UC513.format(reason=" ".join(str(err).split()))) from None
    rules = {f"components.{name}.source": TEXT for name in filled["components"]} | RULES
    for key, (holds, what) in rules.items():
        for value in _get(filled, key):
            if not holds(value):
                raise UccaError(Errors.UC517.format(key=key, value=value, what=what))
    for key, setting in dict_to_dot({"training": filled["training"]}).items():
        for value in setting if isinstance(setting, list) else [setting]:
            if str(value).lower().lstrip("+-") in ("nan", "inf"):
                raise UccaError(Errors.UC517.format(key=key, value=value, what="a finite number"))
    for key in ("training.train_corpus", "training.dev_corpus"):
        for value in _get(filled, key):
            if not [*_get(filled, value)]:
                what = "the name of a section, such as corpora.train"
                raise UccaError(Errors.UC517.format(key=key, value=value, what=what))


@contextmanager
def wrong_settings() -> Iterator[None]:
    """RAISES (UccaError): If spaCy finds a setting of a configuration wrong."""
    try:
        yield
    except ConfigValidationError as err:
        places = (f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in err.errors or ())
        reason = "; ".join(places) or err.desc or err.title
        raise UccaError(Errors.UC513.format(reason=" ".join(str(reason).split()))) from None
    except RegistryError as err:
        reason = " ".join(str(err).split())
        raise UccaError(Errors.UC513.format(reason=reason)) from None
    except (ValueError, KeyError, ImportError) as err:
        reason = str(err.args[0]) if err.args else ""
        if not reason.startswith("[E"):  # spaCy's own messages have a code
            raise
        raise UccaError(Errors.UC513.format(reason=reason.partition("\n")[0])) from None


def _get(config: Config, key: str) -> Iterator[Any]:
    """YIELDS (Any): The value of a setting, if there is one."""
    with suppress(KeyError):
        yield dot_to_object(config, key)
