"""The factories of all pipeline components, with their default configurations.

spaCy imports this in every process of a user who has the package installed, so a component and what it is made of are
imported when one is made.
"""

from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from spacy.language import Language
from spacy.pipeline.dep_parser import DEFAULT_PARSER_MODEL
from spacy.tokens import Doc
from thinc.api import Config, Model

from .parser.settings import (
    OLD_KEYS,
    ConversionSettings,
    DependencySettings,
    ParserSettings,
    SdpSettings,
    SpanSettings,
    make_settings,
    with_settings,
)

if TYPE_CHECKING:
    from .by_conversion.components import TreeParser, UccaFromBilexical, UccaFromDependencies
    from .parser.graph_parser import GraphParser
    from .sdp_parser.component import SdpParser
    from .span_parser.component import UccaSpanParser

default_ucca_config = """
[model]
@architectures = "spacy-ucca.UccaModel.v1"
system = "tree"
hidden_width = 192
hidden_depth = 1
pair_width = 64
unit_width = 64

[model.tok2vec]
@architectures = "spacy-ucca.Tok2Vec.v1"

[model.tok2vec.embed]
@architectures = "spacy-ucca.Embed.v1"
attrs = ["LOWER", "PREFIX", "SUFFIX", "SHAPE", "TAG", "DEP", "HEAD_TAG", "GUIDELINES"]
rows = [5000, 500, 2000, 500, 128, 128, 128, 16]
widths = [96, 24, 48, 24, 32, 32, 24, 16]
word_dropout = 0.1
count_words = false
include_static_vectors = false
vector_width = 100
tok2vec = null

[model.tok2vec.encode]
@architectures = "spacy-ucca.BiLSTMEncoder.v1"
width = 320
depth = 1
recurrent_dropout = 0.1
normalize = true
"""
DEFAULT_UCCA_MODEL = Config().from_str(default_ucca_config)["model"]

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

UCCA_SCORER = {"@scorers": "spacy-ucca.ucca_scorer.v1"}
# Annotation that trained parsers read
TOKEN_ANNOTATION = ["token.tag", "token.dep", "token.head", "token.is_sent_start"]


@Language.factory(
    "ucca_parser",
    assigns=["doc._.ucca"],
    requires=TOKEN_ANNOTATION,
    default_config={
        "model": DEFAULT_UCCA_MODEL,
        "scorer": UCCA_SCORER,
        **asdict(ParserSettings()),
    },
    default_score_weights=DEFAULT_SCORE_WEIGHTS,
)
@with_settings(ParserSettings, **OLD_KEYS)
def make_ucca_parser(
    nlp: Language,
    name: str,
    model: Model[list[Doc], Any],
    scorer: Callable | None,
    **settings: Any,
) -> "GraphParser[ParserSettings]":
    """Make a UccaParser.

    nlp (Language): The pipeline.
    name (str): The component instance name.
    model (Model[List[Doc], Dict[str, SlotStep]]): The model, as `build_ucca_model` makes it. One by `build_sparse_model`
        learns in the update itself: there are no gradients, and `sgd` has nothing to do.
    scorer (Optional[Callable]): The scoring method.
    **settings: The fields of `ParserSettings`. A threshold that is None is 0.4.
    RETURNS (UccaParser): The component.
    RAISES (ValueError): If a setting is out of range.
    """
    from .component import UccaParser

    own = make_settings(ParserSettings, settings, name)
    return UccaParser(nlp.vocab, model, name, scorer=scorer, settings=own)


@Language.factory(
    "ucca_span_parser",
    assigns=["doc._.ucca"],
    requires=TOKEN_ANNOTATION,
    default_config={
        "model": DEFAULT_SPAN_MODEL,
        "scorer": UCCA_SCORER,
        **asdict(SpanSettings()),
    },
    default_score_weights=DEFAULT_SCORE_WEIGHTS,
)
@with_settings(SpanSettings, **OLD_KEYS)
def make_ucca_span_parser(
    nlp: Language,
    name: str,
    model: Model[list[Doc], Any],
    scorer: Callable | None,
    **settings: Any,
) -> "UccaSpanParser":
    """Make a UccaSpanParser.

    nlp (Language): The pipeline.
    name (str): The component instance name.
    model (Model[List[Doc], SpanScorers]): The model, as `build_span_model` makes it.
    scorer (Optional[Callable]): The scoring method.
    **settings: The fields of `SpanSettings`. A threshold of remote edges or implicit units that is None is 0.4.
    RETURNS (UccaSpanParser): The component.
    RAISES (ValueError): If a setting is out of range.
    """
    from .span_parser.component import UccaSpanParser

    own = make_settings(SpanSettings, settings, name)
    return UccaSpanParser(nlp.vocab, model, name, scorer=scorer, settings=own)


