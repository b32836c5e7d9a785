"""What `initialize` needs of the training examples of a parser."""

import warnings
from collections.abc import Callable, Iterable
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from ..errors import Warnings
from ..graph import Graph
from ..graph.categories import CATEGORY_NAMES
from ..graph.data import with_guidelines
from ..tokens.extension import get_graph, get_guidelines
from .guidelines import follow_references

MAX_TEXT = 60  # characters of a Doc in a message
N_SAMPLE = 10  # Docs that a model is initialized with


class Missing:
    """Count examples without graphs, which spaCy's corpus reader makes of some with graphs.

    name (str): The name of the component that learns.
    attribute (str): The extension that has the graphs.
    reader (str): The corpus reader that keeps them.
    """

    def __init__(self, name: str, attribute: str, reader: str) -> None:
        self._names = {"name": name, "attribute": attribute, "reader": reader}
        self._n = self._total = 0

    def count(self, reference: Doc, graph: Any) -> None:
        """Count an example; one without tokens needs no graph.

        reference (Doc): The reference.
        graph (Any): Its graph, or None.
        """
        self._total += 1
        self._n += graph is None and len(reference) > 0

    def warn(self) -> None:
        """Warn if some have none. If all have none, nothing can be learned, which is an error."""
        if 0 < self._n < self._total:
            text = Warnings.UW352.format(n=self._n, total=self._total, **self._names)
            warnings.warn(text, stacklevel=4)


def collect(
    get_examples: Callable[[], Iterable[Example]],
    nlp: Language | None,
    graphs_of: Callable[[Example], Iterable[Graph]],
    guidelines: str,
    *,
    name: str,
) -> tuple[list[Graph], set[str], set[str], list[Doc]]:
    """Collect the gold graphs, dependency labels and tags of examples, for `initialize`.

    get_examples (Callable[[], Iterable[Example]]): Gives the training examples.
    nlp (Optional[Language]): The pipeline.
    graphs_of (Callable[[Example], Iterable[Graph]]): Gives the gold graphs of an example.
    guidelines (str): The guidelines of examples that name none.
    name (str): The name of the component, for a warning of examples without graphs.
    RETURNS (Tuple[List[Graph], Set[str], Set[str], List[Doc]]): The gold graphs, which say what they follow, all
        dependency labels, all tags, and some Docs to initialize a model with.
    """
    graphs: list[Graph] = []
    deps = find_labels(nlp, "parser")
    tags = find_labels(nlp, "tagger")
    sample: list[Doc] = []
    unknown: dict[str, str] = {}
    missing = Missing(name, "ucca", "Corpus")
    for eg in get_examples():
        follow_references([eg])
        missing.count(eg.reference, get_graph(eg.reference))
        details = with_guidelines({}, get_guidelines(eg.predicted) or guidelines)
        for graph in graphs_of(eg):
            graphs.append(graph.replace(details=details, check=False))
            for edge in graph.edges:
                for category in set(edge.categories) - CATEGORY_NAMES.keys():
                    unknown.setdefault(category, eg.reference.text)
        for doc in (eg.predicted, eg.reference):
            deps.update(token.dep_ for token in doc)
            tags.update(token.tag_ for token in doc)
        if len(sample) < N_SAMPLE:
            sample.append(eg.predicted)
    missing.warn()
    for category, text in unknown.items():
        warnings.warn(Warnings.UW309.format(category=category, text=text[:MAX_TEXT]), stacklevel=3)
    return graphs, deps - {""}, tags - {""}, sample


def find_labels(nlp: Language | None, factory: str) -> set[str]:
    """RETURNS (Set[str]): Labels that the components of a factory in the pipeline may predict."""
    if nlp is None:
        return set()
    pipes = [pipe for name, pipe in nlp.pipeline if nlp.get_pipe_meta(name).factory == factory]
    return {label for pipe in pipes for label in getattr(pipe, "labels", ())}
