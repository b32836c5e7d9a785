"""The shipped pipeline of 100 languages: it parses in each, the same in batches and processes, and is small enough."""

import warnings
from pathlib import Path

import pytest
import spacy
import srsly
from spacy.language import Language
from util import same_graphs

from spacy_ucca.distributed.local import parse_texts

MODEL = Path(__file__).parents[2] / "models" / "xx_ucca_trf"
TEXTS = {
    "en": (
        "After graduation, John moved to Paris. He likes it there.",
        ["graduation", "moved", "likes"],
    ),
    "de": ("Hans zog nach Paris. Er mag die Stadt.", ["zog", "mag"]),
    "fr": ("Jean a déménagé à Paris. Il aime cette ville.", ["déménagé", "aime"]),
    "ru": ("После выпуска Иван переехал в Париж.", ["выпуска", "переехал"]),
    "he": ("דני עבר לפריז אחרי סיום הלימודים.", ["עבר", "סיום"]),
}
MIB = 2**20


@pytest.fixture(scope="module")
def shipped() -> Language:
    return spacy.load(MODEL)


@pytest.mark.parametrize("lang", TEXTS)
def test_scenes_are_found_in_any_language(shipped: Language, lang: str) -> None:
    text, relations = TEXTS[lang]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        doc = shipped(text)
    found = [scene.main_relation.text for scene in doc._.ucca.scenes]
    assert set(relations) <= set(found)
    assert len(list(doc.sents)) == text.count(".")


def test_graphs_do_not_depend_on_batches_and_processes(shipped: Language) -> None:
    texts = [text for text, _ in TEXTS.values()] * 3
    alone = [shipped(text)._.ucca for text in texts]
    for batch_size in (1, 7, 128):
        docs = shipped.pipe(texts, batch_size=batch_size)
        assert all(same_graphs([doc._.ucca for doc in docs], alone))
    graphs = [parsed.graph for parsed in parse_texts(str(MODEL), texts, n_process=2)]
    assert all(same_graphs(graphs, alone))


def test_what_ships_is_small_and_says_what_it_was_made_of() -> None:
    sizes = [path.stat().st_size for path in MODEL.rglob("*") if path.is_file()]
    assert max(sizes) < 50e6 and sum(sizes) < 95 * MIB
    meta = srsly.read_json(MODEL / "meta.json")
    made = srsly.read_json(Path(__file__).parents[2] / "configs" / "meta_xx.json")
    assert meta["sources"] == made["sources"] and meta["license"] == made["license"]
    assert made["notes"] in (MODEL / "README.md").read_text("utf8")
    assert not any("LGPL" in source["license"] for source in meta["sources"])


@pytest.mark.parametrize("name", ["setup.py", "pyproject.toml", "__init__.py"])
def test_all_pipelines_are_packed_the_same_way(name: str) -> None:
    """A folder is installed by itself, also where it was copied to: so each has these files."""
    first, *others = (path.read_bytes() for path in sorted(MODEL.parent.glob(f"*/{name}")))
    assert others and all(other == first for other in others)
