"""Find the gold sentences of a batch and their training targets, and cache the targets between epochs."""

import warnings
from collections.abc import Callable, Hashable, Iterable, Iterator
from functools import lru_cache, partial
from typing import Generic, NamedTuple, TypeVar

import numpy
from spacy.training import Example

from ..errors import OracleError, UccaError, Warnings
from ..features.state_rows import Syntax
from ..graph import Graph
from ..layers.rows import Targets
from ..text.align import project
from ..tokens.extension import get_graph
from ..tokens.sentences import read_syntax
from ..tokens.storage import words_of
from .examples import make_targets
from .labels import Inventory

MAX_SENTENCES = 50_000  # bounds memory; the targets of further sentences are made in each epoch

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class GoldSentence(NamedTuple):
    """A gold sentence of a batch, without unattached tokens, such as whitespace.

    graph (Graph): Its graph.
    syntax (Syntax): The dependency tree of the predicted Doc over its tokens.
    places (ndarray[int32]): The numbers of its tokens in the batch.
    """

    graph: Graph
    syntax: Syntax
    places: numpy.ndarray


class SentenceCache(Generic[Key, Value]):
    """Cache one value for each gold sentence, made on first use. Workers of `nlp.pipe(n_process=2)` and copies begin with
    an empty cache.

    name (str): The name of the component, for messages.
    """

    refusal: type[UccaError] = OracleError  # raised where a sentence cannot be learned

    def __init__(self, name: str) -> None:
        self.name = name
        self._values: dict[Key, Value | None] = {}
        self._warned: set[str] = set()

    def __reduce__(self) -> tuple:
        return type(self), (self.name,)

    def __len__(self) -> int:
        return len(self._values)

    def clear(self) -> None:
        """Remove all values, because labels have changed."""
        self._values.clear()

    def get_or_make(self, key: Key, make: Callable[[], Value]) -> Value | None:
        """Get the value of a sentence.

        key (Hashable): The key of the sentence.
        make (Callable[[], Any]): Makes the value; raises `refusal` if the sentence cannot be learned.
        RETURNS (Optional[Any]): The value; None if the sentence cannot be learned: the first call warns.
        """
        if key in self._values:
            return self._values[key]
        value = None
        try:
            value = make()
        except self.refusal as err:
            message = Warnings.UW302.format(name=self.name, reason=err)
            self._warn(message, message)
        # Sentences come in the same order in each epoch: to evict the oldest one would drop each just before its turn.
        if len(self._values) < MAX_SENTENCES:
            self._values[key] = value
        return value

    def sentences(
        self, examples: Iterable[Example], dep_ids: dict[int, int]
    ) -> Iterator[GoldSentence]:
        """Find the gold sentences of a batch.

        examples (Iterable[Example]): The batch.
        dep_ids (Dict[int, int]): The number of each dependency label, by its hash.
        YIELDS (GoldSentence): The sentences whose graph has attached tokens.
        """
        offset = 0
        for eg in examples:
            for start, graph in self._graphs(eg):
                attached = [i for i in range(len(graph.words)) if graph.unit_of(i) is not None]
                if attached:
                    tokens = numpy.array(attached, dtype="int32") + start
                    syntax = read_syntax(eg.predicted, tokens, dep_ids)
                    yield GoldSentence(graph.only(attached), syntax, tokens + offset)
            offset += len(eg.predicted)

    def _graphs(self, eg: Example) -> list[tuple[int, Graph]]:
        """RETURNS (List[Tuple[int, Graph]]): The first token of each sentence of an example, and its gold graph, over the
        tokens of the predicted Doc; nothing without a graph."""
        graph = get_graph(eg.reference)
        if graph is None:
            return []
        words = words_of(eg.predicted)
        if list(graph.words) != words:
            self._warn(Warnings.UW350.format(name=self.name, text=eg.reference.text[:60]), "UW350")
            graph = _moved(graph, tuple(words))
        if graph is None:
            return []
        return [(0, graph)] if len(graph.roots) == 1 else graph.sentences()

    def _warn(self, message: str, key: str) -> None:
        """Warn once for each key."""
        if key not in self._warned:
            self._warned.add(key)
            warnings.warn(message, stacklevel=2)


class TargetCache(SentenceCache[tuple[Graph, bytes], dict[str, Targets]]):
    """Cache the targets of `ucca_parser`, by graph and dependency tree of a sentence."""

    def find(
        self, inventory: Inventory, examples: Iterable[Example]
    ) -> list[tuple[GoldSentence, dict[str, Targets]]]:
        """Find the gold sentences of a batch with their targets, without those that cannot be built.

        inventory (Inventory): Labels, system and columns.
        examples (Iterable[Example]): The batch.
        RETURNS (List[Tuple[GoldSentence, Dict[str, Targets]]]): Each sentence, and its targets by scorer.
        """
        pairs = []
        for gold in self.sentences(examples, inventory.dep_ids):
            key = gold.graph, numpy.array([gold.syntax.heads, gold.syntax.deps]).tobytes()
            make = partial(make_targets, inventory, gold.graph, gold.syntax)
            targets = self.get_or_make(key, make)
            if targets is not None:
                pairs.append((gold, targets))
        return pairs


@lru_cache(maxsize=4096)  # the same in each epoch
def _moved(graph: Graph, words: tuple[str, ...]) -> Graph | None:
    """RETURNS (Optional[Graph]): A graph over other tokens of its text; None if it has none of them."""
    return project(graph, words)[0]
