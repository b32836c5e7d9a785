"""The OpenAPI description of the interface for programs."""

from typing import TYPE_CHECKING, Any

from ..extract.table import COLUMNS
from .answer import FORMATS
from .limits import Limits
from .page import model_name
from .parsing import known_guidelines
from .query import MAX_MATCHES

if TYPE_CHECKING:
    from spacy.language import Language

EXAMPLE = "After graduation, John moved to Paris."
EXAMPLE_QUERY = "H[P=what A=who]"
FORMS = {
    "svg": "the graph as a picture, in which matches of the query are highlighted",
    "tree": "the graph as a tree of text",
    "xml": "the graph as standard UCCA XML. In Python, `spacy_ucca.formats.xml.read_xml_string(answer['xml'])` reads it",
}
ERRORS = {
    400: "There is no text, or a field of the request is wrong; or the query takes too long",
    403: "The request names another host than this machine, or comes from another site",
    404: "There is no such page",
    405: "The page does not take this method; the header Allow has those that it takes",
    408: "The request did not arrive in time",
    413: "The text has too many characters, or a sentence too many tokens",
    415: "The request is not of the type application/json",
    500: "The pipeline cannot parse this text",
    503: "There are too many texts (the header Retry-After has the seconds to wait), or this one took too long",
}


def describe_api(nlp: "Language", limits: Limits, path: str = "") -> dict[str, Any]:
    """Describe the interface.

    nlp (Language): The pipeline.
    limits (Limits): The limits to tell.
    path (str): The path at which the application is mounted.
    RETURNS (Dict[str, Any]): The description, after OpenAPI 3.1.
    """
    return {
        "openapi": "3.1.0",
        "info": {
            "title": f"UCCA graphs: {model_name(nlp)}",
            "version": str(nlp.meta.get("version") or "0"),
            "description": "Parses texts to UCCA graphs, and answers questions from them.",
        },
        "servers": [{"url": path or "/"}],
        "paths": {
            "/parse": {
                "post": {
                    "operationId": "parse",
                    "summary": "Parse a text to a UCCA graph",
                    "requestBody": {"required": True, **_json("Request")},
                    "responses": {
                        "200": {"description": "The graph of the text", **_json("Answer")},
                        **{
                            str(status): {"description": text, **_json("Error")}
                            for status, text in ERRORS.items()
                        },
                    },
                }
            }
        },
        "components": {"schemas": {**_request(nlp, limits), **_answer()}},
    }


def _json(name: str) -> dict[str, Any]:
    schema = {"$ref": f"#/components/schemas/{name}"}
    return {"content": {"application/json": {"schema": schema}}}


def _request(nlp: "Language", limits: Limits) -> dict[str, Any]:
    text: dict[str, Any] = {
        "type": "string",
        "minLength": 1,
        "maxLength": limits.characters,
        "description": f"The text. A sentence may have {limits.sentence_tokens} tokens. Blank lines divide paragraphs.",
        "examples": [EXAMPLE],
    }
    formats = {
        "type": "array",
        "items": {"enum": list(FORMATS)},
        "default": list(FORMATS),
        "description": "The forms of the graph to answer with.",
    }
    query = {
        "type": "string",
        "maxLength": limits.query_characters,
        "description": f"A pattern to find, in the text form of UccaMatcher, such as {EXAMPLE_QUERY}.",
        "examples": [EXAMPLE_QUERY],
    }
    fields = {"text": text, "formats": formats, "query": query}
    if known := known_guidelines(nlp):
        fields["guidelines"] = {
            "enum": known,
            "description": f"The guidelines that the graph shall follow: {' or '.join(known)}. Without, the setting of the "
            "pipeline.",
        }
    return {"Request": _object(fields, "text")}


def _answer() -> dict[str, Any]:
    string, number = {"type": "string"}, {"type": "integer"}
    spans = {"type": "array", "items": {"type": "array", "items": number}}
    fields = {"unit": number, "label": string, "text": string, "spans": spans}
    unit = _object(fields, *fields)
    units = {"type": "object", "additionalProperties": unit}
    match = _object(
        {"sentence": string, "start": number, "units": units}, "sentence", "start", "units"
    )
    answer: dict[str, Any] = {
        "text": {
            "type": "string",
            "description": "The text as it was parsed, with runs of white space as one space. All offsets count its characters.",
        },
        **{
            name: {"type": "string", "description": f"If asked for: {what}."}
            for name, what in FORMS.items()
        },
        "json": {
            "type": "object",
            "description": "If asked for: the graph as plain data, with text, tokens, units, edges and Scenes, with offsets. In Python, "
            "`spacy_ucca.Graph.from_json(answer['json'])` reads it.",
        },
        "predications": {
            "type": "array",
            "items": _object({name: {} for name in COLUMNS}, *COLUMNS),
            "description": "If asked for: who did what to whom, a record for each Scene, with the fields of a Predication. In Python, "
            "`pandas.DataFrame(answer['predications'])` makes a table.",
        },
        "matches": {
            "type": "array",
            "maxItems": MAX_MATCHES,
            "items": match,
            "description": f"With a query, its first {MAX_MATCHES:,} matches: the sentence and where it starts; and for each name, "
            "the number of the unit, its label, its text, and the start and end of each stretch.",
        },
        "direction": {
            "enum": ["ltr", "rtl"],
            "description": "Whether the text is written from left to right or from right to left.",
        },
        "summary": {
            "type": "string",
            "description": "The number of sentences, tokens, Scenes and edges.",
        },
    }
    error = {"type": "string", "description": "What is wrong, and what to do."}
    return {
        "Answer": _object(answer, "text", "direction", "summary"),
        "Error": _object({"error": error}, "error"),
    }


def _object(properties: dict[str, Any], *required: str) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": [*required]}
