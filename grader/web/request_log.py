"""One line in the log and one count for each request, by the pattern of its route."""

from __future__ import annotations

import logging
import secrets
import time
from typing import Final

from flask import Flask, Response, g, request

from grader.web.json_log import request_id
from grader.web.metrics import Metrics

HEADER: Final = "X-Request-ID"
QUIET: Final = frozenset({"static", "health.live", "health.ready", "health.metrics"})  # asked for every few seconds
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
log = logging.getLogger(__name__)


def register(app: Flask, metrics: Metrics) -> None:
    """Log and count every request of an application."""

    def begin() -> None:
        g.began = time.perf_counter()
        g.request_id = secrets.token_hex(8)
        request_id.set(g.request_id)

    def end(response: Response) -> Response:
        seconds = time.perf_counter() - g.began
        route = request.url_rule.rule if request.url_rule else "none"
        method = request.method if request.method in _METHODS else "other"
        metrics.request(route, method, response.status_code, seconds)
        if (method, route) == ("POST", "/sign-in") and response.status_code >= 400:
            metrics.sign_in_failed()
        response.headers[HEADER] = g.request_id
        session = g.get("web_session")
        log.log(
            logging.DEBUG if request.endpoint in QUIET else logging.INFO,
            "request",
            extra={
                "method": method,
                "route": route,
                "status": response.status_code,
                "ms": round(seconds * 1000, 1),
                "user": session.user.public_id if session else g.get("caller"),
            },
        )
        return response

    def forget(error: BaseException | None) -> None:
        request_id.set(None)

    app.before_request(begin)
    app.after_request(end)
    app.teardown_request(forget)
