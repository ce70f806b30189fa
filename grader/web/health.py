"""What machines ask: does the service live, is it ready, how is it doing. Figures need a token, words tell nothing."""

from __future__ import annotations

import contextlib
import hmac
import logging
from typing import Final

from flask import Blueprint, current_app, request
from flask.typing import ResponseReturnValue
from prometheus_client import CONTENT_TYPE_LATEST
from sqlalchemy.exc import SQLAlchemyError
from werkzeug.exceptions import NotFound

from grader.services.load import Load, load
from grader.store.session import read_session
from grader.web.service import now, service

PATHS: Final = frozenset({"/healthz", "/readyz", "/metrics"})
_TEXT: Final = {"Content-Type": "text/plain; charset=utf-8"}
bp = Blueprint("health", __name__)
log = logging.getLogger(__name__)


@bp.get("/healthz")
def live() -> ResponseReturnValue:
    """Answer one word: this process lives."""
    return "ok", _TEXT


@bp.get("/readyz")
def ready() -> ResponseReturnValue:
    """Answer whether requests should be sent here; why not is told in the log.

    The sandbox was tried before the first request: an application whose canaries got through was never made.
    """
    try:
        found = _load()
    except SQLAlchemyError as error:
        log.error("not ready: the database does not answer (%s)", error)
        return "not ready", 503, _TEXT
    if not found.is_ordinary:
        log.error("not ready: %d wait to be judged, the oldest for %.0f s", found.waiting, found.oldest_s)
        return "not ready", 503, _TEXT
    return "ready", _TEXT


@bp.get("/metrics")
def metrics() -> ResponseReturnValue:
    """Give the figures to who has the token; without one set there is no such page."""
    token: str | None = current_app.config["METRICS_TOKEN"]
    if token is None:
        raise NotFound
    given = request.headers.get("Authorization", "").removeprefix("Bearer ")
    if not hmac.compare_digest(given.encode(), token.encode()):
        return "not allowed", 401, {**_TEXT, "WWW-Authenticate": "Bearer"}
    found: Load | None = None
    with contextlib.suppress(SQLAlchemyError):  # which is counted
        found = _load()
    return service().metrics.text(found), {"Content-Type": CONTENT_TYPE_LATEST}


def _load() -> Load:
    with read_session(service().engine) as session:
        return load(session, now(), service().started_at)
