"""Fixtures of the tests of languages."""

from pathlib import Path

import pytest
from many_languages import any_pipeline


@pytest.fixture(scope="module")
def any_language(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pipeline for any language."""
    return any_pipeline(tmp_path_factory.mktemp("any"))
