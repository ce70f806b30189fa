"""The candidates of an interview: inviting them, their links, more time, ending early."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from flask import Blueprint, Response, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy.orm import Session

from grader.errors import NotFound, UserError
from grader.report.result import csv_line
from grader.services import invitation_names, invitations, links_again, live
from grader.services.feedback import are_answers_out, told_at_the_end
from grader.services.interview_settings import UnusableSettings
from grader.services.invitation_names import Alike
from grader.services.invitations import EXTENSION_MAX, INVITATIONS_MAX, REASON_LENGTH, Invitations, Invited
from grader.services.time_changes import all_changes
from grader.store import interview_queries, invitation_queries
from grader.store.interview_models import LABEL_LENGTH, Part
from grader.store.session import read_session, write_session
from grader.web import review_switches
from grader.web.kept_text import UnusableCharacter, told_on
from grader.web.once import once, once_shown
from grader.web.pages import public_address
from grader.web.readings import note_reading
from grader.web.service import current_user, now, service

DONE: Final = {
    "revoked": "The invitation is revoked; its link opens nothing any more.",
    "extended": "More time is given; the candidate's clock shows it at its next look.",
    "ended": "Their time is over; drafts are handed in as they are.",
}
bp = Blueprint("interview_candidates", __name__, url_prefix="/interviews/<public_id>")


@bp.get("/invite")
def show_invite(public_id: str) -> ResponseReturnValue:
    """Show the form for the candidates' names."""
    return _invite_form(public_id)


@bp.post("/invite")
@told_on(lambda error, public_id: _invite_form(public_id, error), "names")
def invite(public_id: str) -> ResponseReturnValue:
    """Invite candidates and show their links, this once."""
    file = request.files.get("file")
    try:
        typed = request.form.get("names", "")
        names = invitation_names.read_names(file.read() if file and file.filename else typed)
        with write_session(service().engine) as session:
            made, is_again = once_shown(
                session,
                lambda: _invited(session, public_id, names),
                lambda before: links_again.made_again(session, current_user(), public_id, before, now()),
            )
    except NotFound:
        raise
    except UserError as error:
        return _invite_form(public_id, error)
    return _links(public_id, made.made, made.left_out, made.alike, is_again=is_again)


def _invited(session: Session, public_id: str, names: Sequence[str]) -> tuple[Invitations, str]:
    made = invitations.invite(session, current_user(), public_id, names, now())
    return made, links_again.to_remember(session, current_user(), public_id, made)


def _invite_form(public_id: str, error: UserError | None = None) -> ResponseReturnValue:
    with read_session(service().engine) as session:
        interview = interview_queries.interview_of(session, current_user(), public_id, Part.LEAD)
    page = render_template(
        "interview_invite.html",
        interview=interview,
        error=error,
        names=request.form.get("names", ""),
        label_length=LABEL_LENGTH,
        most=INVITATIONS_MAX,
    )
    return (page, error.status) if error else page


def _links(
    public_id: str,
    made: Sequence[Invited],
    left_out: Sequence[str] = (),
    alike: Sequence[Alike] = (),
    *,
    is_again: bool = False,
) -> ResponseReturnValue:
    with read_session(service().engine) as session:
        interview = interview_queries.interview_of(session, current_user(), public_id, Part.LEAD)
    links = [(one, _address(one.token)) for one in made]
    return render_template(
        "interview_links.html", interview=interview, links=links, left_out=left_out, alike=alike, is_again=is_again
    )


@bp.post("/links.csv")
def download_links(public_id: str) -> ResponseReturnValue:
    """Hand the links of the page before out as CSV: their tokens come from it, for they are stored nowhere."""
    tokens = request.form.getlist("token")[:INVITATIONS_MAX]
    with read_session(service().engine) as session:
        interview = interview_queries.interview_of(session, current_user(), public_id, Part.LEAD)
        found = invitations.with_tokens(session, interview, tokens)
    lines = [("candidate", "link"), *((one.label, _address(one.token)) for one in found)]
    headers = {"Content-Disposition": 'attachment; filename="invitations.csv"'}
    return Response(map(csv_line, lines), content_type="text/csv; charset=utf-8", headers=headers)


