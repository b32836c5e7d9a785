"""What `initialize` needs of the training examples of a parser."""

import warnings
from collections.abc import Callable, Iterable

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from ..errors import Warnings
from ..graph import Graph
from ..graph.categories import CATEGORY_NAMES
from ..graph.details import with_guidelines
from ..tokens.extension import get_guidelines

__all__ = ["N_SAMPLE", "collect", "find_labels"]

MAX_TEXT = 60  # characters of a Doc in a message
N_SAMPLE = 10  # Docs that a model is initialized with


def collect(
    get_examples: Callable[[], Iterable[Example]],
    nlp: Language | None,
    graphs_of: Callable[[Example], Iterable[Graph]],
    guidelines: str,
) -> tuple[list[Graph], set[str], set[str], list[Doc]]:
    """Collect the gold graphs, dependency labels and tags of examples, for `initialize`.

    get_examples (Callable[[], Iterable[Example]]): Gives the training examples.
    nlp (Optional[Language]): The pipeline.
    graphs_of (Callable[[Example], Iterable[Graph]]): Gives the gold graphs of an example.
    guidelines (str): The guidelines of examples that name none.
    RETURNS (Tuple[List[Graph], Set[str], Set[str], List[Doc]]): The gold graphs, which say what they follow, all
        dependency labels, all tags, and some Docs to initialize a model with.
    """
    graphs: list[Graph] = []
    deps = find_labels(nlp, "parser")
    tags = find_labels(nlp, "tagger")
    sample: list[Doc] = []
    unknown: dict[str, str] = {}
    for eg in get_examples():
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
    for category, text in unknown.items():
        warnings.warn(Warnings.UW309.format(category=category, text=text[:MAX_TEXT]), stacklevel=3)
    return graphs, deps - {""}, tags - {""}, sample


def find_labels(nlp: Language | None, factory: str) -> set[str]:
    """RETURNS (Set[str]): Labels that the components of a factory in the pipeline may predict."""
    if nlp is None:
        return set()
    pipes = [pipe for name, pipe in nlp.pipeline if nlp.get_pipe_meta(name).factory == factory]
    return {label for pipe in pipes for label in getattr(pipe, "labels", ())}
