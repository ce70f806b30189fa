"""An attempt's pages: statement and editor, samples, handing in, giving up."""

from __future__ import annotations

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from grader.errors import UserError
from grader.services import attempts
from grader.store import queries
from grader.store.session import read_session, write_session
from grader.web.service import current_user, now, service

bp = Blueprint("attempts", __name__, url_prefix="/attempts/<public_id>")


@bp.get("")
def show(public_id: str) -> ResponseReturnValue:
    """Show the statement beside the editor; `?source=starter` begins the editor with the starter again."""
    with read_session(service().engine) as session:
        attempt = queries.attempt_of(session, current_user(), public_id)
        problem = service().packages.pinned(session, attempt.package)
        starter = problem.starter(attempt.variant)
        wants_starter = request.args.get("source") == "starter"
        return render_template(
            "attempt.html",
            attempt=attempt,
            problem=problem,
            status=attempts.status(attempt),
            source=starter if wants_starter else attempts.editable_source(session, attempt, problem),
            starter=starter,
            wants_starter=wants_starter,
            submissions=queries.submissions_in(session, attempt),
        )


@bp.get("/samples")
def samples(public_id: str) -> ResponseReturnValue:
    """Show the sample cases, which are the only ones that a candidate sees."""
    with read_session(service().engine) as session:
        attempt = queries.attempt_of(session, current_user(), public_id)
        problem = service().packages.pinned(session, attempt.package)
    return render_template("samples.html", attempt=attempt, samples=service().samples(problem))


@bp.post("/submissions")
def submit(public_id: str) -> ResponseReturnValue:
    """Store a source and have it judged; a file that comes along is taken as it is."""
    current, source, received_at = current_user(), _source(), now()
    with write_session(service().engine) as session:
        submission = attempts.submit(session, current, public_id, source, received_at)
        service().dispatch(session, submission)
    return redirect(url_for("verdicts.show", public_id=public_id, ordinal=submission.ordinal), 303)


def _source() -> bytes:
    """Return the bytes handed in.

    Raises:
        UserError: the request has neither a file nor a text.
    """
    file = request.files.get("file")
    if file is not None and file.filename:
        return bytes(file.read())
    text = request.form.get("source")
    if text is None:
        raise UserError("There is no source in this request; write it into the editor or choose a file.")
    # a form sends every line end as CR LF; what was typed has LF
    return text.replace("\r\n", "\n").encode("utf-8", "surrogatepass")


@bp.post("/give-up")
def give_up(public_id: str) -> ResponseReturnValue:
    """End the attempt and open its answers."""
    with write_session(service().engine) as session:
        attempts.give_up(session, current_user(), public_id, now())
    return redirect(url_for("followups.show", public_id=public_id), 303)