def _address(token: str) -> str:
    return public_address(url_for("invitations.take", token=token))


@bp.get("/candidates/<invitation>")
def show(public_id: str, invitation: str) -> ResponseReturnValue:
    """Show one candidate: where they are, and what can be done for them."""
    return _candidate(public_id, invitation)


def _candidate(
    public_id: str, invitation_id: str, error: UserError | None = None, place: str = ""
) -> ResponseReturnValue:
    current = current_user()
    with read_session(service().engine) as session:
        interview = interview_queries.interview_of(session, current, public_id)
        invitation = invitation_queries.invitation_in(session, interview, invitation_id)
        line = live.line_of(session, interview, invitation, now())
        changes = all_changes(session, invitation)
    note_reading(current, interview, has_part=interview_queries.is_member(current, interview))
    page = render_template(
        "interview_candidate.html",
        interview=interview,
        line=line,
        changes=changes,
        is_lead=interview_queries.is_lead(current, interview),
        are_answers_out=are_answers_out(interview, now()),
        told_at_the_end=told_at_the_end(interview),
        are_names_hidden=review_switches.are_names_hidden(),
        error=error,
        place=place,
        wrong=error.field if isinstance(error, UnusableSettings | UnusableCharacter) else "",
        done=DONE.get(request.args.get("done", "")),
        minutes_max=EXTENSION_MAX,
        reason_length=REASON_LENGTH,
        typed=request.form,
    )
    return (page, error.status) if error else page


@bp.post("/candidates/<invitation>/renew")
def renew(public_id: str, invitation: str) -> ResponseReturnValue:
    """Make a new link, which ends the old one, and show it, this once."""
    try:
        with write_session(service().engine) as session:
            made = invitations.renew(session, current_user(), public_id, invitation, now())
    except NotFound:
        raise
    except UserError as error:
        return _candidate(public_id, invitation, error, "link")
    return _links(public_id, [made])


@bp.post("/candidates/<invitation>/revoke")
def revoke(public_id: str, invitation: str) -> ResponseReturnValue:
    """Take the invitation back."""
    try:
        with write_session(service().engine) as session:
            invitations.revoke(session, current_user(), public_id, invitation, now())
    except NotFound:
        raise
    except UserError as error:
        return _candidate(public_id, invitation, error, "link")
    return _done(public_id, invitation, "revoked")


@bp.post("/candidates/<invitation>/extend")
@told_on(lambda error, public_id, invitation: _candidate(public_id, invitation, error, "extend"), "minutes", "reason")
def extend(public_id: str, invitation: str) -> ResponseReturnValue:
    """Give more time."""
    minutes, reason = request.form.get("minutes", ""), request.form.get("reason", "")
    try:
        with write_session(service().engine) as session:
            page = once(session, lambda: _extended(session, public_id, invitation, minutes, reason))
    except NotFound:
        raise
    except UserError as error:
        return _candidate(public_id, invitation, error, "extend")
    return redirect(page, 303)


def _extended(session: Session, public_id: str, invitation: str, minutes: str, reason: str) -> str:
    is_confirmed = "confirmed" in request.form
    invitations.extend(
        session, current_user(), public_id, invitation, minutes, reason, now(), is_confirmed=is_confirmed
    )
    return _address_of(public_id, invitation, "extended")


@bp.post("/candidates/<invitation>/end")
@told_on(lambda error, public_id, invitation: _candidate(public_id, invitation, error, "end"), "why")
def end(public_id: str, invitation: str) -> ResponseReturnValue:
    """End the candidate's time now."""
    why = request.form.get("why", "")
    try:
        with write_session(service().engine) as session:
            invitations.end_early(
                session, current_user(), public_id, invitation, why, now(), is_told="told" in request.form
            )
    except NotFound:
        raise
    except UserError as error:
        return _candidate(public_id, invitation, error, "end")
    return _done(public_id, invitation, "ended")


def _done(public_id: str, invitation: str, done: str) -> ResponseReturnValue:
    return redirect(_address_of(public_id, invitation, done), 303)


def _address_of(public_id: str, invitation: str, done: str) -> str:
    return url_for("interview_candidates.show", public_id=public_id, invitation=invitation, done=done)
