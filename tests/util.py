"""Small pipelines and examples for the tests of the component and what it is made of."""

import random
from collections.abc import Iterable, Sequence

import numpy
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import fix_random_seed
from spacy.vocab import Vocab
from thinc.api import Config

import spacy_ucca  # noqa: F401
from spacy_ucca.component import DEFAULT_UCCA_MODEL
from spacy_ucca.features.state_rows import Syntax
from spacy_ucca.graph import Graph

VOCAB = spacy.blank("en").vocab  # takes a tenth of a second to make
DEPS = ("det", "nsubj", "obj", "punct")
TINY = {
    "hidden_width": 24,
    "pair_width": 12,
    "unit_width": 12,
    "tok2vec": {
        "embed": {
            "attrs": ["LOWER", "SUFFIX", "TAG", "HEAD_TAG"],
            "rows": [300, 100, 50, 50],
            "widths": [16, 8, 4, 4],
            "word_dropout": 0.0,
        },
        "encode": {"width": 24, "recurrent_dropout": 0.0},
    },
}

CNN = {
    **{"pretrained_vectors": None, "width": 16, "depth": 1, "embed_size": 300},
    **{"window_size": 1, "maxout_pieces": 2, "subword_features": True},
}


def tiny_config(system: str = "tree", **overrides) -> dict:
    """RETURNS (Dict): The component's default settings with small widths, and without exploration, which makes losses
    random; a model key may be given."""
    model = Config(DEFAULT_UCCA_MODEL).merge(Config(TINY)).merge(Config({"system": system}))
    return {"model": {**model, **overrides}, "scorer": None, "exploration": 0.0}


def make_doc(vocab: Vocab, graph: Graph, *, syntax: bool = True, gold: bool = True) -> Doc:
    """RETURNS (Doc): The words of a graph, one sentence for each root, with made-up tags and heads, and
    the graph if it is wanted."""
    starts = {min(root.tokens()) for root in graph.roots} | {0}
    n = len(graph.words)
    if not syntax:
        doc = Doc(vocab, words=graph.words)
    else:
        bounds = [*sorted(starts), n]
        first = [max(s for s in bounds if s <= i) for i in range(n)]
        # By the place in the sentence, so that a sentence has the same heads alone and in a longer Doc
        heads = [first[i] + max(0, i - first[i] - 1 - (i - first[i]) % 2) for i in range(n)]
        doc = Doc(
            vocab,
            words=graph.words,
            tags=["N" if len(word) > 3 else "X" for word in graph.words],
            heads=heads,
            deps=["ROOT" if heads[i] == i else DEPS[len(graph.words[i]) % 4] for i in range(n)],
        )
    if gold:
        doc._.ucca = graph
    return doc


def make_examples(vocab: Vocab, graphs: Iterable[Graph], *, syntax: bool = True) -> list[Example]:
    """RETURNS (List[Example]): Examples whose predicted Docs have syntax but no graph."""
    return [
        Example(
            make_doc(vocab, graph, syntax=syntax, gold=False),
            make_doc(vocab, graph, syntax=syntax),
        )
        for graph in graphs
    ]


def make_nlp(
    graphs: Sequence[Graph], *, config: dict | None = None, seed: int = 0, lang: str = "xx"
) -> Language:
    """RETURNS (Language): An initialized pipeline of nothing but a small `ucca_parser`, of a language that loads fast."""
    fix_random_seed(seed)
    nlp = spacy.blank(lang)
    nlp.add_pipe("ucca_parser", config=config or tiny_config())
    nlp.initialize(lambda: make_examples(nlp.vocab, graphs))
    return nlp


def make_listening_nlp(graphs: Sequence[Graph], *, seed: int = 0) -> Language:
    """RETURNS (Language): The same with a `tok2vec` that the parser listens to."""
    config = tiny_config()
    listener = {"@architectures": "spacy.Tok2VecListener.v1", "width": 16, "upstream": "tok2vec"}
    config["model"]["tok2vec"]["embed"]["tok2vec"] = listener
    fix_random_seed(seed)
    nlp = spacy.blank("xx")
    nlp.add_pipe("tok2vec", config={"model": {"@architectures": "spacy.HashEmbedCNN.v2", **CNN}})
    nlp.add_pipe("ucca_parser", config=config)
    nlp.initialize(lambda: make_examples(nlp.vocab, graphs))
    return nlp


def overfit(nlp: Language, graphs: Sequence[Graph], steps: int = 60, rate: float = 0.01) -> float:
    """Train until the graphs are known. RETURNS (float): The last loss."""
    optimizer = nlp.create_optimizer()
    optimizer.learn_rate = rate
    losses: dict[str, float] = {}
    for _ in range(steps):
        losses = {}
        nlp.update(make_examples(nlp.vocab, graphs), sgd=optimizer, losses=losses)
    return losses["ucca_parser"]


def parse(nlp: Language, graphs: Iterable[Graph]) -> list[Graph]:
    """RETURNS (List[Graph]): What the pipeline predicts for the words of the graphs."""
    docs = [make_doc(nlp.vocab, graph, gold=False) for graph in graphs]
    return [doc._.ucca for doc in nlp.pipe(docs)]


def random_syntax(rng: random.Random, n: int, n_deps: int) -> Syntax:
    """RETURNS (Syntax): A random tree or forest; some heads are unknown."""
    order = list(range(n))
    rng.shuffle(order)
    heads = [-1] * n
    for place, token in enumerate(order):
        heads[token] = token if not place else order[rng.randrange(place)]
        if rng.random() < 0.1:
            heads[token] = -1
    return Syntax(heads, [rng.randrange(n_deps) for _ in range(n)])


def no_syntax(n: int) -> Syntax:
    """RETURNS (Syntax): That of a Doc without dependencies."""
    return Syntax([-1] * n, [0] * n)


def same_graphs(found: Iterable[Graph], expected: Iterable[Graph]) -> list[bool]:
    """RETURNS (List[bool]): Which pairs have the same structure."""
    return [a.same_structure(b) for a, b in zip(found, expected)]


def random_rows(rng: numpy.random.Generator, schema, n: int, n_tokens: int):
    """RETURNS (Rows): Random rows of a schema; a quarter of the tokens is missing."""
    from spacy_ucca.layers.rows import Rows
    from spacy_ucca.native.columns import LABEL_BITS

    tokens = rng.integers(0, max(n_tokens, 1), (n, len(schema.tokens)))
    if n_tokens == 0:
        tokens[:] = -1
    tokens[rng.random(tokens.shape) < 0.25] = -1
    sizes = numpy.array([size for _, size in schema.categories])
    categories = (rng.random((n, len(sizes))) * sizes).astype("int32") + schema.offsets
    bits = rng.integers(0, 1 << LABEL_BITS, (n, len(schema.bits)))
    return Rows(tokens.astype("int32"), categories.astype("int32"), bits.astype("int64"))


ODD_TEXTS = {
    "empty": "",
    "one token": "Go",
    "whitespace only": " \n\t ",
    "whitespace inside": "The cat\n\n slept .  \n",
    "emoji": "That was fun 😀 👩‍👩‍👧 !",
    "Hebrew": "החתול ישן על המחצלת.",
    "Arabic": "نام القط.",
    "control characters": "a\x00b \x1f c\u200b",
    "only punctuation": "... !!! ,",
    "long word": "x" * 5000,
}


def attached(graph):
    tokens = [i for i in range(len(graph.words)) if graph.unit_of(i) is not None]
    return graph.only(tokens) if tokens else None
