"""Parser models with random weights, and random Docs for them."""

import random

import numpy
from spacy.tokens import Doc
from spacy.util import fix_random_seed
from thinc.api import Model

from spacy_ucca.model import build_ucca_model, configure
from spacy_ucca.parser.labels import Inventory

WIDTH = 6


def random_model(inventory: Inventory, seed: int = 0, **settings) -> Model:
    """A model with random weights over one random vector per word form."""

    def forward(model: Model, docs: list[Doc], is_train: bool):
        vectors = [
            numpy.array(
                [numpy.random.default_rng(t.orth % 10**6).normal(0, 2, WIDTH) for t in doc],
                dtype="float32",
            ).reshape((len(doc), WIDTH))
            for doc in docs
        ]
        return vectors, lambda d: []

    fix_random_seed(seed)
    tok2vec: Model = Model("forms", forward, dims={"nO": WIDTH})
    model = build_ucca_model(
        tok2vec, inventory.system_name, hidden_width=8, pair_width=8, unit_width=8, **settings
    )
    configure(model, inventory.schemas, inventory.n_outputs)
    model.initialize(X=None)
    for name in ("actions", "remotes", "implicit"):
        if name in model.ref_names:
            scorer = model.get_ref(name)
            for param in scorer.param_names:
                shape = scorer.get_param(param).shape
                noise = numpy.random.normal(0, 0.3, shape).astype("float32")
                scorer.set_param(param, noise)
    return model


def random_docs(vocab, seed: int, n: int = 12) -> list[Doc]:
    rng = random.Random(seed)
    docs = []
    for _ in range(n):
        words = [
            rng.choice(["a", "bb", "ccc", "\n", ".", "😀", "בית"]) for _ in range(rng.randrange(9))
        ]
        starts = [i == 0 or rng.random() < 0.3 for i in range(len(words))]
        docs.append(Doc(vocab, words=words, sent_starts=starts))
    return docs
