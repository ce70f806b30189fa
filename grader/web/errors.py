"""Turns errors into pages: what the reader can change, or that the fault is ours."""

from __future__ import annotations

import logging
from typing import Final

from flask import Flask, Response, g, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy.exc import DataError, InterfaceError, OperationalError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as NoConnection
from werkzeug.exceptions import HTTPException, MethodNotAllowed

from grader.errors import GraderError, UserError
from grader.services.uploads import ARCHIVE_BYTES_MAX
from grader.web.gathering import BODY_BYTES_MAX
from grader.web.kept_text import sent_texts
from grader.web.pages import page_above, this_page
from grader.web.problem_details import is_for_program, problem
from grader.web.security import OutOfDate, WrongHost
from grader.web.service import SignInNeeded

log = logging.getLogger(__name__)
_DOCUMENT: Final = "/api/v1/openapi.json says what each address takes."
_SEND_AGAIN: Final = "Go back, reload the page and send the form again."
_FROM_ITS_PAGE: Final = "Open it from the page that it belongs to."
FOR_PROGRAMS: Final = {_SEND_AGAIN: _DOCUMENT, _FROM_ITS_PAGE: _DOCUMENT}  # who has neither page nor form
SENTENCES: Final = {
    400: ("That request cannot be read", _SEND_AGAIN),
    404: ("There is no such page", "The address may be mistyped, or what it named is not yours."),
    405: ("This address takes no such request", _FROM_ITS_PAGE),
    413: ("That is too much at once", f"A request may have {BODY_BYTES_MAX >> 20} MiB. Send less at once."),
    415: ("That request cannot be read", "It is compressed or encoded; send it as it is."),
}
TOO_LARGE: Final = {  # by blueprint: what is sent there
    **dict.fromkeys(("attempts", "sample_runs", "api"), "A source may have 1 MiB. Hand in the repaired file alone."),
    "packages": f"An archive may have {ARCHIVE_BYTES_MAX >> 20} MiB. Leave out what the package does not need.",
}
TITLES: Final = {
    400: "That did not work",
    401: "A token is needed",
    403: "That is not for this token",
    404: "Not found",
    409: "That is closed",
    422: "That does not fit",
    429: "One moment",
    503: "One moment",
}
DATABASE_FAILURES: Final = (OperationalError, InterfaceError, NoConnection)


class DatabaseAway(UserError):
    """The disk is full, another writer is too slow, or the server does not answer."""

    status = 503
    retry_after_s = 5


def register(app: Flask) -> None:
    """Show every error as a page."""
    app.register_error_handler(GraderError, _grader_error)
    app.register_error_handler(SignInNeeded, _sign_in_needed)
    app.register_error_handler(HTTPException, _http_error)
    for kind in DATABASE_FAILURES:
        app.register_error_handler(kind, _database_fault)
    app.register_error_handler(DataError, _unkept)
    app.register_error_handler(Exception, _our_fault)


def _grader_error(error: GraderError) -> ResponseReturnValue:
    if not isinstance(error, UserError):
        return _our_fault(error)
    if isinstance(error, WrongHost):  # no page: its links would lead to that host
        return Response(error.message + "\n", error.status, content_type="text/plain; charset=utf-8")
    title = "This form is out of date" if isinstance(error, OutOfDate) else TITLES.get(error.status, TITLES[400])
    return *_page(error.status, title, error.message), retry_header(error)


def retry_header(error: UserError) -> dict[str, str]:
    """Return the header that says when to ask again, for an error that passes."""
    return {} if error.retry_after_s is None else {"Retry-After": str(error.retry_after_s)}


def _sign_in_needed(error: SignInNeeded) -> ResponseReturnValue:
    door = url_for("accounts.show_sign_in", next=page_above(this_page()))
    if sent_texts():  # which a redirect would lose
        sentence = "You are signed out, so nothing was stored. Sign in, and send it again."
        return error_page(403, "Sign in first", sentence, to_sign_in=door), 403
    return redirect(door, 303)


def _http_error(error: HTTPException) -> ResponseReturnValue:
    status = error.code or 500
    if status >= 500:
        return _our_fault(error)
    if status < 400:  # a redirect, which werkzeug raises as well
        return error.get_response()
    title, sentence = SENTENCES.get(status, SENTENCES[400])
    if status == 413:
        sentence = TOO_LARGE.get(request.blueprint or "", sentence)
    if is_for_program():
        sentence = FOR_PROGRAMS.get(sentence, sentence)
    return *_page(status, title, sentence), _allow_header(error)


def _allow_header(error: HTTPException) -> dict[str, str]:
    methods = error.valid_methods if isinstance(error, MethodNotAllowed) else None
    return {"Allow": ", ".join(sorted(methods))} if methods else {}


def _database_fault(error: SQLAlchemyError) -> ResponseReturnValue:
    return _grader_error(database_away(error))


def _unkept(error: DataError) -> ResponseReturnValue:
    log.error("the database refused a value", exc_info=error)
    return _grader_error(
        UserError("Something in this request is longer or other than it can be, so nothing was stored; change it.")
    )


def database_away(error: SQLAlchemyError) -> DatabaseAway:
    """Return what is told of a database that failed, once it is in the log."""
    log.error("the database failed", exc_info=error)
    if request.method in ("GET", "HEAD"):
        return DatabaseAway("The database does not answer. Try again in a few seconds.")
    return DatabaseAway(
        "The database takes nothing at this moment, so nothing was stored. Keep the text, and send it again in a few "
        "seconds."
    )


def _our_fault(error: Exception) -> ResponseReturnValue:
    log.error("a request failed", exc_info=error)
    sentence = "Something broke on this server. What you handed in before is kept."
    return _page(500, "Our fault, not yours", sentence, g.request_id)


def _page(status: int, title: str, sentence: str, reference: str | None = None) -> tuple[str | Response, int]:
    if is_for_program():
        return problem(status, title, sentence, reference), status
    return error_page(status, title, sentence, reference), status


def error_page(
    status: int, title: str, sentence: str, reference: str | None = None, to_sign_in: str | None = None
) -> str:
    """Return the page of an error, with the texts that came along, which no other page holds."""
    return render_template(
        "error.html",
        status=status,
        title=title,
        sentence=sentence,
        reference=reference,
        texts=sent_texts(),
        to_sign_in=to_sign_in,
        # whoever sent a form goes on where it stands, unless that is what was not found
        above=page_above(request.path) if request.method == "POST" and status != 404 else None,
    )
