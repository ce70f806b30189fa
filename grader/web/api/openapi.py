"""The interface's OpenAPI 3.1 document, made from the operations and their schemas, so that it says what is so."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any, Final

from flask import Response
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from grader import __version__
from grader.services.tokens import SCOPES
from grader.web.api import schemas
from grader.web.api.operations import JSON, RAW, Operation, SourceBody
from grader.web.api.v1 import PREFIX, bp, operations
from grader.web.problem_details import KIND

REFERENCE: Final = "#/components/schemas/{model}"
# every operation may be answered by these; 422 is a field or parameter that is none
ALWAYS: Final = (400, 401, 403, 422, 429, 500, 503)
REFUSALS: Final = {
    400: "The request or its body cannot be read, or not be met as asked.",
    401: "There is no token, or one that does not work any more.",
    403: "The token is not for this.",
    404: "There is no such thing, or it is not the caller's.",
    409: "It does not take this any more, or not yet.",
    413: "The body is larger than 4 MiB.",
    415: "The body is of a kind that is not taken here.",
    422: "A field or parameter is unknown or has a value that is none, or an Idempotency-Key came with another body.",
    429: "Too many wait, or too many wrong tokens came; Retry-After says for how long to wait.",
    500: "Our fault; `reference` finds it in the log.",
    503: "The service takes nothing at this moment; Retry-After says when to try again.",
}
PATH_WORDS: Final = {
    "slug": ("A problem's short name.", {"type": "string"}),
    "public_id": ("An id, as lists tell it.", {"type": "string"}),
    "ordinal": ("A submission's number within its attempt.", {"type": "integer", "minimum": 0, "maximum": 1000000}),
}
KEY_WORDS: Final = (
    "A word of the caller's own, 1 to 200 visible ASCII characters, for one request. Sent again with the same body it "
    "is answered as before and stores nothing twice."
)
PATH_PART: Final = re.compile(r"<(?:[^:<>]+(?:\([^)]*\))?:)?(\w+)>")


@bp.get("/openapi.json")
def openapi() -> Response:
    """Describe the interface; that needs no token."""
    return Response(json.dumps(document()), content_type=JSON)


@cache
def document() -> dict[str, Any]:
    """Return the document."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "grader",
            "version": __version__,
            "description": "Practice and interviews for programs. Tokens are made on the account's page; cookies count "
            "for nothing here. Times are UTC. Errors are application/problem+json.",
        },
        "servers": [{"url": PREFIX}],
        "security": [{"token": []}],
        "paths": _paths(),
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": _schemas(),
        },
    }


def _schemas() -> dict[str, Any]:
    replies = {operation.reply for operation in operations.listed if operation.reply} | {schemas.Problem}
    inputs = {operation.body for operation in operations.listed if operation.body} | {SourceBody}
    inputs |= {operation.query for operation in operations.listed if operation.query}
    wanted: list[tuple[type[BaseModel], Any]] = [(model, "serialization") for model in replies]
    wanted += [(model, "validation") for model in inputs]
    wanted.sort(key=lambda item: item[0].__name__)
    found: dict[str, Any] = models_json_schema(wanted, ref_template=REFERENCE)[1]["$defs"]
    return found


def _paths() -> dict[str, Any]:
    found: dict[str, Any] = {}
    for operation in operations.listed:
        path = PATH_PART.sub(r"{\1}", operation.rule)
        found.setdefault(path, {})[operation.method.lower()] = _operation(operation)
    return found


def _operation(operation: Operation) -> dict[str, Any]:
    scope = f"Needs the scope `{operation.scope}`: {SCOPES[operation.scope]}." if operation.scope else "Any token does."
    has_body = operation.takes_source or operation.body is not None
    refusals = sorted({*ALWAYS, *operation.refusals, *((413, 415) if has_body else ())})
    found: dict[str, Any] = {
        "operationId": operation.name,
        "summary": operation.summary,
        "description": scope,
        "parameters": _parameters(operation),
        "responses": {str(operation.status): _well(operation)}
        | {str(status): _answer(schemas.Problem, KIND, REFUSALS[status]) for status in refusals},
    }
    if operation.takes_source:
        raw: dict[str, Any] = {kind: {"schema": {"type": "string", "format": "binary"}} for kind in RAW}
        found["requestBody"] = {"required": True, "content": {JSON: {"schema": _reference(SourceBody)}} | raw}
    elif operation.body is not None:
        found["requestBody"] = {"required": True, "content": {JSON: {"schema": _reference(operation.body)}}}
    return found


def _parameters(operation: Operation) -> list[dict[str, Any]]:
    found = []
    for name in PATH_PART.findall(operation.rule):
        words, schema = PATH_WORDS[name]
        found.append({"name": name, "in": "path", "required": True, "description": words, "schema": schema})
    if operation.query is not None:
        schema = operation.query.model_json_schema(ref_template=REFERENCE)
        for name, each in schema["properties"].items():
            found.append({"name": name, "in": "query", "required": name in schema.get("required", ()), "schema": each})
    if operation.takes_source:
        schema = {"type": "string", "minLength": 1, "maxLength": 200, "pattern": r"^[\x21-\x7e]+$"}
        found.append({"name": "Idempotency-Key", "in": "header", "description": KEY_WORDS, "schema": schema})
    return found


def _well(operation: Operation) -> dict[str, Any]:
    if operation.reply is not None:
        return _answer(operation.reply, JSON, "As asked.")
    return {"description": "A file.", "content": {kind: {"schema": {"type": "string"}} for kind in operation.files}}


def _answer(model: type[BaseModel], kind: str, words: str) -> dict[str, Any]:
    return {"description": words, "content": {kind: {"schema": _reference(model)}}}


def _reference(model: type[BaseModel]) -> dict[str, str]:
    return {"$ref": REFERENCE.format(model=model.__name__)}
