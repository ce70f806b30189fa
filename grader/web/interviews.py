"""Interviews: the list, an interview's page while it runs, its interviewers, its end."""

from __future__ import annotations

from typing import Any, Final

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy.orm import Session

from grader.errors import NotFound, UserError
from grader.services import interviewers, interviews, live
from grader.services.interview_settings import settings_of, window_warnings
from grader.services.problem_list import LEVELS
from grader.store import interview_queries as queries
from grader.store.interview_models import Interview, Part
from grader.store.interview_queries import Phase
from grader.store.models import User
from grader.store.session import read_session, write_session
from grader.store.sitting_queries import require_not_sat
from grader.web import review_switches
from grader.web.attempts import shown_samples
from grader.web.kept_text import told_on
from grader.web.once import once
from grader.web.pages import asked_page
from grader.web.readings import note_reading
from grader.web.service import current_user, now, service

SHOWN: Final = 50  # interviews on one page
DONE: Final = {
    "saved": "Saved.",
    "copied": "This is the copy: same settings, problems and interviewers, no window and no candidates yet.",
    "released": "The results are released; candidates see what the settings say.",
    "archived": "Archived: nobody starts it any more, and lists leave it out.",
    "unarchived": "Out of the archive again.",
    "members": "The interviewers are changed.",
}
bp = Blueprint("interviews", __name__, url_prefix="/interviews")


