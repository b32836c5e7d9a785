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

from .errors import Errors
from .parser.configurable import owned
from .parser.settings import DEFAULT_THRESHOLD, ParserSettings
from .span_parser.settings import SpanSettings

if TYPE_CHECKING:
    from .by_conversion.from_bilexical import UccaFromBilexical
    from .by_conversion.from_dependencies import UccaFromDependencies
    from .by_conversion.tree_parser import TreeParser
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

# None, so that a threshold that somebody gives is told from the default, and wins over an old `extras_threshold`
NO_THRESHOLDS = {"remote_threshold": None, "implicit_threshold": None}
UCCA_SCORER = {"@scorers": "spacy-ucca.ucca_scorer.v1"}
# Annotation that trained parsers read
TOKEN_ANNOTATION = ["token.tag", "token.dep", "token.head", "token.is_sent_start"]


def choose_threshold(threshold: float | None, extras_threshold: float | None) -> float:
    """RETURNS (float): The first of a threshold, that of spacy-ucca 0.1, and the default, that is not None."""
    given = (value for value in (threshold, extras_threshold) if value is not None)
    return next(given, DEFAULT_THRESHOLD)


@Language.factory(
    "ucca_parser",
    assigns=["doc._.ucca"],
    requires=TOKEN_ANNOTATION,
    default_config={
        "model": DEFAULT_UCCA_MODEL,
        "scorer": UCCA_SCORER,
        **asdict(ParserSettings()),
        **NO_THRESHOLDS,
    },
    default_score_weights=DEFAULT_SCORE_WEIGHTS,
)
def make_ucca_parser(
    nlp: Language,
    name: str,
    model: Model[list[Doc], Any],
    scorer: Callable | None,
    guidelines: str,
    linkage: bool,
    repair: bool,
    remote_threshold: float | None,
    implicit_threshold: float | None,
    beam_width: int,
    beam_density: float,
    exploration: float | None,
    exploration_start: int,
    extras_threshold: float | None = None,
    beam_votes: bool = False,
) -> "GraphParser[ParserSettings]":
    """Make a UccaParser. Arguments not described here are those of `ParserSettings`.

    nlp (Language): The pipeline.
    name (str): The component instance name.
    model (Model[List[Doc], Dict[str, SlotStep]]): The model, as `build_ucca_model` makes it. One by `build_sparse_model`
        learns in the update itself: there are no gradients, and `sgd` has nothing to do.
    scorer (Optional[Callable]): The scoring method.
    remote_threshold, implicit_threshold (Optional[float]): None is 0.4.
    extras_threshold (Optional[float]): For a threshold that is None. Configurations that spacy-ucca 0.1 saved have it.
    beam_votes (bool): Has to be False. Configurations that spacy-ucca 0.1 saved have it.
    RETURNS (UccaParser): The component.
    RAISES (ValueError): If `beam_votes` is True, or a setting is out of range.
    """
    from .component import UccaParser

    if beam_votes:
        raise ValueError(Errors.UC327.format(name=name))
    settings = ParserSettings(
        guidelines=guidelines,
        linkage=linkage,
        repair=repair,
        remote_threshold=choose_threshold(remote_threshold, extras_threshold),
        implicit_threshold=choose_threshold(implicit_threshold, extras_threshold),
        beam_width=beam_width,
        beam_density=beam_density,
        exploration=exploration,
        exploration_start=exploration_start,
    )
    return owned(UccaParser(nlp.vocab, model, name, scorer=scorer, settings=settings), nlp)


@Language.factory(
    "ucca_span_parser",
    assigns=["doc._.ucca"],
    requires=TOKEN_ANNOTATION,
    default_config={
        "model": DEFAULT_SPAN_MODEL,
        "scorer": UCCA_SCORER,
        **asdict(SpanSettings()),
        **NO_THRESHOLDS,
    },
    default_score_weights=DEFAULT_SCORE_WEIGHTS,
)
def make_ucca_span_parser(
    nlp: Language,
    name: str,
    model: Model[list[Doc], Any],
    scorer: Callable | None,
    guidelines: str,
    linkage: bool,
    repair: bool,
    remote_threshold: float | None,
    implicit_threshold: float | None,
    decoder: str,
    loss: str,
    threshold: float,
    max_length: int,
    one_step: bool = False,
    extras_threshold: float | None = None,
) -> "UccaSpanParser":
    """Make a UccaSpanParser. Arguments not described here are those of `SpanSettings`.

    nlp (Language): The pipeline.
    name (str): The component instance name.
    model (Model[List[Doc], SpanScorers]): The model, as `build_span_model` makes it.
    scorer (Optional[Callable]): The scoring method.
    remote_threshold, implicit_threshold (Optional[float]): None is 0.4.
    extras_threshold (Optional[float]): For a threshold that is None. Configurations that spacy-ucca 0.1 saved have it.
    RETURNS (UccaSpanParser): The component.
    RAISES (ValueError): If a setting is out of range.
    """
    from .span_parser.component import UccaSpanParser

    settings = SpanSettings(
        guidelines=guidelines,
        linkage=linkage,
        repair=repair,
        remote_threshold=choose_threshold(remote_threshold, extras_threshold),
        implicit_threshold=choose_threshold(implicit_threshold, extras_threshold),
        decoder=decoder,
        loss=loss,
        threshold=threshold,
        max_length=max_length,
        one_step=one_step,
    )
    return owned(UccaSpanParser(nlp.vocab, model, name, scorer=scorer, settings=settings), nlp)


