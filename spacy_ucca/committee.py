"""`ucca_committee`: the component whose graphs are what several pipelines vote for, whatever parsers they have.

How votes are counted is `voting/`'s. Parsers of one kind whose scores are averaged at each step, which is another
thing, are `ensemble.py`'s. Nothing is learned here.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import repeat
from pathlib import Path
from typing import Any

import srsly
from spacy.language import Language
from spacy.pipeline.pipe import Pipe
from spacy.tokens import Doc
from spacy.util import load_model, load_model_from_config, minibatch
from thinc.api import Config

from .component import UccaParser
from .consensus import Votes, agree
from .corpus import bare_copy
from .errors import Errors, UccaError
from .extensions import get_graph, get_punct, register_extensions, set_graph, set_punct
from .graph import Graph
from .pipelines import load_pipeline, trained_parsers
from .voting import DEFAULT, Thresholds, check_weights

register_extensions()

MEMBERS = "members"  # the folder of the pipelines; they are numbered in it


@Language.factory(
    "ucca_committee",
    assigns=["doc._.ucca", "token.is_sent_start"],
    default_config={
        "pipelines": [],
        "weights": None,
        "thresholds": DEFAULT._asdict(),
        "scored": True,
        "repair": True,
        "scorer": {"@scorers": "spacy-ucca.ucca_scorer.v1"},
    },
    default_score_weights={
        "ucca_f": 1.0,
        "ucca_p": 0.0,
        "ucca_r": 0.0,
        "ucca_primary_f": 0.0,
        "ucca_remote_f": 0.0,
        "ucca_implicit_f": 0.0,
        "ucca_unlabeled_f": 0.0,
        "ucca_weak_f": None,
        "ucca_per_type": None,
    },
)
def make_ucca_committee(
    nlp: Language,
    name: str,
    pipelines: list[str],
    weights: list[float] | None,
    thresholds: dict[str, float],
    scored: bool,
    repair: bool,
    scorer: Callable | None,
) -> "UccaCommittee":
    """Make a UccaCommittee.

    nlp (Language): The pipeline.
    name (str): The component instance name.
    pipelines (List[str]): Those that vote: names of installed ones, or directories. They are loaded when they are
        first needed, and saved with this one, which needs them no more then.
    weights (Optional[List[float]]): What the vote of each weighs; the same, if it is None.
    thresholds (Dict[str, float]): What share of the votes "primary", "remote" and "implicit" edges need; see
        `voting.Thresholds`.
    scored (bool): Whether votes of edges that a parser is surer of weigh more. Parsers with an `extras_threshold` then
        name unlikely remote edges and implicit units too.
    repair (bool): Whether graphs follow the rules of UCCA: units are chosen by them, and what is still wrong is mended.
    scorer (Optional[Callable]): The scoring method.
    RETURNS (UccaCommittee): The component.
    """
    return UccaCommittee(
        name,
        pipelines=pipelines,
        weights=weights,
        thresholds=Thresholds(**thresholds),
        scored=scored,
        repair=repair,
        scorer=scorer,
    )


class UccaCommittee(Pipe):
    """Parses Docs with several pipelines and sets the graph that they vote for, on `doc._.ucca`.

    Each pipeline does all that it does, its tags and dependencies included, on a copy of the Doc. Only the tokens, the
    guidelines and the sentences are given; where a Doc has no sentences, they are those of the first pipeline. In a
    pipeline with several trained parsers, which may share a tok2vec or a transformer, each has a vote.

    name (str): The component instance name.
    pipelines (Sequence[Union[str, Path]]): Those that vote: names or directories.
    weights (Optional[Sequence[float]]): What the vote of each weighs.
    thresholds (Thresholds): What share of the votes things need.
    scored (bool): Whether votes of edges that a parser is surer of weigh more.
    repair (bool): Whether graphs follow the rules of UCCA.
    scorer (Optional[Callable]): The scoring method.
    """

    def __init__(
        self,
        name: str = "ucca_committee",
        *,
        pipelines: Sequence[str | Path] = (),
        weights: Sequence[float] | None = None,
        thresholds: Thresholds = DEFAULT,
        scored: bool = True,
        repair: bool = True,
        scorer: Callable | None = None,
    ) -> None:
        self.name = name
        self.weights = weights
        self.thresholds = thresholds
        self.scored = scored
        self.repair = repair
        self.scorer = scorer
        self._pipelines = list(pipelines)
        self._members: list[Language] | None = None

    @property
    def members(self) -> list[Language]:
        """RETURNS (List[Language]): The pipelines that vote; may be set.
        RAISES (UccaError): If there are none, one cannot be loaded, or there are not as many weights, or these are not
            positive."""
        if self._members is None:
            if not self._pipelines:
                raise UccaError(Errors.UC863.format(name=self.name))
            self.members = [load_pipeline(str(name)) for name in self._pipelines]
        return self._members or []

    @members.setter
    def members(self, members: list[Language]) -> None:
        if self.weights is not None:
            check_weights(self.weights, len(members))
        self._members = members

    def __call__(self, doc: Doc) -> Doc:
        """Set the graph of a Doc.

        doc (Doc): The Doc.
        RETURNS (Doc): The same Doc.
        """
        return next(self.pipe([doc]))

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """Set the graphs of Docs.

        stream (Iterable[Doc]): The Docs.
        batch_size (int): How many are parsed at a time.
        YIELDS (Doc): The same Docs, in order.
        """
        error_handler = self.get_error_handler()
        for docs in minibatch(stream, batch_size):
            try:
                self.set_annotations(docs, self.predict(docs))
                yield from docs
            except Exception as err:
                error_handler(self.name, self, docs, err)

    def predict(self, docs: Iterable[Doc]) -> list[Graph]:
        """Parse a batch, without changing it.

        docs (Iterable[Doc]): The Docs.
        RETURNS (List[Graph]): The graph of each.
        RAISES (UccaError): If a pipeline sets no graphs.
        """
        divided = list(docs)
        votes: list[Votes] = [[] for _ in divided]
        for member, weight in zip(self.members, self.weights or repeat(1.0)):
            copies = [bare_copy(doc, False, member.vocab) for doc in divided]
            with _outspoken(member, extras=self.scored):
                found, voters = _parse(member, copies)
            for graphs in voters:
                for own, parses in zip(votes, graphs, strict=True):
                    own += [(weight * share, graph) for share, graph in parses]
            # The others get the sentences of the first.
            divided = [
                doc if doc.has_annotation("SENT_START") else _divided(doc, other)
                for doc, other in zip(divided, found, strict=True)
            ]
        how = {"scored": self.scored, "mend": self.repair}
        return [
            agree(doc, own, self.thresholds, **how) for doc, own in zip(divided, votes, strict=True)
        ]

    def set_annotations(self, docs: Iterable[Doc], graphs: Iterable[Graph]) -> None:
        """Write graphs to Docs, and sentences, where there are none.

        docs (Iterable[Doc]): The Docs.
        graphs (Iterable[Graph]): The graphs, from `predict`.
        """
        for doc, graph in zip(docs, graphs):
            set_graph(doc, graph)
            if len(doc) and not doc.has_annotation("SENT_START"):
                starts = {0, *(min(root.tokens(), default=0) for root in graph.roots)}
                for token in doc:
                    token.is_sent_start = token.i in starts

    # Serialization: the pipelines go with the component

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Save the pipelines that vote.

        path (Union[str, Path]): The directory.
        exclude (Iterable[str]): Fields to leave out: "members".
        """
        if MEMBERS not in exclude:
            for number, member in enumerate(self.members):
                folder = Path(path) / MEMBERS / str(number)
                folder.mkdir(parents=True, exist_ok=True)
                member.to_disk(folder)

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> "UccaCommittee":
        """Load the pipelines that vote.

        path (Union[str, Path]): The directory.
        exclude (Iterable[str]): Fields to leave out: "members".
        RETURNS (UccaCommittee): The component.
        """
        folder = Path(path) / MEMBERS
        if MEMBERS not in exclude and folder.is_dir():
            saved = sorted(folder.iterdir(), key=lambda saved: int(saved.name))
            self.members = [load_model(directory) for directory in saved]
        return self

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """Write the pipelines that vote to a bytestring.

        exclude (Iterable[str]): Fields to leave out: "members".
        RETURNS (bytes): Them, with their configurations.
        """
        members = [] if MEMBERS in exclude else self.members
        return srsly.msgpack_dumps(
            {MEMBERS: [(member.config.to_str(), member.to_bytes()) for member in members]}
        )

    def from_bytes(self, data: bytes, *, exclude: Iterable[str] = ()) -> "UccaCommittee":
        """Load the pipelines that vote from a bytestring.

        data (bytes): What `to_bytes` gave.
        exclude (Iterable[str]): Fields to leave out: "members".
        RETURNS (UccaCommittee): The component.
        """
        found: Any = srsly.msgpack_loads(data)[MEMBERS]
        if MEMBERS not in exclude and found:
            self.members = [
                load_model_from_config(Config().from_str(config)).from_bytes(weights)
                for config, weights in found
            ]
        return self


