"""What a parser asks of its Docs: whether they are like those that it has learned from, and what `initialize` needs of examples."""

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from spacy.attrs import DEP, IS_ALPHA, IS_STOP, TAG
from spacy.language import Language
from spacy.pipeline.tok2vec import Tok2VecListener
from spacy.tokens import Doc
from spacy.training import Example
from thinc.api import Model

from ..errors import Errors, UccaError, Warnings
from ..graph import Graph
from ..graph.categories import CATEGORY_NAMES
from ..graph.data import with_guidelines
from ..tokens.extension import get_graph, get_guidelines
from ..tokens.language import get_lang
from .labels import follow_references

# Attributes whose values are looked up, what they are called, and the component that sets them
VALUES = {TAG: ("tags", "`tagger`"), DEP: ("dependencies", "`parser`")}
# Unknown values of a Doc: fewer tokens are chance.
MIN_UNKNOWN = 3
MIN_UNKNOWN_SHARE = 0.1
# Of so many words in a row, fewer stop words are another language. In Universal Dependencies of English, French and
# German, half of the words are stop words of the language, and 0 to 7 % are stop words of another one (medians).
N_WORDS = 100
MAX_STOP_SHARE = 0.15
# Languages whose lists of stop words are long enough: none of the texts of Parallel UD is taken for another language.
LISTED = frozenset("ar cs de en es fi fr hi id it pl pt ru sv".split())
ANY_LANGUAGE = ("", "xx")
# Docs of a batch that are looked at: enough to find what is true of a text, and less than 1 % of the time of parsing.
N_DOCS = 8


def check_listeners(model: Model, name: str, docs: Sequence[Doc]) -> None:
    """Check that the component that a parser listens to has run, right before it: it leaves its vectors in `doc.tensor`.

    model (Model): The model of the parser.
    name (str): The name of the parser.
    docs (Sequence[Doc]): A batch of Docs.
    RAISES (UccaError): If a Doc has no such vectors, or some of another width.
    """
    for node in model.walk():
        if isinstance(node, Tok2VecListener):
            width = node.get_dim("nO")
            if any(len(doc) and doc.tensor.shape != (len(doc), width) for doc in docs):
                upstream = node.upstream_name.replace("*", "tok2vec")
                raise UccaError(Errors.UC362.format(name=name, upstream=upstream))


class UnfamiliarDocs:
    """Watch the Docs that a parser gets, and say once what is unfamiliar about them.

    name (str): The name of the component.
    lang (str): The language of the parser.
    """

    def __init__(self, name: str, lang: str) -> None:
        self.name = name
        self.lang = lang
        self._said: set[str] = set()
        self._n_words = 0
        self._n_stop_words = 0

    def messages(self, docs: Sequence[Doc], known: Mapping[int, frozenset[int]]) -> Iterator[str]:
        """Find what there is to warn of.

        docs (Sequence[Doc]): A batch of Docs.
        known (Mapping[int, FrozenSet[int]]): By attribute, `TAG` and `DEP`, the values that the parser knows, as in
            `doc.to_array`. Without any, none is unknown.
        YIELDS (str): The messages.
        """
        for doc in docs[:: 1 + len(docs) // N_DOCS]:
            for attr, (what, remedy) in VALUES.items():
                if what in self._said or attr not in known:
                    continue
                if values := find_unknown(doc, attr, known[attr]):
                    self._said.add(what)
                    details = {"what": what, "remedy": remedy, "values": ", ".join(values[:5])}
                    yield Warnings.UW304.format(name=self.name, **details)
            if "language" not in self._said and self._is_foreign(doc):
                self._said.add("language")
                yield Warnings.UW305.format(name=self.name, lang=self.lang, text=doc[:8].text)

    def _is_foreign(self, doc: Doc) -> bool:
        """RETURNS (bool): Whether a Doc, with those before it, is in another language: its vocabulary is, or hardly any of
        the words is a stop word."""
        lang = get_lang(doc)
        if self.lang in ANY_LANGUAGE or lang in ANY_LANGUAGE:
            return False
        if lang != self.lang:
            return True
        if self.lang not in LISTED or not len(doc):
            return False
        is_word, is_stop = doc.to_array([IS_ALPHA, IS_STOP]).reshape((-1, 2)).astype("bool").T
        self._n_words += int(is_word.sum())
        self._n_stop_words += int((is_word & is_stop).sum())
        if self._n_words < N_WORDS:
            return False
        foreign = self._n_stop_words < MAX_STOP_SHARE * self._n_words
        self._n_words = self._n_stop_words = 0
        return foreign


def find_unknown(doc: Doc, attr: int, known: frozenset[int]) -> list[str]:
    """Find values of an attribute that a parser does not know.

    doc (Doc): The Doc.
    attr (int): The attribute.
    known (FrozenSet[int]): All known values, as in `doc.to_array`.
    RETURNS (List[str]): The unknown values, sorted, if more than a few tokens have such; otherwise none.
    """
    values = doc.to_array(attr).tolist()
    if known.issuperset(values):  # the common case, made fast
        return []
    unknown = [i for i, value in enumerate(values) if value and value not in known]
    enough = max(MIN_UNKNOWN, MIN_UNKNOWN_SHARE * len(values))
    if len(unknown) < enough:
        return []
    unknown = [i for i in unknown if not doc[i].is_space]
    if len(unknown) < enough:
        return []
    return sorted({doc.vocab.strings[values[i]] for i in unknown})


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
        # Not of the reference: the parser does not see it
        deps.update(token.dep_ for token in eg.predicted)
        tags.update(token.tag_ for token in eg.predicted)
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
