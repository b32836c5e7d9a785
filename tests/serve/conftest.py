"""A server of a stand-in pipeline."""

from collections.abc import Iterator

import pytest
from serving import Client, serving_pipeline, stand_in


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    nlp, _ = stand_in()
    with serving_pipeline(nlp) as client:
        yield client