@Language.factory(
    "sdp_parser",
    assigns=["doc._.sdp"],
    requires=TOKEN_ANNOTATION,
    default_config={
        "model": DEFAULT_SDP_MODEL,
        "loss": "likelihood",
        "noedge_weight": 0.3,
        "deterministic": False,
        "both_directions": False,
        "tree": False,
        "max_distance": 10,
        "min_label_freq": 1,
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
def make_sdp_parser(
    nlp: Language,
    name: str,
    model: Model[list[Doc], Any],
    loss: str,
    noedge_weight: float,
    deterministic: bool,
    both_directions: bool,
    tree: bool,
    max_distance: int,
    min_label_freq: int,
    scorer: Callable | None,
) -> "SdpParser":
    """Make an SdpParser.

    nlp (Language): The pipeline.
    name (str): The component instance name.
    model (Model[List[Doc], Scores]): The model, as `build_logit_edge` or `build_biaffine_edges` makes it.
    loss (str): "likelihood" learns each pair of tokens by itself, "margin" the distance to the best wrong graph.
    noedge_weight (float): The weight of pairs without an edge in the loss, where others have 1.
    deterministic (bool): Whether no token may have two outgoing edges with the same label.
    both_directions (bool): Whether edges may lead both ways between two tokens.
    tree (bool): Whether edges that are not remote form a tree under the top of each sentence, as in UCCA.
    max_distance (int): The greatest distance between the two tokens of an edge; 0 is no limit.
    min_label_freq (int): How often a label has to occur in the training data to be learned.
    scorer (Optional[Callable]): The scoring method.
    RETURNS (SdpParser): The component.
    """
    from .sdp_parser.component import SdpParser

    parser = SdpParser(
        nlp.vocab,
        model,
        name,
        loss=loss,
        noedge_weight=noedge_weight,
        deterministic=deterministic,
        both_directions=both_directions,
        tree=tree,
        max_distance=max_distance,
        min_label_freq=min_label_freq,
        scorer=scorer,
    )
    return owned(parser, nlp)


@Language.factory(
    "ucca_from_bilexical",
    assigns=["doc._.ucca"],
    requires=["doc._.sdp", "token.is_sent_start"],
    default_config={
        "levels": True,
        "one_unit": False,
        "linkage": False,
        "repair": True,
        "scorer": UCCA_SCORER,
    },
    default_score_weights={
        **DEFAULT_SCORE_WEIGHTS,
        "ucca_implicit_f": None,
        "ucca_weak_f": 0.0,
    },
)
def make_ucca_from_bilexical(
    nlp: Language,
    name: str,
    levels: bool,
    one_unit: bool,
    linkage: bool,
    repair: bool,
    scorer: Callable | None,
) -> "UccaFromBilexical":
    """Make a UccaFromBilexical.

    nlp (Language): The pipeline.
    name (str): The component instance name.
    levels, one_unit (bool): Which conversion to use: see `from_bilexical`.
    linkage (bool): Whether to add linkage units, which link linkers to the Scenes beside them.
    repair (bool): Whether to repair graphs that break the rules of UCCA.
    scorer (Optional[Callable]): The scoring method.
    RETURNS (UccaFromBilexical): The component.
    """
    from .by_conversion.from_bilexical import UccaFromBilexical

    component = UccaFromBilexical(
        name, levels=levels, one_unit=one_unit, linkage=linkage, repair=repair, scorer=scorer
    )
    return owned(component, nlp)


@Language.factory(
    "ucca_from_dependencies",
    assigns=["doc._.ucca"],
    requires=["token.dep", "token.head", "token.is_sent_start"],
    default_config={
        "levels": True,
        "one_unit": False,
        "linkage": False,
        "clear": False,
        "repair": True,
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
def make_ucca_from_dependencies(
    nlp: Language,
    name: str,
    levels: bool,
    one_unit: bool,
    linkage: bool,
    clear: bool,
    repair: bool,
    scorer: Callable | None,
) -> "UccaFromDependencies":
    """Make a UccaFromDependencies.

    nlp (Language): The pipeline.
    name (str): The component instance name.
    levels, one_unit (bool): Which conversion to use: see `from_bilexical`.
    linkage (bool): Whether to add linkage units, which link linkers to the Scenes beside them.
    clear (bool): Whether to remove the dependencies afterwards, so that another parser can come next.
    repair (bool): Whether to repair graphs that break the rules of UCCA.
    scorer (Optional[Callable]): The scoring method.
    RETURNS (UccaFromDependencies): The component.
    """
    from .by_conversion.from_dependencies import UccaFromDependencies

    component = UccaFromDependencies(
        name,
        levels=levels,
        one_unit=one_unit,
        linkage=linkage,
        clear=clear,
        repair=repair,
        scorer=scorer,
    )
    return owned(component, nlp)


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
    from .by_conversion.tree_parser import TreeParser

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
