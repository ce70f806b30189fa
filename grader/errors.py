"""The errors that a person may meet, each one clear sentence that says what to do.

GraderError
├── UserError             the request cannot be met as asked: exit 2, HTTP 4xx
│   └── NotFound          there is no such thing (or not for this user): HTTP 404
├── InvalidPackage        a problem package is broken: exit 3, judged as JE `invalid_package`
└── JudgeError            our own fault: exit 4, HTTP 500, judged as JE `judge_error`
"""

from __future__ import annotations

from collections.abc import Sequence


class GraderError(Exception):
    """Base of all; `message` is shown as it is."""

    exit_code = 4
    status = 500

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class UserError(GraderError):
    """What was asked cannot be done as asked; the message says what to change."""

    exit_code = 2
    status = 400
    retry_after_s: int | None = None  # when the same request can be met later


class NotFound(UserError):
    """There is no such thing, or not for the one who asks."""

    status = 404


class InvalidPackage(GraderError):
    """A problem package breaks its format; every finding names file, key and remedy."""

    exit_code = 3

    def __init__(self, findings: Sequence[str]) -> None:
        more = f" ({len(findings) - 1} more: grader check lists them all)" if len(findings) > 1 else ""
        super().__init__(findings[0] + more)
        self.findings = tuple(findings)


class JudgeError(GraderError):
    """The grader itself failed; never the submission's fault."""
