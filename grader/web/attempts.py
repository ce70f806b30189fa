"""An attempt's pages: statement and editor, samples, drafts, handing in, giving up."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Final

from flask import Blueprint, g, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy.orm import Session

from grader.errors import GraderError, InvalidPackage, UserError
from grader.problems.loader import Problem
from grader.services import attempts, candidate_view, diagnoses, drafts, feedback, load, own_time, sample_runs
from grader.services.attempts import AttemptClosed, NothingHandedIn, SourceTooLarge, TooManyWaiting
from grader.services.contract_table import contract_table
from grader.services.drafts import DraftTooLarge
from grader.services.feedback import Feedback
from grader.services.load import TooBusy
from grader.services.practice_lock import ClosedMeanwhile
from grader.services.sample_run_view import view
from grader.services.samples import SampleView
from grader.services.time_changes import told_changes
from grader.store import queries, sample_run_queries
from grader.store.models import Attempt, User
from grader.store.score_queries import scores_by_hand
from grader.store.session import read_session, write_session
from grader.web.errors import DATABASE_FAILURES, TITLES, database_away, error_page, retry_header
from grader.web.once import once
from grader.web.service import current_user, now, received_at, service

NOT_HANDED_IN: Final = "Not handed in."
NOT_SAVED: Final = "The draft was not saved."
log = logging.getLogger(__name__)
bp = Blueprint("attempts", __name__, url_prefix="/attempts/<public_id>")


class UnseenDraft(UserError):
    """A text would take the place of a draft that its page did not show."""

    status = 409


REFUSALS: Final = (
    NothingHandedIn,
    SourceTooLarge,
    DraftTooLarge,
    UnseenDraft,
    TooBusy,
    TooManyWaiting,
    AttemptClosed,
    ClosedMeanwhile,
)


@bp.get("")
def show(public_id: str) -> ResponseReturnValue:
    """Show the statement beside the editor; `?source=starter` begins the editor with the starter again."""
    return _page(public_id)


def _page(public_id: str, refused: UserError | None = None, outcome: str = "") -> str:
    """Return the page; what could not be taken stays in its editor, or beside it when that is closed."""
    with read_session(service().engine) as session:
        attempt = queries.attempt_of(session, current_user(), public_id)
        shown = feedback.of(session, attempt, now())
        problem = service().packages.pinned(session, attempt.package)
        told = {
            "refused": refused,
            "outcome": outcome,
            "typed": _text() if refused and "source" in request.form else None,
            "submissions": candidate_view.handed_in(queries.submissions_in(session, attempt), shown),
        }
        page = _over_page if shown.is_over and not shown.is_practice else _editor_page
        return page(session, attempt, problem, shown, told)


def _over_page(session: Session, attempt: Attempt, problem: Problem, shown: Feedback, told: dict[str, Any]) -> str:
    return render_template(
        "attempt_over.html",
        attempt=attempt,
        problem=problem,
        shown=shown,
        samples=shown_samples(problem) if shown.content else (),
        by_hand=scores_by_hand(session, [attempt.id]).get(attempt.id) if shown.by_hand else None,
        changes=told_changes(session, attempt.invitation) if attempt.invitation else (),
        **told,
    )


def _editor_page(session: Session, attempt: Attempt, problem: Problem, shown: Feedback, told: dict[str, Any]) -> str:
    starter = problem.starter(attempt.variant)
    own, typed = drafts.editable_source(session, attempt, problem), told["typed"]
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
        source=typed if typed is not None and not attempt.given_up_at else starter if wants_starter else own,
        unseen=drafts.unseen_draft(attempt, _seen(), _typed())
        if typed is not None and "seen" in request.form
        else None,
        starter=starter,
        is_own_kept=wants_starter and own != starter,
        run=view(run) if run else None,
        diagnosis=diagnoses.diagnosis(session, attempt, problem, shown),
        **told,
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
    if "page" in request.form:
        return next_page(public_id, NOT_SAVED, lambda: _saved(public_id, came_at))
    with write_session(service().engine) as session:
        saved = _keep(session, public_id, came_at)
    return "", 204, {"Draft-Saved": saved.at.isoformat()} | ({"Draft-Replaced": "1"} if saved.is_unseen else {})


def _saved(public_id: str, came_at: datetime) -> str:
    with write_session(service().engine) as session:
        keep_text(session, public_id, came_at)
    return url_for("attempts.show", public_id=public_id, _anchor="editing")


def keep_text(session: Session, public_id: str, came_at: datetime) -> None:
    """Keep what the editor of a page without scripts holds.

    Raises:
        UserError: the form has no editor, or `drafts.save` refuses the text.
        UnseenDraft: it would take the place of a draft that the page did not show.
    """
    is_unseen = _keep(session, public_id, came_at).is_unseen
    # such a page is left by its form, and with it the one place where the other tab's text could be told of
    if is_unseen and "seen" in request.form:
        raise UnseenDraft(
            "A newer draft was saved from another tab after this page was opened; it stands above the editor. "
            "Send this text again to put it in its place."
        )


def _keep(session: Session, public_id: str, came_at: datetime) -> drafts.Saved:
    """Keep what an editor holds, and have it judged where the end had handed in an older one."""
    saved = drafts.save(session, current_user(), public_id, _typed(), _seen(), service().packages, came_at)
    if saved.late is not None:
        service().dispatch(session, saved.late)
    return saved


def _seen() -> datetime | None:
    """Return when the draft was saved that a form's editor knows of."""
    try:
        return datetime.fromisoformat(request.form.get("seen", ""))
    except ValueError:
        return None


@bp.post("/submissions")
def submit(public_id: str) -> ResponseReturnValue:
    """Store a source and have it judged; a file that comes along is taken as it is."""
    source, came_at = handed_in(), received_at()
    current = current_user()

    def store() -> str:
        with write_session(service().engine) as session:
            return once(session, lambda: _submitted(session, current, public_id, source, came_at))

    return next_page(public_id, NOT_HANDED_IN, store)


def _submitted(session: Session, current: User, public_id: str, source: bytes, came_at: datetime) -> str:
    load.require_room(session, came_at, service().started_at)
    submission = attempts.submit(session, current, public_id, source, came_at)
    service().dispatch(session, submission)
    return url_for("verdicts.show", public_id=public_id, ordinal=submission.ordinal)


def next_page(public_id: str, outcome: str, act: Callable[[], str]) -> ResponseReturnValue:
    """Do what an editor's form asks and go on to the page that it leads to; what is refused comes back with its text.

    Args:
        outcome: what is told in front of why it was refused.
    """
    try:
        return redirect(act(), 303)
    except REFUSALS as error:
        return _refused(public_id, error, outcome)
    except DATABASE_FAILURES as error:
        return _refused(public_id, database_away(error), outcome)
    except InvalidPackage as error:
        return _unreadable(error, outcome)


def _refused(public_id: str, error: UserError, outcome: str) -> ResponseReturnValue:
    if isinstance(error, ClosedMeanwhile):  # and so is the attempt's page
        return error_page(error.status, TITLES[error.status], f"{outcome} {error.message}"), error.status
    return _page(public_id, error, outcome), error.status, retry_header(error)


def _unreadable(error: InvalidPackage, outcome: str) -> ResponseReturnValue:
    """Return a page of our fault that has the text: the attempt's own page needs the package as well."""
    log.error("a package cannot be read", exc_info=error)
    sentence = f"{outcome} This problem's package cannot be read on this server. What you typed stands below."
    return error_page(error.status, "Our fault, not yours", sentence, g.request_id), error.status


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
