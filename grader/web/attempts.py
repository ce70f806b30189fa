"""An attempt's pages: statement and editor, samples, drafts, handing in, giving up."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy.orm import Session

from grader.errors import GraderError, UserError
from grader.problems.loader import Problem
from grader.services import attempts, candidate_view, diagnoses, drafts, feedback, load, own_time, sample_runs
from grader.services.attempts import AttemptClosed, NothingHandedIn, SourceTooLarge, TooManyWaiting
from grader.services.contract_table import contract_table
from grader.services.load import TooBusy
from grader.services.sample_run_view import view
from grader.services.samples import SampleView
from grader.services.time_changes import told_changes
from grader.store import queries, sample_run_queries
from grader.store.models import User
from grader.store.score_queries import scores_by_hand
from grader.store.session import read_session, write_session
from grader.web.errors import DATABASE_FAILURES, database_away, retry_header
from grader.web.once import once
from grader.web.service import current_user, now, received_at, service

NOT_HANDED_IN: Final = "Not handed in."
log = logging.getLogger(__name__)
bp = Blueprint("attempts", __name__, url_prefix="/attempts/<public_id>")


@bp.get("")
def show(public_id: str) -> ResponseReturnValue:
    """Show the statement beside the editor; `?source=starter` begins the editor with the starter again."""
    return _page(public_id)


def _page(public_id: str, refused: UserError | None = None, outcome: str = "") -> str:
    """Return the page; what could not be taken stays in its editor."""
    with read_session(service().engine) as session:
        attempt = queries.attempt_of(session, current_user(), public_id)
        shown = feedback.of(session, attempt, now())
        problem = service().packages.pinned(session, attempt.package)
        submissions = candidate_view.handed_in(queries.submissions_in(session, attempt), shown)
        if shown.is_over and not shown.is_practice:
            return render_template(
                "attempt_over.html",
                attempt=attempt,
                problem=problem,
                shown=shown,
                samples=shown_samples(problem) if shown.content else (),
                submissions=submissions,
                by_hand=scores_by_hand(session, [attempt.id]).get(attempt.id) if shown.by_hand else None,
                changes=told_changes(session, attempt.invitation) if attempt.invitation else (),
                refused=refused,
                outcome=outcome,
                typed=_text() if refused and "source" in request.form else "",
            )
        starter = problem.starter(attempt.variant)
        own = drafts.editable_source(session, attempt, problem)
        wants_starter = request.args.get("source") == "starter"
        run = sample_run_queries.newest_sample_run(session, attempt)
        return render_template(
            "attempt.html",
            attempt=attempt,
            problem=problem,
            shown=shown,
            status=attempts.status(attempt),
            left=attempts.submissions_left(session, attempt) if attempt.invitation else None,
            seconds_left=own_time.seconds_left(attempt.invitation, now()) if attempt.invitation else None,
            contract=contract_table(problem),
            samples=shown_samples(problem),
            has_samples=sample_runs.has_samples(problem),
            source=_text() if refused and "source" in request.form else starter if wants_starter else own,
            refused=refused,
            outcome=outcome,
            starter=starter,
            is_own_kept=wants_starter and own != starter,
            run=view(run) if run else None,
            diagnosis=diagnoses.diagnosis(session, attempt, problem, shown),
            submissions=submissions,
        )


def shown_samples(problem: Problem) -> Sequence[SampleView]:
    """Return a problem's samples; without them the page still has statement and editor."""
    try:
        return service().samples(problem)
    except GraderError as error:
        log.warning("the samples of %s cannot be shown: %s", problem.slug, error)
        return ()


@bp.get("/samples")
def samples(public_id: str) -> ResponseReturnValue:
    """Show the sample cases, which are the only ones that a candidate sees."""
    with read_session(service().engine) as session:
        attempt = queries.attempt_of(session, current_user(), public_id)
        feedback.require_content(feedback.of(session, attempt, now()))
        problem = service().packages.pinned(session, attempt.package)
    return render_template("samples.html", attempt=attempt, samples=service().samples(problem))


@bp.post("/draft")
def save_draft(public_id: str) -> ResponseReturnValue:
    """Keep what the editor holds; without scripts the attempt's page follows, with them nothing but two headers."""
    came_at = received_at()
    with write_session(service().engine) as session:
        is_unseen = keep_text(session, public_id, came_at)
    if "page" in request.form:
        return redirect(url_for("attempts.show", public_id=public_id, _anchor="editing"), 303)
    return "", 204, {"Draft-Saved": came_at.isoformat()} | ({"Draft-Replaced": "1"} if is_unseen else {})


def keep_text(session: Session, public_id: str, came_at: datetime) -> bool:
    """Keep what the editor of a form holds; return whether it took the place of a draft that nobody there saw.

    Raises:
        UserError: the form has no editor, or `drafts.save` refuses the text.
    """
    seen = _time(request.form.get("seen", ""))
    return drafts.save(session, current_user(), public_id, _typed(), seen, came_at)


def _time(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


@bp.post("/submissions")
def submit(public_id: str) -> ResponseReturnValue:
    """Store a source and have it judged; a file that comes along is taken as it is."""
    source, came_at = handed_in(), received_at()
    current = current_user()
    try:
        with write_session(service().engine) as session:
            page = once(session, lambda: _submitted(session, current, public_id, source, came_at))
    except (NothingHandedIn, SourceTooLarge, TooBusy, TooManyWaiting, AttemptClosed) as error:
        return refused(public_id, error, NOT_HANDED_IN)
    except DATABASE_FAILURES as error:
        return refused(public_id, database_away(error), NOT_HANDED_IN)
    return redirect(page, 303)


def _submitted(session: Session, current: User, public_id: str, source: bytes, came_at: datetime) -> str:
    load.require_room(session, came_at, service().started_at)
    submission = attempts.submit(session, current, public_id, source, came_at)
    service().dispatch(session, submission)
    return url_for("verdicts.show", public_id=public_id, ordinal=submission.ordinal)


def refused(public_id: str, error: UserError, outcome: str) -> ResponseReturnValue:
    """Return the attempt's page with what was sent in its editor, and why it was not taken."""
    return _page(public_id, error, outcome), error.status, retry_header(error)


def handed_in() -> bytes:
    """Return the bytes that a form hands in, a file's before the editor's.

    Raises:
        UserError: the request has neither a file nor a text.
    """
    file = request.files.get("file")
    if file is not None and file.filename:
        return bytes(file.read())
    return _typed()


def _typed() -> bytes:
    return _text().encode("utf-8", "surrogatepass")


def _text() -> str:
    text = request.form.get("source")
    if text is None:
        raise UserError("There is no source in this request; write it into the editor or choose a file.")
    # a form sends every line end as CR LF; what was typed has LF
    return text.replace("\r\n", "\n")


@bp.post("/give-up")
def give_up(public_id: str) -> ResponseReturnValue:
    """End the attempt and open its answers."""
    with write_session(service().engine) as session:
        attempts.give_up(session, current_user(), public_id, now())
    return redirect(url_for("followups.show", public_id=public_id), 303)
