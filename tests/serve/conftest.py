"""A server of a stand-in pipeline, and a browser that has its page."""

from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from browsing import Page, open_browser
from serving import Client, serving_pipeline, stand_in


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    nlp, _ = stand_in()
    with serving_pipeline(nlp) as client:
        yield client


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SimpleNamespace]:
    with open_browser(tmp_path_factory.mktemp("downloads")) as browser:
        yield browser


@pytest.fixture
def page(browser: SimpleNamespace, client: Client) -> Page:
    return Page(browser, client.url)
