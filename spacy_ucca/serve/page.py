"""The HTML pages: one on which a browser parses, one that explains the interface for programs; and its OpenAPI description."""

import json
import secrets
from collections.abc import Mapping
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from ..drawing.html import fill
from ..extract.predications import COLUMNS
from ..formats import registry
from ..tokens.guess import guesses_language
from ..tokens.load import language_codes
from ..training.pipelines import beam_parsers
from .answer import DEFAULT, FORMATS
from .limits import Limits
from .parsing import known_guidelines
from .query import MAX_MATCHES

if TYPE_CHECKING:
    from spacy.language import Language


def _read_json(name: str) -> Any:
    return json.loads(files(__package__).joinpath(name).read_text("utf8"))


POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
SAMPLES = _read_json("examples.json")
EXAMPLES, QUERIES = SAMPLES["texts"], SAMPLES["queries"]  # texts by language; queries
N_BEST = 5  # that the page asks for


def parse_page(nlp: "Language", limits: Limits) -> tuple[str, str]:
    """Make the page on which a browser parses.

    nlp (Language): The pipeline.
    limits (Limits): The limits to tell.
    RETURNS (Tuple[str, str]): The page, and its content security policy. Only the script of this page may run.
    """
    languages = language_codes() if guesses_language(nlp) else []
    langs, most = (EXAMPLES, 1) if languages else ([nlp.lang or ""], None)
    nonce = secrets.token_urlsafe(16)
    html = fill(
        "serve.html",
        __package__,
        model=model_name(nlp),
        version=nlp.meta.get("version", ""),
        limit=limits.characters,
        query_limit=limits.query_characters,
        max_matches=MAX_MATCHES,
        queries=QUERIES,
        guidelines=known_guidelines(nlp),
        n_best=N_BEST if beam_parsers(nlp) else 0,
        nonce=nonce,
        languages=languages,
        examples=[(lang, text) for lang in langs for text in EXAMPLES.get(lang, ())[:most]],
    )
    return html, f"{POLICY}; script-src 'nonce-{nonce}'"


def interface_page(description: Mapping[str, Any]) -> tuple[str, str]:
    """Make the page that explains the interface for programs.

    description (Mapping): The OpenAPI description.
    RETURNS (Tuple[str, str]): The page, and its content security policy.
    """
    title = f"{description['info']['title']}: API"
    return fill("openapi.html", __package__, title=title, api=description), POLICY


def describe_api(nlp: "Language", limits: Limits, path: str = "") -> dict[str, Any]:
    """Describe the interface for programs: `openapi.json` with what this pipeline and these limits make of it.

    nlp (Language): The pipeline.
    limits (Limits): The limits to tell.
    path (str): The path at which the application is mounted.
    RETURNS (Dict[str, Any]): The description, after OpenAPI 3.1.
    """
    api: dict[str, Any] = _read_json("openapi.json")
    version = str(nlp.meta.get("version") or "0")
    api["info"].update(title=f"UCCA graphs: {model_name(nlp)}", version=version)
    api["servers"] = [{"url": path or "/"}]
    schemas = api["components"]["schemas"]
    record = {"type": "object", "properties": {name: {} for name in COLUMNS}}
    schemas["Answer"]["properties"]["predications"]["items"] = {**record, "required": [*COLUMNS]}
    fields = schemas["Request"]["properties"]
    known = known_guidelines(nlp)
    values = {"sentence_tokens": limits.sentence_tokens, "guidelines": " or ".join(known)}
    for name in ("text", "texts", "guidelines"):
        described = fields[name]["description"].format(texts=limits.texts, **values)
        fields[name]["description"] = described
    fields["text"]["maxLength"] = limits.characters
    fields["texts"]["maxItems"] = limits.texts
    fields["formats"].update(items={"enum": [*FORMATS]}, default=[*DEFAULT])
    for name, form in registry.FORMATS.items():
        if form.writes:
            written = {"type": "string", "description": f"If asked for: {form.title}."}
            schemas["Answer"]["properties"].setdefault(name, written)
    fields["query"]["maxLength"] = limits.query_characters
    fields["guidelines"]["enum"] = known
    fields["lang"]["enum"] = language_codes() if guesses_language(nlp) else [nlp.lang]
    if not known:
        del fields["guidelines"]
    if not beam_parsers(nlp):
        del fields["n_best"], schemas["Answer"]["properties"]["n_best"]
    return api


def model_name(nlp: "Language") -> str:
    """RETURNS (str): The name of a pipeline, such as "en_ucca_sm"."""
    return f"{nlp.meta.get('lang', '')}_{nlp.meta.get('name', '')}".strip("_")
