"""The OpenAPI description of the interface for programs."""

from typing import Any

from .answer import FORMATS
from .limits import Limits

__all__ = ["describe_api"]

EXAMPLE = "After graduation, John moved to Paris."
FORMS = {
    "svg": "a picture",
    "tree": "a tree of text",
    "xml": "standard UCCA XML",
    "json": "the record of the graph, in JSON",
}
ERRORS = {
    400: "There is no text, or the request is not JSON with a text",
    403: "The request names another host than this machine, or comes from another site",
    404: "There is no such page",
    405: "The page does not take this method; the header Allow has those that it takes",
    408: "The request did not arrive in time",
    413: "The text has too many characters, or a sentence too many tokens",
    415: "The request is not of the type application/json",
    500: "The pipeline cannot parse this text",
    503: "There are too many texts (the header Retry-After has the seconds to wait), or this one took too long",
}


def describe_api(model: str, version: str, limits: Limits, path: str = "") -> dict[str, Any]:
    """Describe the interface.

    model (str): The name of the pipeline.
    version (str): The version of the pipeline.
    limits (Limits): The limits to tell.
    path (str): The path at which the application is mounted.
    RETURNS (Dict[str, Any]): The description, after OpenAPI 3.1.
    """
    return {
        "openapi": "3.1.0",
        "info": {
            "title": f"UCCA graphs: {model}",
            "version": version or "0",
            "description": "Parses texts to UCCA graphs.",
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
        "components": {"schemas": _schemas(limits)},
    }


def _json(name: str) -> dict[str, Any]:
    schema = {"$ref": f"#/components/schemas/{name}"}
    return {"content": {"application/json": {"schema": schema}}}


def _schemas(limits: Limits) -> dict[str, Any]:
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
    answer: dict[str, Any] = {
        name: {"type": "string", "description": f"The graph as {FORMS[name]}, if asked for."}
        for name in FORMATS
    }
    answer["direction"] = {
        "enum": ["ltr", "rtl"],
        "description": "Whether the text is written from left to right or from right to left.",
    }
    answer["summary"] = {
        "type": "string",
        "description": "The number of sentences, tokens, Scenes and edges.",
    }
    error = {"type": "string", "description": "What is wrong, and what to do."}
    return {
        "Request": _object({"text": text, "formats": formats}, "text"),
        "Answer": _object(answer, "direction", "summary"),
        "Error": _object({"error": error}, "error"),
    }


def _object(properties: dict[str, Any], *required: str) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": [*required]}
