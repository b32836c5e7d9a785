"""`sdp_parser`: the trainable pipeline component that parses text to bilexical graphs, on `doc._.sdp`.

It predicts in the three stages of the paper: singletons, edges, tops.
"""

import itertools
import warnings
from collections import Counter
from collections.abc import Callable, Iterable

import numpy
from numpy import ndarray
from spacy.errors import Errors as SpacyErrors
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example, validate_get_examples
from spacy.training.batchers import minibatch_by_words
from spacy.util import minibatch
from thinc.api import set_dropout_rate

from ..conversion.graph import ROOT, TOP, Arc, BilexicalGraph, Token
from ..errors import Errors, Warnings
from ..parser.checks import Missing
from ..parser.search import finite
from ..parser.settings import SdpSettings
from ..parser.trainable import TrainableParser, check_given_labels
from ..tokens.storage import words_of
from .batch import NO_EDGE, Batch, Gold, Pairs, Scores, edge_label, find_pairs, read_gold
from .decoding import best_labels, best_tree_labels, choose_tops
from .extension import SDP, get_arcs
from .logit_edge import AdaGradTable
from .losses import LOSSES, binary_loss
from .metric import REMOTE_MARK

PART_DOCS = 64  # whose singletons are found together
PART_TOKENS = 4_000  # parsed together: more would take memory and save no time