def voters_of(nlp: Language) -> list[Language]:
    """Find all pipelines that take part in one.

    nlp (Language): A pipeline.
    RETURNS (List[Language]): It and those that vote in it.
    """
    committees = [pipe for _, pipe in nlp.pipeline if isinstance(pipe, UccaCommittee)]
    return [nlp, *(v for pipe in committees for m in pipe.members for v in voters_of(m))]


def set_beam(nlp: Language, width: int | None = None, votes: bool | None = None) -> None:
    """Say how many parses of a sentence the parsers of a pipeline follow, and whether these vote; those of its voters
    too. A pipeline that is saved keeps it.

    nlp (Language): The pipeline.
    width (Optional[int]): How many; None leaves it as it is.
    votes (Optional[bool]): Whether they vote; None leaves it as it is.
    """
    given = {"beam_width": width, "beam_votes": votes}
    settings = {name: value for name, value in given.items() if value is not None}
    for voter in voters_of(nlp):
        for name, parser in voter.pipeline:
            if isinstance(parser, UccaParser):
                voter.get_pipe_config(name).update(settings)
                for setting, value in settings.items():
                    setattr(parser, setting, value)


def _parse(nlp: Language, docs: list[Doc]) -> tuple[list[Doc], list[list[Votes]]]:
    """Parse with a pipeline, component by component, as `nlp.pipe` does. A parser whose beam votes does so here, unless
    another component comes between it and the next parser, or the end: that may change what it has set.

    nlp (Language): The pipeline.
    docs (List[Doc]): The Docs, which it may change.
    RETURNS (Tuple[List[Doc], List[List[Votes]]]): The Docs, and by voter the graphs of each and what they weigh, in sum
        1: what every trained parser has set, and what the pipeline has set in the end.
    RAISES (UccaError): If it sets no graphs.
    """
    voters: list[list[Votes]] = []
    parsers = trained_parsers(nlp)
    components = [component for _, component in nlp.pipeline]
    for component, following in zip(components, [*components[1:], None]):
        is_last = following is None or following in parsers[1:]  # which replaces what is set
        if is_last and isinstance(component, UccaParser) and component.votes:
            voters.append(component.beam_parse(docs))
            component.set_annotations(docs, [graphs[0][1] for graphs in voters[-1]])
            continue
        # Functions can be components.
        pipe = getattr(component, "pipe", partial(map, component))
        docs = list(pipe(docs))
        if is_last:
            voters.append(_graphs(nlp, docs))
    return docs, voters or [_graphs(nlp, docs)]  # a pipeline of nothing sets none


