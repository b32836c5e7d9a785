"""A flat pipeline in a directory. Without pyarrow, what needs it is not collected."""

import flat_pipeline  # noqa: F401
import pytest
import spacy

try:
    import pyarrow  # noqa: F401
except ImportError:
    names = ("bench_ray", "output", "ray_engine", "rows", "stage", "texts")
    collect_ignore = [f"test_{name}.py" for name in names]


@pytest.fixture(scope="session")
def flat_model(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A pipeline that makes a flat graph of each sentence, raises at "explode", and ends the process at "die"."""
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("test_flat")
    path = tmp_path_factory.mktemp("flat") / "model"
    nlp.to_disk(path)
    return str(path)
