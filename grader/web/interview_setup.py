"""The form in which an interview is set up and changed; its buttons for problems change nothing but the form."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy.orm import Session

from grader.errors import NotFound, UserError
from grader.services import interview_form, interviews
from grader.services.feedback import are_answers_out
from grader.services.interview_form import Form
from grader.services.interview_settings import HINT_LEVEL_MAX, UnusableSettings, settings_of
from grader.services.refusals import Outdated
from grader.store import interview_queries as queries
from grader.store.interview_models import Part, Shown
from grader.store.models import User
from grader.store.session import read_session, write_session
from grader.web.kept_text import UnusableCharacter, told_on
from grader.web.once import once
from grader.web.service import current_user, now, service

ROWS_SENT: Final = 100
TYPED: Final = ("title", "minutes", "submissions_max", "opens_at", "closes_at")
bp = Blueprint("interview_setup", __name__, url_prefix="/interviews")


@bp.get("/new")
def new() -> ResponseReturnValue:
    """Show the form that sets an interview up."""
    interviews.require_interviewer(current_user())
    return _form(None, Form())


@bp.post("/new")
@told_on(lambda error: _refused(None, error), *TYPED)
def create() -> ResponseReturnValue:
    """Set an interview up, or take the next step in its form."""
    current = current_user()
    interviews.require_interviewer(current)
    form = _sent()
    if (step := request.form.get("step", "save")) != "save":
        return _form(None, _stepped(form, step))
    try:
        with write_session(service().engine) as session:
            page = once(session, lambda: _created(session, current, form))
    except NotFound:
        raise
    except UserError as error:
        return _form(None, form, error)
    return redirect(page, 303)


def _created(session: Session, current: User, form: Form) -> str:
    made = interviews.create(session, current, form.settings(), service().packages, now())
    return url_for("interviews.show", public_id=made.public_id, done="saved", window="1")


@bp.get("/<public_id>/edit")
def edit(public_id: str) -> ResponseReturnValue:
    """Show the settings to change."""
    with read_session(service().engine) as session:
        interview = queries.interview_of(session, current_user(), public_id, Part.LEAD)
        form = Form.of(settings_of(interview), interview.version)
    return _form(public_id, form)


@bp.post("/<public_id>/edit")
@told_on(lambda error, public_id: _refused(public_id, error), *TYPED)
def change(public_id: str) -> ResponseReturnValue:
    """Store changed settings, or take the next step in their form."""
    form, step = _sent(), request.form.get("step", "save")
    if step != "save":
        return _form(public_id, _stepped(form, step))
    version = int(form.version) if form.version.isascii() and form.version.isdigit() and len(form.version) < 9 else 0
    try:
        with write_session(service().engine) as session:
            interviews.change(session, current_user(), public_id, form.settings(), version, service().packages, now())
    except NotFound:
        raise
    except UserError as error:
        return _form(public_id, form, error)
    return redirect(url_for("interviews.show", public_id=public_id, done="saved", window="1"), 303)


def _refused(public_id: str | None, error: UserError) -> ResponseReturnValue:
    interviews.require_interviewer(current_user())
    return _form(public_id, _sent(), error)


def _sent() -> Form:
    sent = request.form
    return Form.sent(sent, sent.getlist("problem")[:ROWS_SENT], sent.getlist("variant")[:ROWS_SENT])


def _stepped(form: Form, step: str) -> Form:
    if step == "add-set":
        return form.changed("add", _of_set(request.form.get("set", "")))
    return form.changed(step, [request.form.get("more", "")] if request.form.get("more") else [])


def _of_set(name: str) -> list[str]:
    """Return the hashes of a set's problems, in its order."""
    chosen = service().packages.sets().get(name)
    offered = {problem.slug: problem.sha256 for problem in service().packages.offered()}
    return [offered[slug] for slug in (chosen.problems if chosen else ()) if slug in offered]


def _form(public_id: str | None, form: Form, error: UserError | None = None) -> ResponseReturnValue:
    current = current_user()
    with read_session(service().engine) as session:
        interview = queries.interview_of(session, current, public_id, Part.LEAD) if public_id else None
        started = queries.counts_of(session, [interview], now())[interview.id].started if interview else 0
        options = interview_form.options(session, current, service().packages)
        rows = interview_form.rows(session, current, interview, form, service().packages)
    if interview is not None and isinstance(error, Outdated):
        form = replace(form, version=str(interview.version))  # what is saved next is saved knowingly
    page = render_template(
        "interview_form.html",
        interview=interview,
        form=form,
        rows=rows,
        are_answers_out=started > 0 and interview is not None and are_answers_out(interview, now()),
        options=options,
        sets=service().packages.sets(),
        shown=list(Shown),
        hint_levels=range(HINT_LEVEL_MAX + 1),
        started=started,
        error=error,
        wrong=error.field if isinstance(error, UnusableSettings | UnusableCharacter) else "",
        step=request.form.get("step", ""),
    )
    return (page, error.status) if error else page
