"""configs/transformer.cfg over a tiny encoder: it learns, it is stored, and it parses whatever the batch."""

import warnings
from pathlib import Path
from typing import Any

import numpy
import pytest
import spacy
import tiny_bert
from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import fix_random_seed, load_config, registry
from thinc.api import Config
from threadpoolctl import ThreadpoolController, threadpool_limits
from util import TINY, make_doc, make_examples, parse, same_graphs

from spacy_ucca.errors import UccaError
from spacy_ucca.graph import Graph
from spacy_ucca.training.corpus import graph_to_doc, write_docbin
from spacy_ucca.training.finetune import finetune, finetune_config

CONFIG = Path(__file__).parents[2] / "configs" / "transformer.cfg"


def make(graphs: list[Graph], folder: Path, width: int = tiny_bert.WIDTH) -> Language:
    words = {word.lower() for graph in graphs for word in graph.words}
    config = load_config(CONFIG)
    path = tiny_bert.write_directory(folder, words=words)
    config["paths"]["encoder"] = str(path)
    config["components"]["encoder"]["model"] |= {"n_layers": 3, "n_frozen": 1}
    model = config["components"]["ucca_parser"]["model"]
    model.update({key: TINY[key] for key in ("hidden_width", "pair_width", "unit_width")})
    model["tok2vec"]["encode"].update(TINY["tok2vec"]["encode"])
    model["tok2vec"]["embed"]["tok2vec"]["width"] = width
    fix_random_seed(0)
    nlp = spacy.util.load_model_from_config(config.interpolate(), auto_fill=True)
    nlp.initialize(lambda: make_examples(nlp.vocab, graphs, syntax=False))
    return nlp


@pytest.fixture(scope="module")
def nlp(graphs: list[Graph], tmp_path_factory: pytest.TempPathFactory) -> Language:
    return make(graphs, tmp_path_factory.mktemp("bert"))


def test_listeners_have_the_width_of_the_encoder(graphs: list[Graph], tmp_path: Path) -> None:
    with pytest.raises(UccaError, match=r"UC352.*`width` is 384. Use 32:.*'encoder'"):
        make(graphs, tmp_path, width=384)


