"""Judging attempts again with another version of their package: asked for, previewed, applied, undone."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy.orm import Session

from grader.errors import NotFound, UserError
from grader.services import rejudge, rejudge_versions
from grader.services.refusals import NotNow
from grader.services.rejudge import State
from grader.store import interview_queries, rejudge_queries
from grader.store.models import User
from grader.store.session import read_session, write_session
from grader.web import review_switches
from grader.web.once import once
from grader.web.pages import asked_page
from grader.web.readings import note_reading
from grader.web.service import current_user, now, service

bp = Blueprint("rejudge", __name__)


@bp.get("/interviews/<public_id>/rejudges")
def of_interview(public_id: str) -> ResponseReturnValue:
    """List an interview's rejudges, with the form that begins one."""
    return _of_interview(public_id)


def _of_interview(public_id: str, refused: UserError | None = None) -> str:
    user = current_user()
    with read_session(service().engine) as session:
        choices = rejudge_versions.choices(session, user, public_id, service().packages)
        interview = interview_queries.interview_of(session, user, public_id)
        found = rejudge_queries.rejudges_of(session, interview)
        page = render_template("rejudges.html", interview=interview, choices=choices, rejudges=found, refused=refused)
    note_reading(user, interview, has_part=interview_queries.is_member(user, interview))
    return page


@bp.post("/interviews/<public_id>/rejudges")
def begin(public_id: str) -> ResponseReturnValue:
    """Have an interview's attempts at a problem judged with another version, for a preview."""
    old, _, new = request.form.get("versions", "").partition(" ")
    try:
        with write_session(service().engine) as session:
            page = once(session, lambda: _begun(session, public_id, old, new))
    except NotNow as error:
        return _of_interview(public_id, error), error.status
    return redirect(page, 303)


@bp.get("/rejudges")
def everywhere() -> ResponseReturnValue:
    """List the problems with several versions and the rejudges of everybody's attempts, for admins."""
    return _everywhere()


def _everywhere(refused: UserError | None = None) -> str:
    _require_admin()
    with read_session(service().engine) as session:
        choices = rejudge_versions.choices_everywhere(session, service().packages)
        found = rejudge_queries.rejudges_of(session, None)
        return render_template("rejudges.html", interview=None, choices=choices, rejudges=found, refused=refused)


@bp.post("/rejudges")
def begin_everywhere() -> ResponseReturnValue:
    """Have everybody's attempts at a version judged with another one, for a preview."""
    _require_admin()
    old, _, new = request.form.get("versions", "").partition(" ")
    try:
        with write_session(service().engine) as session:
            page = once(session, lambda: _begun(session, None, old, new))
    except NotNow as error:
        return _everywhere(error), error.status
    return redirect(page, 303)


def _begun(session: Session, interview: str | None, old: str, new: str) -> str:
    made = rejudge.create(session, current_user(), interview, old, new, service().packages, now())
    return url_for("rejudge.show", public_id=made.public_id)


def _require_admin() -> None:
    if not current_user().is_admin:
        raise NotFound("There is no such page, or it is not yours; the problem list shows your own.")


@bp.get("/rejudges/<public_id>")
def show(public_id: str) -> ResponseReturnValue:
    """Show how far judging anew is, what it changes, and what can be done with it."""
    return _page(public_id)


def _page(public_id: str, refused: UserError | None = None) -> str:
    page, packages, user = asked_page(), service().packages, current_user()
    with read_session(service().engine) as session:
        preview = rejudge.preview(session, user, public_id, page)
        moving = preview.state in (State.JUDGING, State.APPLYING, State.UNDOING)
        interview = preview.rejudge.interview
        is_open = preview.state in (State.JUDGING, State.READY)
        has_part = interview is not None and interview_queries.is_member(user, interview)
        rendered = render_template(
            "rejudge.html",
            preview=preview,
            names=review_switches.shown_names(session, interview) if interview else {},
            are_names_hidden=review_switches.are_names_hidden(),
            answers_left=rejudge_versions.answers_left(session, preview.rejudge, packages) if is_open else None,
            page=page,
            is_moving=moving,
            refused=refused,
        )
    note_reading(user, interview, "rejudge.read", preview.rejudge, has_part=has_part, is_polled=moving)
    return rendered


@bp.post("/rejudges/<public_id>/apply")
def apply(public_id: str) -> ResponseReturnValue:
    """Let the new results take the place of the old ones."""
    return _do(public_id, lambda session, user, key, at: rejudge.apply(session, user, key, service().packages, at))


@bp.post("/rejudges/<public_id>/undo")
def undo(public_id: str) -> ResponseReturnValue:
    """Let the old results take their place again."""
    return _do(public_id, lambda session, user, key, at: rejudge.undo(session, user, key, service().packages, at))


@bp.post("/rejudges/<public_id>/again")
def judge_again(public_id: str) -> ResponseReturnValue:
    """Have what could not be judged judged once more."""
    return _do(public_id, rejudge.judge_again)


def _do(public_id: str, change: Callable[[Session, User, str, datetime], None]) -> ResponseReturnValue:
    try:
        with write_session(service().engine) as session:
            change(session, current_user(), public_id, now())
    except NotNow as error:
        return _page(public_id, error), error.status
    return redirect(url_for("rejudge.show", public_id=public_id), 303)


@bp.post("/rejudges/<public_id>/discard")
def discard(public_id: str) -> ResponseReturnValue:
    """Throw a preview away."""
    try:
        with write_session(service().engine) as session:
            interview = rejudge.discard(session, current_user(), public_id, now())
            target = interview.public_id if interview else None
    except NotNow as error:
        return _page(public_id, error), error.status
    if target is None:
        return redirect(url_for("rejudge.everywhere"), 303)
    return redirect(url_for("rejudge.of_interview", public_id=target), 303)
