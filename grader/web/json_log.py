"""Logs as JSON, one object a line: what comes from outside is cut, and cannot end a line or colour a terminal.

A traceback is its frames without source lines or values. Passwords, tokens, sources and query strings never get here:
a request is logged by the pattern of its route, and the database's errors hide their parameters.
"""

from __future__ import annotations

import json
import logging
import sys
import traceback
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any, Final

TEXT_MAX: Final = 256  # characters of what comes from outside
MESSAGE_MAX: Final = 2000
FRAMES_MAX: Final = 30
CAUSES_MAX: Final = 4
FIELDS: Final = ("method", "route", "status", "ms", "user")  # a record's own
request_id: Final[ContextVar[str | None]] = ContextVar("request_id", default=None)


class JsonFormatter(logging.Formatter):
    """Writes a record as one JSON object in ASCII."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, without its end."""
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")[:23] + "Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": _message(record),
        }
        if (current := request_id.get()) is not None:
            line["request_id"] = current
        for name in FIELDS:
            if (value := getattr(record, name, None)) is not None:
                line[name] = _cut(value)
        if record.exc_info and record.exc_info[1] is not None:
            line["errors"] = _errors(record.exc_info[1])
        return json.dumps(line)  # in ASCII: no control character is left as it is


def set_up() -> None:
    """Write this program's own records from "info" on to standard error, and those of libraries from "warning" on.

    Where a server has set its handlers up already they stay, and are used for these as well.
    """
    root = logging.getLogger()
    if not any(isinstance(handler.formatter, JsonFormatter) for handler in root.handlers):
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(JsonFormatter())
        root.addHandler(handler)
    logging.getLogger("grader").setLevel(logging.INFO)


def gunicorn_settings() -> dict[str, Any]:
    """Return gunicorn's `logconfig_dict`, by which its parent process writes the same lines.

    Its warnings quote malformed requests, which may hold what is not for a log.
    """
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"json": {"()": "grader.web.json_log.JsonFormatter"}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "json", "stream": "ext://sys.stderr"}},
        "root": {"level": "WARNING", "handlers": ["stderr"]},
        "loggers": {
            "gunicorn.error": {"level": "ERROR", "handlers": [], "propagate": True, "qualname": "gunicorn.error"},
            "gunicorn.access": {"level": "WARNING", "handlers": [], "propagate": True, "qualname": "gunicorn.access"},
        },
    }


def _message(record: logging.LogRecord) -> str:
    if isinstance(record.args, tuple):
        record = logging.makeLogRecord({**record.__dict__, "args": tuple(map(_cut, record.args))})
    return _cut(record.getMessage(), MESSAGE_MAX)  # type: ignore[return-value]


def _cut(value: object, longest: int = TEXT_MAX) -> object:
    """Return what is a number or a short text as it is; everything else as text of limited length."""
    if value is None or isinstance(value, bool | int | float):
        return value
    text = str(value)
    return text if len(text) <= longest else f"{text[: longest - 1]}\u2026"


def _errors(error: BaseException) -> list[dict[str, object]]:
    """Return an error and what it came from: kinds, messages and frames."""
    found: list[dict[str, object]] = []
    current: BaseException | None = error
    while current is not None and len(found) < CAUSES_MAX:
        frames = traceback.extract_tb(current.__traceback__)[-FRAMES_MAX:]
        found.append(
            {
                "kind": type(current).__qualname__,
                "message": _cut(str(current)),
                "frames": [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames],
            }
        )
        current = current.__cause__ or (None if current.__suppress_context__ else current.__context__)
    return found