def test_products_run_on_one_thread(
    nlp: Language, graphs: list[Graph], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the kernel of `rounded.py` does not run, products of the encoder are NumPy's."""

    def n_threads() -> set[int]:
        controllers = ThreadpoolController().select(user_api="blas").lib_controllers
        return {library.num_threads for library in controllers}

    model, seen = nlp.get_pipe("encoder").model, []
    forward = model._func

    def watch(*args: Any, **kwargs: Any) -> Any:
        seen.append(n_threads())
        return forward(*args, **kwargs)

    monkeypatch.setattr(model, "_func", watch)
    with threadpool_limits(2, user_api="blas"):
        if n_threads() != {2}:
            pytest.skip("NumPy's BLAS cannot be told how many threads to use here")
        parse(nlp, graphs[:2])
        assert set(map(frozenset, seen)) == {frozenset({1})} and n_threads() == {2}


def weights(nlp: Language) -> dict[str, numpy.ndarray]:
    return {k: v.copy() for k, v in nlp.get_pipe("encoder").model.shims[0].weights.items()}


def test_layers_learn_by_their_rate_and_some_not_at_all(nlp: Language, graphs: list[Graph]) -> None:
    config = load_config(CONFIG, interpolate=True)["training"]["optimizer"]
    optimizer = registry.resolve({"optimizer": {**config, "learn_rate": 0.01}})["optimizer"]
    before = weights(nlp)
    # spaCy applies what a shared layer has learnt from a batch when the next one comes.
    for _ in range(2):
        nlp.update(make_examples(nlp.vocab, graphs, syntax=False), sgd=optimizer)
    rate = config["rates"]["encoder"]
    assert 0 < rate < 1
    for name, value in weights(nlp).items():
        distance = numpy.abs(value - before[name]).max()
        if name.startswith(("embeddings", "encoder.layer.0.")):
            assert distance == 0, name
        else:  # the first step of Adam is as long as the learn rate
            assert 0 < distance <= 0.0101 * rate, name


def test_it_learns_is_stored_and_parses_whatever_the_batch(
    nlp: Language, graphs: list[Graph], tmp_path: Path
) -> None:
    optimizer = nlp.create_optimizer()
    optimizer.learn_rate = 0.01
    for _ in range(60):
        nlp.update(make_examples(nlp.vocab, graphs, syntax=False), sgd=optimizer)
    found = parse(nlp, graphs)
    assert all(same_graphs(found, graphs))
    nlp.to_disk(tmp_path)
    again = spacy.load(tmp_path)
    saved = parse(again, graphs)
    # Weights are rounded to 8 bits
    assert sum(same_graphs(saved, found)) > 0.8 * len(found)
    together = Doc.from_docs([make_doc(nlp.vocab, graph, gold=False) for graph in graphs[:3]])
    assert all(same_graphs([g for _, g in again(together)._.ucca.sentences()], saved[:3]))
    docs = [make_doc(nlp.vocab, graph, gold=False) for graph in graphs]
    for batch_size in (1, 7):
        parsed = [doc._.ucca for doc in again.pipe(docs, batch_size=batch_size)]
        assert all(same_graphs(parsed, saved))
    assert again(Doc(again.vocab))._.ucca.words == ()


@pytest.mark.filterwarnings("error:.*UW301")
def test_it_asks_for_no_tags_and_reads_none(nlp: Language, graphs: list[Graph]) -> None:
    without, with_tags = (make_doc(nlp.vocab, graphs[0], gold=False) for _ in range(2))
    for token in with_tags:
        token.tag_, token.dep_, token.head = "NN", "dep", with_tags[0]
    assert nlp(with_tags)._.ucca == nlp(without)._.ucca


def test_vectors_of_the_encoder_must_be_there(
    nlp: Language, graphs: list[Graph], tmp_path: Path
) -> None:
    nlp.to_disk(tmp_path)
    without = spacy.load(tmp_path, exclude=["encoder"])
    between = spacy.load(tmp_path)
    between.add_pipe("tok2vec", before="ucca_parser")
    between.get_pipe("tok2vec").initialize(lambda: make_examples(nlp.vocab, graphs), nlp=between)
    for wrong in (without, between):
        with pytest.raises(UccaError, match=r"UC362.*'ucca_parser' listens to 'encoder'"):
            wrong("Ants live.")


def test_finetuning_an_encoder_that_others_listen_to(
    nlp: Language, graphs: list[Graph], tmp_path: Path
) -> None:
    nlp.to_disk(tmp_path / "nlp")
    gold = tmp_path / "gold.spacy"
    write_docbin((graph_to_doc(graph, nlp.vocab) for graph in graphs), gold)

    def config_of(pipeline: Language) -> Config:
        pipeline.to_disk(tmp_path / "pipeline")
        return finetune_config(
            pipeline, str(tmp_path / "pipeline"), gold, gold, tmp_path / "out", max_steps=12
        )

    shared = spacy.load(tmp_path / "nlp")
    shared.add_pipe("tagger", first=True)  # the data need no tags: the parser reads none
    shared.get_pipe("tagger").add_label("NN")
    shared.add_pipe("ucca_parser", name="second", source=spacy.load(tmp_path / "nlp"))
    for pipeline, frozen in ((nlp, []), (shared, ["tagger", "encoder", "second"])):
        assert config_of(pipeline)["training"]["frozen_components"] == frozen

    tagged = spacy.load(tmp_path / "nlp")
    listener = {"@architectures": "spacy.Tok2VecListener.v1", "upstream": "encoder"}
    listener["width"] = tagged.get_pipe("encoder").model.get_dim("nO")
    tagger = tagged.add_pipe("tagger", config={"model": {"tok2vec": listener}}, after="encoder")
    tagger.add_label("NN")
    tagger.initialize(lambda: make_examples(tagged.vocab, graphs), nlp=tagged)
    config = config_of(tagged)
    assert config["training"]["frozen_components"] == ["tagger"]
    with pytest.warns(UserWarning, match=r"UW313.*'tagger' listen.*'\[\"tagger\",\"encoder\"\]'"):
        finetune(config, tmp_path / "out")
    learned, old = (spacy.load(tmp_path / name) for name in ("out/model-last", "pipeline"))
    for name, changes in (("encoder", True), ("tagger", False)):
        pair = [pipeline.get_pipe(name).model.to_bytes() for pipeline in (learned, old)]
        assert (pair[0] != pair[1]) == changes
    config["training"] |= {"frozen_components": ["tagger", "encoder"]}
    config["training"] |= {"annotating_components": ["encoder"]}
    with warnings.catch_warnings(record=True) as caught:
        finetune(config, tmp_path / "out")
    assert not any("UW313" in str(warning.message) for warning in caught)
