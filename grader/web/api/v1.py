"""The first version of the interface: its operations and their addresses."""

from __future__ import annotations

from typing import Final

from flask import Blueprint, Response

from grader.web.api.operations import Operations

PREFIX: Final = "/api/v1"
bp: Final = Blueprint("api", __name__, url_prefix=PREFIX)
operations: Final = Operations(bp)


@bp.after_request
def _say_how(response: Response) -> Response:
    """Tell a program that was not let in how it would be (RFC 6750)."""
    words = {401: 'Bearer realm="grader"', 403: 'Bearer realm="grader", error="insufficient_scope"'}
    if word := words.get(response.status_code):
        response.headers["WWW-Authenticate"] = word
    return response