@Language.factory(
    "sdp_parser",
    assigns=["doc._.sdp"],
    requires=TOKEN_ANNOTATION,
    default_config={
        "model": DEFAULT_SDP_MODEL,
        **asdict(SdpSettings()),
        "scorer": {"@scorers": "spacy-ucca.sdp_scorer.v1"},
    },
    default_score_weights={
        "sdp_lf": 1.0,
        "sdp_lp": 0.0,
        "sdp_lr": 0.0,
        "sdp_lm": 0.0,
        "sdp_uf": 0.0,
        "sdp_per_type": None,
    },
)
@with_settings(SdpSettings)
def make_sdp_parser(
    nlp: Language,
    name: str,
    model: Model[list[Doc], Any],
    scorer: Callable | None,
    **settings: Any,
) -> "SdpParser":
    """Make an SdpParser.

    nlp (Language): The pipeline.
    name (str): The component instance name.
    model (Model[List[Doc], Scores]): The model, as `build_logit_edge` or `build_biaffine_edges` makes it.
    scorer (Optional[Callable]): The scoring method.
    **settings: The fields of `SdpSettings`.
    RETURNS (SdpParser): The component.
    """
    from .sdp_parser.component import SdpParser

    return SdpParser(nlp.vocab, model, name, scorer=scorer, **settings)


@Language.factory(
    "ucca_from_bilexical",
    assigns=["doc._.ucca"],
    requires=["doc._.sdp", "token.is_sent_start"],
    default_config={**asdict(ConversionSettings()), "scorer": UCCA_SCORER},
    default_score_weights={
        **DEFAULT_SCORE_WEIGHTS,
        "ucca_implicit_f": None,
        "ucca_weak_f": 0.0,
    },
)
@with_settings(ConversionSettings)
def make_ucca_from_bilexical(
    nlp: Language, name: str, scorer: Callable | None, **settings: Any
) -> "UccaFromBilexical":
    """Make a UccaFromBilexical.

    nlp (Language): The pipeline.
    name (str): The component instance name.
    scorer (Optional[Callable]): The scoring method.
    **settings: The fields of `ConversionSettings`.
    RETURNS (UccaFromBilexical): The component.
    """
    from .by_conversion.components import UccaFromBilexical

    return UccaFromBilexical(name, scorer=scorer, **settings)


@Language.factory(
    "ucca_from_dependencies",
    assigns=["doc._.ucca"],
    requires=["token.dep", "token.head", "token.is_sent_start"],
    default_config={
        **asdict(DependencySettings()),
        "scorer": {"@scorers": "spacy-ucca.dependencies_scorer.v1"},
    },
    default_score_weights={
        **DEFAULT_SCORE_WEIGHTS,
        "ucca_remote_f": None,
        "ucca_implicit_f": None,
        "ucca_weak_f": 0.0,
        "ucca_dep_uas": 0.0,
        "ucca_dep_las": 0.0,
    },
)
@with_settings(DependencySettings)
def make_ucca_from_dependencies(
    nlp: Language, name: str, scorer: Callable | None, **settings: Any
) -> "UccaFromDependencies":
    """Make a UccaFromDependencies.

    nlp (Language): The pipeline.
    name (str): The component instance name.
    scorer (Optional[Callable]): The scoring method.
    **settings: The fields of `DependencySettings`.
    RETURNS (UccaFromDependencies): The component.
    """
    from .by_conversion.components import UccaFromDependencies

    return UccaFromDependencies(name, scorer=scorer, **settings)


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

    return SentenceBoundaries(nlp, name)
