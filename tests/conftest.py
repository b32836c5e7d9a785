"""Fixtures that many tests share."""

import os
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
import spacy
from hypothesis import settings
from hypothesis.vendor.pretty import RepresentationPrinter
from spacy.language import Language
from util import make_nlp, overfit, tiny_config

from spacy_ucca.formats.brackets import read_brackets
from spacy_ucca.formats.files import find_files
from spacy_ucca.graph import Graph

# No test depends on how fast the machine is. `make test` tries the same random examples each time; `make slow` tries
# others, by the seed in its command line.
settings.register_profile("same_examples", deadline=None, derandomize=True)
settings.register_profile("new_examples", deadline=None, print_blob=True)
settings.load_profile("same_examples")


def print_record(graph: Graph, printer: RepresentationPrinter, cycle: bool) -> None:
    """Print a graph as code that makes it again."""
    printer.text(f"Graph.from_record({graph.to_record()!r})")


Graph._repr_pretty_ = print_record  # Hypothesis prints failing examples by it.

MODEL = Path(__file__).parents[1] / "models" / "en_ucca_sm"
DATA = Path(__file__).parent / "data"
CORPORA = Path(
    os.environ.get("SPACY_UCCA_CORPORA") or Path(__file__).parents[2] / "shared" / "corpora"
)


@pytest.fixture(scope="session")
def nlp() -> Language:
    """The shipped pipeline."""
    if not MODEL.exists():
        pytest.skip("no pipeline ships yet")
    return spacy.load(MODEL)


@pytest.fixture(scope="session")
def corpora() -> Path:
    """The directory of shared corpora; tests that need it are skipped where it is not."""
    if not CORPORA.is_dir():
        pytest.skip("no corpora: set SPACY_UCCA_CORPORA, or put them in ../shared/corpora")
    return CORPORA


@pytest.fixture(scope="session")
def passages(corpora: Path, pytestconfig: pytest.Config) -> Callable[[str, int], list[Path]]:
    """Choose every n-th passage of a corpus. `make slow` starts at another one for each seed, and so comes to all of them;
    SPACY_UCCA_ALL=1 takes all at once."""
    seed = int(pytestconfig.getoption("--hypothesis-seed") or 0)

    def choose(corpus: str, n: int) -> list[Path]:
        n = 1 if os.environ.get("SPACY_UCCA_ALL") else n
        return find_files([corpora / corpus / "xml"], "xml")[seed % n :: n]

    return choose


@pytest.fixture(scope="session")
def convert() -> ModuleType:
    """The official `ucca.convert`. It sorts a layer anew for each node, by keys that are made anew each
    time; here they are remembered, so that long passages take a fraction of the time."""
    module = pytest.importorskip("ucca.convert", reason="the ucca package is not installed")
    from ucca import core, layer1

    key_of = lru_cache(maxsize=None)(lambda id_: core.id_orderkey(SimpleNamespace(ID=id_)))
    layer1.Layer1.__init__.__kwdefaults__["orderkey"] = lambda node: key_of(node.ID)
    return module


@pytest.fixture(scope="session")
def sample() -> list[Graph]:
    """Our own annotated sentences, covering every construction: see data/sample.txt."""
    return read_brackets((DATA / "sample.txt").read_text("utf8"), source="sample.txt")


IDS = (
    *("process", "state-adjective", "possessive-pronoun", "remote-center", "implicit-center"),
    *("discontinuous-particle", "unanalyzable-idiom", "parallel-scenes-shared-participants"),
    *("one-token", "question-polar"),
)


@pytest.fixture(scope="session")
def graphs(sample: list[Graph]) -> list[Graph]:
    by_id = {graph.details["id"]: graph for graph in sample}
    return [by_id[name] for name in IDS]


@pytest.fixture(scope="session", params=("tree", "tupa"))
def trained(request: pytest.FixtureRequest, graphs: list[Graph]) -> Language:
    nlp = make_nlp(graphs, config=tiny_config(request.param))
    overfit(nlp, graphs)
    return nlp


@pytest.fixture(scope="session")
def tree(graphs: list[Graph]) -> Language:
    """A trained pipeline of the default system; tests must not change it."""
    nlp = make_nlp(graphs)
    overfit(nlp, graphs, steps=30)
    return nlp