class SdpParser(TrainableParser[SdpSettings], settings=SdpSettings):
    """Parse Docs into bilexical graphs, on `doc._.sdp`, one top per sentence. The fields of the settings are also attributes
    of the component, such as `parser.tree`, and may be set.

    vocab (Vocab): The shared vocabulary.
    model (Model[List[Doc], Scores]): The model, as `build_logit_edge` or `build_biaffine_edges` makes it.
    name (Optional[str]): The component instance name.
    scorer (Optional[Callable]): The scoring method.
    settings (Optional[SdpSettings]): The settings.
    """

    default_name = "sdp_parser"

    @property
    def constraints(self) -> dict[str, bool]:
        """RETURNS (Dict[str, bool]): The settings that say which edges may stand beside each other."""
        return {"both_directions": self.both_directions, "deterministic": self.deterministic}

    # Labels

    @property
    def labels(self) -> tuple[str, ...]:
        """RETURNS (Tuple[str, ...]): The labels of edges; a star marks those of remote arcs."""
        return tuple(self.cfg.get("labels", ()))

    @property
    def label_data(self) -> list[str] | None:
        """RETURNS (Optional[List[str]]): The argument `labels` of `initialize`; None without any."""
        return list(self.labels) or None

    @property
    def _sizes(self) -> dict[str, dict[str, int]]:
        return {"": {"nO": 1 + len(self.labels)}}

    def add_label(self, label: str) -> int:
        """Add a label of edges. A trained model gets new outputs for it and keeps its weights.

        label (str): The label.
        RETURNS (int): 1 if it is new, 0 if not.
        """
        if not isinstance(label, str) or not label:
            raise ValueError(SpacyErrors.E187)
        if label in self.labels:
            return 0
        self.cfg["labels"] = [*self.labels, label]
        if self._is_initialized():  # weights stay, and the new label gets an output
            n_out = 1 + len(self.labels)
            self.model.attrs["resize_output"](self.model, n_out)
            self.model.set_dim("nO", n_out, force=True)
        self.vocab.strings.add(label)
        return 1

    # Parsing

    def predict(self, docs: Iterable[Doc]) -> list[BilexicalGraph]:
        """Parse a batch, without changing it.

        docs (Iterable[Doc]): The Docs.
        RETURNS (List[BilexicalGraph]): The graph of each, over all its tokens; whitespace has no arcs.
        """
        docs = list(docs)
        self._warn_of_missing(docs)
        if any(len(doc) for doc in docs):
            self._require_initialized()
            self._check_weights()
        graph_of: dict[int, BilexicalGraph] = {}
        with self._parsing():
            for part in minibatch_by_words(docs, PART_TOKENS, tolerance=0.0):  # in any order
                graph_of.update((id(doc), graph) for doc, graph in zip(part, self._parse(part)))
        return [graph_of[id(doc)] for doc in docs]

    def _parse(self, docs: list[Doc]) -> list[BilexicalGraph]:
        if not any(map(len, docs)):
            return [BilexicalGraph(()) for _ in docs]
        scores: Scores = self.model.predict(docs)
        batch = scores.batch
        used = finite(scores.singletons) >= 0
        pairs = find_pairs(batch.tokens, used, self.max_distance)
        edge_scores = finite(scores.edges(pairs))
        labels = best_labels(edge_scores, pairs, **self.constraints)
        if self.tree:
            remote = [label.endswith(REMOTE_MARK) for label in ("", *self.labels)]
            labels, tops = best_tree_labels(
                edge_scores, pairs, labels, numpy.array(remote), finite(scores.tops), used
            )
        edges = numpy.flatnonzero(labels != NO_EDGE)
        heads, dependents = pairs.head[edges], pairs.dependent[edges]
        if not self.tree:
            with_edges = numpy.zeros(len(used), dtype="bool")
            with_edges[heads] = with_edges[dependents] = True
            tops = choose_tops(finite(scores.tops), batch.tokens.start, with_edges, used)
        return self._graphs(batch, heads, dependents, labels[edges] - 1, tops)

    def _graphs(
        self, batch: Batch, heads: ndarray, dependents: ndarray, labels: ndarray, tops: ndarray
    ) -> list[BilexicalGraph]:
        arcs: list[list[Arc]] = [[] for _ in batch.docs]
        names = [(n.removesuffix(REMOTE_MARK), n.endswith(REMOTE_MARK)) for n in self.labels]
        index, doc = batch.index.tolist(), batch.doc.tolist()
        for top in tops.tolist():
            arcs[doc[top]].append(Arc(ROOT, index[top], TOP))
        for head, dependent, label in zip(heads.tolist(), dependents.tolist(), labels.tolist()):
            arcs[doc[head]].append(Arc(index[head], index[dependent], *names[label]))
        return [
            BilexicalGraph(
                tuple(Token(word) for word in words_of(doc)),
                tuple(sorted(doc_arcs, key=lambda arc: (arc.dependent, arc.remote, arc.head))),
                tuple(token.is_punct for token in doc),
            )
            for doc, doc_arcs in zip(batch.docs, arcs)
        ]

    def set_annotations(self, docs: Iterable[Doc], graphs: Iterable[BilexicalGraph]) -> None:
        """Write parses to Docs.

        docs (Iterable[Doc]): The Docs.
        graphs (Iterable[BilexicalGraph]): The graphs, from `predict`.
        """
        for doc, graph in zip(docs, graphs):
            doc._.sdp = graph

    # Training

    def _is_initialized(self) -> bool:
        nodes = [*self.model.walk()]
        shims = (shim for node in nodes for shim in node.shims)
        if any(isinstance(shim, AdaGradTable) and shim.weights is None for shim in shims):
            return False
        return all(node.has_param(name) is not None for node in nodes for name in node.param_names)

    def _learn(self, examples: list[Example], drop: float) -> float | None:
        """Learn the edges of candidate pairs: their tokens are not singletons, in the gold graph or by the model."""
        examples = [eg for eg in examples if len(eg.x) and get_arcs(eg.reference) is not None]
        if not examples:
            return None
        set_dropout_rate(self.model, drop)
        scores, backprop = self.model.begin_update([eg.predicted for eg in examples])
        gold = read_gold(examples, scores.batch, self.labels)
        self._warn_unknown(gold)
        singletons = scores.singletons
        singleton_loss, d_singletons = binary_loss(singletons, gold.used)
        pairs = find_pairs(scores.batch.tokens, gold.used | (singletons >= 0), self.max_distance)
        edge_loss, d_edges = self._edge_loss(scores.edges(pairs), gold, pairs)
        top_loss, d_tops = binary_loss(scores.tops, gold.top)
        scores.learn(d_singletons, d_tops, d_edges)
        backprop(None)
        return singleton_loss + edge_loss + top_loss

    def _edge_loss(self, scores: ndarray, gold: Gold, pairs: Pairs) -> tuple[float, ndarray]:
        return LOSSES[self.loss](
            scores, gold.classes(pairs), self.noedge_weight, pairs=pairs, **self.constraints
        )

    def _warn_unknown(self, gold: Gold) -> None:
        new = sorted(gold.unknown - self._warned - set(self.cfg.get("rare", ())))
        if new:
            self._warned.update(new)
            message = Warnings.UW871.format(name=self.name, labels=", ".join(new))
            warnings.warn(message, stacklevel=5)  # that of `update`

    def singleton_accuracy(self, examples: Iterable[Example]) -> float | None:
        """Measure how often the first stage is right, which finds the tokens without arcs (section 3.1 of the paper). Later
        stages can leave other tokens without arcs too.

        examples (Iterable[Example]): Examples whose predicted Docs have the tags and dependencies that it uses.
        RETURNS (Optional[float]): The share of tokens that it takes for a singleton if they are one in the gold graph, and
            only then. None without tokens that have a gold graph.
        """
        n_right = n_tokens = 0
        for part in minibatch((eg for eg in examples if len(eg.predicted)), PART_DOCS):
            scores = self.model.predict([eg.predicted for eg in part])
            gold = read_gold(part, scores.batch, self.labels)
            right = (scores.singletons >= 0) == gold.used
            n_right += int(right[gold.known].sum())
            n_tokens += int(gold.known.sum())
        return n_right / n_tokens if n_tokens else None

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Language | None = None,
        labels: list[str] | None = None,
    ) -> None:
        """Collect the labels and initialize the model. Labels that were added before stay.

        get_examples (Callable[[], Iterable[Example]]): Returns the training examples.
        nlp (Optional[Language]): The pipeline.
        labels (Optional[List[str]]): The `label_data` of an earlier run, as `spacy init labels` writes it.
        """
        validate_get_examples(get_examples, "SdpParser.initialize")
        if labels is not None:
            check_given_labels(labels, self.name)
        label_counts = Counter(labels or ())
        sample = [eg.predicted for eg in itertools.islice(get_examples(), 10)]
        if labels is None:
            missing = Missing(self.name, SDP, "SdpCorpus")
            for eg in get_examples():
                arcs = get_arcs(eg.reference)
                missing.count(eg.reference, arcs)
                label_counts.update(edge_label(arc) for arc in arcs or () if arc.head != ROOT)
            missing.warn()
            rare = {label for label, n in label_counts.items() if n < self.min_label_freq}
            self.cfg["rare"] = sorted(rare - set(self.labels))
        new = label_counts.keys() - set(self.labels) - set(self.cfg.get("rare", ()))
        self.cfg["labels"] = [*self.labels, *sorted(new)]
        if not self.labels:
            found = {"attribute": "sdp", "reader": "SdpCorpus"}
            raise ValueError(Errors.UC312.format(name=self.name, **found))
        for label in self.labels:
            self.vocab.strings.add(label)
        self.model.set_dim("nO", 1 + len(self.labels), force=True)
        self.model.initialize(X=sample or [Doc(self.vocab, words=["hello"])])