def _graphs(nlp: Language, docs: list[Doc]) -> list[Votes]:
    found = [graph for doc in docs if (graph := get_graph(doc)) is not None]
    if len(found) < len(docs):
        raise UccaError(Errors.UC864.format(model=f"{nlp.lang}_{nlp.meta['name']}"))
    return [[(1.0, graph)] for graph in found]


@contextmanager
def _outspoken(nlp: Language, *, extras: bool) -> Iterator[None]:
    """Have the parsers of a pipeline say what they believe, as a context: graphs are left as they were decoded. Where
    following the rules is part of the search (`ucca_span_parser`), they do.

    nlp (Language): The pipeline.
    extras (bool): Whether to name remote edges and implicit units too that they hold for unlikely: what all of them hold
        possible may be likely. Then their calibration, which was fitted on likely ones, leaves these alone.
    """
    settings: list[tuple[Any, str, Any]] = []
    for parser in trained_parsers(nlp):
        if extras:
            calibration, threshold = parser.in_votes
            settings.append((parser, "extras_threshold", threshold))
            if "calibration" in parser.cfg:
                settings.append((parser, "calibration", calibration))
        if isinstance(parser, UccaParser):
            settings.append((parser, "repair", False))
    before = [(parser, name, getattr(parser, name)) for parser, name, _ in settings]
    try:
        for parser, name, value in settings:
            setattr(parser, name, value)
        yield
    finally:
        for parser, name, value in before:
            setattr(parser, name, value)


def _divided(doc: Doc, parsed: Doc) -> Doc:
    """RETURNS (Doc): A copy of a Doc with the sentences of a parsed one, and nothing else of that."""
    copied = bare_copy(parsed, False)
    set_punct(copied, get_punct(doc))
    return copied