@bp.get("")
def index() -> ResponseReturnValue:
    """List the interviews that stand where the address says."""
    current = _require_reader()
    word = request.args.get("state", "")
    wanted = Phase(word) if word in list(Phase) else Phase.RUNNING
    page = asked_page()
    with read_session(service().engine) as session:
        phases = queries.phases_of(session, current, now())
        if not word and not phases[wanted]:  # an empty list helps nobody
            wanted = next((one for one in (Phase.PLANNED, Phase.ENDED) if phases[one]), wanted)
        pages = max(1, -(-phases[wanted] // SHOWN))
        page = min(page, pages)
        found = queries.interviews_of(session, current, wanted, now(), (page - 1) * SHOWN, SHOWN)
        counts = queries.counts_of(session, found, now())
    return render_template(
        "interviews.html", interviews=found, counts=counts, phases=phases, wanted=wanted, page=page, pages=pages
    )


@bp.get("/<public_id>")
def show(public_id: str) -> ResponseReturnValue:
    """Show an interview: candidates and problems, settings, interviewers."""
    return overview(public_id)


def overview(public_id: str, error: UserError | None = None, place: str = "") -> ResponseReturnValue:
    """Return an interview's page, with what could not be done at its place."""
    current = current_user()
    with read_session(service().engine) as session:
        interview = queries.interview_of(session, current, public_id)
        shown = _live(session, current, interview)
        settings = settings_of(interview)
        private = {row.id for row in interview.problems if row.package.uploaded_by_id is not None}
        offered = {problem.sha256 for problem in service().packages.offered()}
    note_reading(current, interview, has_part=shown["is_member"])
    page = render_template(
        "interview.html",
        settings=settings,
        error=error,
        place=place,
        done=DONE.get(request.args.get("done", "")),
        warnings=[warning.value for warning in window_warnings(settings, now())] if "window" in request.args else [],
        parts=list(Part),
        private=private,
        offered=offered,
        typed=request.form.get("name", ""),
        **shown,
    )
    return (page, error.status) if error else page


@bp.get("/<public_id>/live")
def show_live(public_id: str) -> ResponseReturnValue:
    """Answer an interview's page that asks again: the part that changes while candidates work."""
    current = current_user()
    with read_session(service().engine) as session:
        interview = queries.interview_of(session, current, public_id)
        shown = _live(session, current, interview)
        rendered = render_template("live.html", **shown)
    note_reading(current, interview, has_part=shown["is_member"], is_polled=True)
    return rendered


def _live(session: Session, current: User, interview: Interview) -> dict[str, Any]:
    return {
        "interview": interview,
        "live": live.live(session, interview, asked_page(), now()),
        "names": review_switches.shown_names(session, interview),
        "are_names_hidden": review_switches.are_names_hidden(),
        "is_member": queries.is_member(current, interview),
        "is_lead": queries.is_lead(current, interview),
        "now": now(),
    }


@bp.post("/<public_id>/members")
@told_on(lambda error, public_id: overview(public_id, error, "members"), "name")
def set_member(public_id: str) -> ResponseReturnValue:
    """Make somebody an interviewer of the interview, or give them another part."""
    word = request.form.get("part", "")
    part = Part(word) if word in list(Part) else Part.REVIEWER
    try:
        with write_session(service().engine) as session:
            interviewers.set_part(session, current_user(), public_id, request.form.get("name", ""), part, now())
    except NotFound:
        raise
    except UserError as error:
        return overview(public_id, error, "members")
    return _shown(public_id, "members", "members")


@bp.post("/<public_id>/members/<member>/remove")
def remove_member(public_id: str, member: str) -> ResponseReturnValue:
    """Take an interviewer off the interview."""
    current = current_user()
    try:
        with write_session(service().engine) as session:
            interviewers.remove(session, current, public_id, member, now())
    except NotFound:
        raise
    except UserError as error:
        return overview(public_id, error, "members")
    if member == current.public_id and not current.is_admin:
        return redirect(url_for("interviews.index"), 303)
    return _shown(public_id, "members", "members")


@bp.post("/<public_id>/clone")
def clone(public_id: str) -> ResponseReturnValue:
    """Copy the interview without its candidates."""
    user = current_user()
    try:
        with write_session(service().engine) as session:
            copy = once(
                session, lambda: _address(interviews.clone(session, user, public_id, now()).public_id, "copied")
            )
    except NotFound:
        raise
    except UserError as error:
        return overview(public_id, error, "end")
    return redirect(copy, 303)


@bp.post("/<public_id>/archive")
def archive(public_id: str) -> ResponseReturnValue:
    """Put the interview away."""
    return _ended(public_id, is_archived=True)


@bp.post("/<public_id>/unarchive")
def unarchive(public_id: str) -> ResponseReturnValue:
    """Take the interview out of the archive."""
    return _ended(public_id, is_archived=False)


def _ended(public_id: str, *, is_archived: bool) -> ResponseReturnValue:
    try:
        with write_session(service().engine) as session:
            interviews.archive(session, current_user(), public_id, now(), is_archived=is_archived)
    except NotFound:
        raise
    except UserError as error:
        return overview(public_id, error, "end")
    return _shown(public_id, "archived" if is_archived else "unarchived")


@bp.post("/<public_id>/release")
def release(public_id: str) -> ResponseReturnValue:
    """Show candidates what they see when results are released."""
    try:
        with write_session(service().engine) as session:
            interviews.release(session, current_user(), public_id, now())
    except NotFound:
        raise
    except UserError as error:
        return overview(public_id, error, "end")
    return _shown(public_id, "released")


@bp.get("/<public_id>/problems/<int(max=1000):position>")
def preview(public_id: str, position: int) -> ResponseReturnValue:
    """Show a problem as its candidates will read it: statement, samples, starters."""
    user = current_user()
    with read_session(service().engine) as session:
        interview = queries.interview_of(session, user, public_id)
        row = next((row for row in interview.problems if row.position == position), None)
        if row is None:
            raise NotFound("The interview has no such problem; its page shows all there are.")
        require_not_sat(session, user, [row.package])
        problem = service().packages.pinned(session, row.package)
    note_reading(user, interview, has_part=queries.is_member(user, interview))
    return render_template(
        "interview_preview.html",
        interview=interview,
        row=row,
        problem=problem,
        samples=shown_samples(problem),
        levels=LEVELS,
    )


def _require_reader() -> User:
    """Return who is signed in, when there are interviews for them: an interviewer, or an admin, who reads all."""
    current = current_user()
    if not current.is_admin:
        interviews.require_interviewer(current)
    return current


def _shown(public_id: str, done: str, anchor: str | None = None) -> ResponseReturnValue:
    return redirect(_address(public_id, done, anchor), 303)


def _address(public_id: str, done: str, anchor: str | None = None) -> str:
    return url_for("interviews.show", public_id=public_id, done=done, _anchor=anchor)
