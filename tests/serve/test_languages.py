"""Languages of a served pipeline: guessed, chosen, told."""

from collections.abc import Iterator

import pytest
import spacy
from serving import Client, serving_pipeline

import spacy_ucca
from spacy_ucca import Graph

pytest.importorskip("py3langid")

ITALIAN = "Dopo gli studi, l'uomo che ha visto non è venuto all'appuntamento di oggi."


@pytest.fixture(scope="module")
def guessing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    nlp = spacy.blank("xx")
    nlp.add_pipe("stand_in_parser")
    path = tmp_path_factory.mktemp("any") / "pipeline"
    nlp.to_disk(path)
    with serving_pipeline(spacy_ucca.load(path)) as client:
        yield client


def ask(client: Client, **body: str) -> tuple[int, dict]:
    return client.ask("POST", "/parse", {"text": ITALIAN, **body})[:2]


@pytest.mark.parametrize("body, lang", [({}, "it"), ({"lang": ""}, "it"), ({"lang": "de"}, "de")])
def test_language_is_guessed_or_chosen(guessing: Client, body: dict[str, str], lang: str) -> None:
    status, answer = ask(guessing, **body)
    assert status == 200 and answer["lang"] == lang
    words = [*Graph.from_json(answer["json"]).words]
    assert words == [token.text for token in spacy.blank(lang)(ITALIAN)]
    assert guessing.parse("12\n\n3")[1]["lang"] == "xx"


def test_page_and_description_offer_languages(guessing: Client, client: Client) -> None:
    page, other = (each.ask("GET", "/")[1] for each in (guessing, client))
    assert '<select id="lang"' in page and '<option value="fr">' in page
    assert all(f'class="example" lang="{lang}"' in page for lang in ("en", "de", "fr", "he"))
    assert 'id="lang"' not in other
    for each, known in ((guessing, ["fr", "zh"]), (client, ["en"])):
        api = each.ask("GET", "/openapi.json")[1]["components"]["schemas"]
        offered = api["Request"]["properties"]["lang"]["enum"]
        assert set(known) <= set(offered) and (len(offered) > 70) == (each is guessing)


def test_wrong_languages_are_refused(guessing: Client, client: Client) -> None:
    status, answer = ask(guessing, lang="german")
    assert status == 400 and "[UC591]" in answer["error"]
    status, answer = ask(client, lang="fr")
    assert status == 400 and "[UC590]" in answer["error"]
    assert ask(client, lang="en")[0] == 200 and ask(client)[1]["lang"] == "en"
    assert ask(guessing, lang=["fr"])[0] == 400  # type: ignore[arg-type]
