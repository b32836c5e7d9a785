"""The pipeline as a Python package: `spacy.load` with its name calls `load` here."""

from pathlib import Path
from typing import Any

from spacy.language import Language
from spacy.util import get_model_meta, load_model_from_path

__version__ = get_model_meta(Path(__file__).parent)["version"]


def load(**overrides: Any) -> Language:
    """Load the pipeline.

    **overrides: Arguments of `spacy.load`, such as `exclude` and `config`.
    RETURNS (Language): The pipeline.
    """
    return load_model_from_path(Path(__file__).parent, **overrides)
