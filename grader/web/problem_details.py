"""Errors for programs: application/problem+json (RFC 9457), under the addresses that programs ask."""

from __future__ import annotations

import json
from typing import Final

from flask import Response, request

PREFIX: Final = "/api/"
KIND: Final = "application/problem+json"


def is_for_program() -> bool:
    """Return whether a program asks: then every answer is JSON, and a cookie counts for nothing."""
    return request.path.startswith(PREFIX)


def problem(status: int, title: str, sentence: str, reference: str | None = None) -> Response:
    """Return an error as a document."""
    members = {"type": "about:blank", "title": title, "status": status, "detail": sentence}
    if reference is not None:
        members["reference"] = reference
    return Response(json.dumps(members), status, content_type=KIND)
