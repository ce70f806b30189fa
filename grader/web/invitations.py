"""Taking an interview: the link, the page that starts the clock, the interview's page, the end."""

from __future__ import annotations

from datetime import datetime

from flask import Blueprint, Response, g, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from grader.services import deadline, feedback, own_time, taking
from grader.services.candidate_stage import Stage
from grader.services.time_changes import told_changes
from grader.store import taking_queries
from grader.store.interview_models import Invitation
from grader.store.session import read_session, write_session
from grader.web import invited
from grader.web.service import current_user, now, service, user
from grader.wording import iso_time

bp = Blueprint("invitations", __name__)
SETTLED = frozenset(
    {"attempts", "sample_runs", "verdicts", "diagnoses", "followups"}
)  # blueprints of an attempt's pages
ASKED_BY_OPEN_PAGES = frozenset(
    {"attempts.save_draft", "sample_runs.start", "sample_runs.panel", "verdicts.fragment"}
)  # endpoints


@bp.get("/invitations/<token>")
def take(token: str) -> ResponseReturnValue:
    """Put a link's token into a cookie and lead to an address without it; that accepts nothing."""
    response = redirect(url_for("invitations.show_link"), 303)
    invited.keep_token(response, token)
    return response


@bp.get("/invitation")
def show_link() -> ResponseReturnValue:
    """Show what somebody is invited to, and who they are here."""
    with read_session(service().engine) as session:
        invitation = taking.find(session, invited.token(), user(), now())
        problems = taking_queries.number_of_problems(session, invitation.interview)
    if invitation.user_id is not None:
        return redirect(url_for("invitations.show", public_id=invitation.public_id), 303)
    return render_template(
        "invitation.html",
        interview=invitation.interview,
        problems=problems,
        when=feedback.WHEN,
    )


@bp.post("/invitation")
def accept() -> ResponseReturnValue:
    """Bind the invitation to who is signed in."""
    with write_session(service().engine) as session:
        invitation = taking.accept(session, current_user(), invited.token(), now())
    response = redirect(url_for("invitations.show", public_id=invitation.public_id), 303)
    invited.forget_token(response)
    return response


@bp.get("/taking")
def index() -> ResponseReturnValue:
    """List the interviews that whoever asks has accepted."""
    with read_session(service().engine) as session:
        own = taking.own(session, current_user(), now())
    return render_template("own_interviews.html", own=own, stages=Stage)


@bp.get("/taking/<public_id>")
def show(public_id: str) -> ResponseReturnValue:
    """Show an interview to its candidate: what it is before the start, then problems and clock, then what is left."""
    _settle(public_id)
    with read_session(service().engine) as session:
        found = taking.taking(session, current_user(), public_id, now())
        return render_template("taking.html", taking=found, stages=Stage, when=feedback.WHEN)


@bp.post("/taking/<public_id>/start")
def start(public_id: str) -> ResponseReturnValue:
    """Start the clock."""
    with write_session(service().engine) as session:
        taking.start(session, current_user(), public_id, service().packages, now())
    return redirect(url_for("invitations.show", public_id=public_id), 303)


@bp.get("/taking/<public_id>/time-left")
def time_left(public_id: str) -> ResponseReturnValue:
    """Answer an open page that asks: by headers alone while time runs, and with what it then shows once it is over."""
    _settle(public_id)
    with read_session(service().engine) as session:
        invitation = taking_queries.invitation_of(session, current_user(), public_id)
        changes = told_changes(session, invitation)
    at = now()
    if not own_time.is_over(invitation, at):
        return "", 204, _told_time(invitation, at)
    return render_template("time_over.html", invitation=invitation, changes=changes), _told_time(invitation, at)


def _told_time(invitation: Invitation, at: datetime) -> dict[str, str]:
    end = own_time.end_of(invitation)
    if end is None:
        return {}
    return {"Seconds-Left": str(own_time.seconds_left(invitation, at)), "Ends-At": iso_time(end)}


@bp.after_app_request
def tell_time(response: Response) -> Response:
    """Let what an interview's open page asks for anyway tell the time that is left, which interviewers may change."""
    attempt = (request.view_args or {}).get("public_id")
    if g.get("is_practice"):  # a poll has found that out already, and there are many
        return response
    if request.endpoint in ASKED_BY_OPEN_PAGES and response.status_code < 500 and attempt and (current := user()):
        with read_session(service().engine) as session:
            invitation = taking_queries.invitation_of_attempt(session, current, attempt)
        if invitation is not None:
            response.headers.update(_told_time(invitation, now()))
    return response


@bp.get("/taking/<public_id>/end")
def confirm_end(public_id: str) -> ResponseReturnValue:
    """Ask once more before the time is ended."""
    _settle(public_id)
    with read_session(service().engine) as session:
        found = taking.taking(session, current_user(), public_id, now())
        if found.stage is not Stage.RUNNING:
            return redirect(url_for("invitations.show", public_id=public_id), 303)
        return render_template("end_interview.html", taking=found)


@bp.post("/taking/<public_id>/end")
def end(public_id: str) -> ResponseReturnValue:
    """End the candidate's time now."""
    with write_session(service().engine) as session:
        _, drafts = taking.end(session, current_user(), public_id, service().packages, now())
        for submission in drafts:
            service().dispatch(session, submission)
    return redirect(url_for("invitations.show", public_id=public_id), 303)


@bp.before_app_request
def settle_attempt() -> None:
    """Close what is due before an attempt's page is made, should the thread that watches not have come to it yet.

    A page that asks once a second can wait for the thread.
    """
    if request.method != "GET" or request.blueprint not in SETTLED or request.endpoint == "verdicts.fragment":
        return
    attempt = (request.view_args or {}).get("public_id")
    if attempt and (current := user()):
        parts = service()
        deadline.settle(parts.engine, current, attempt, parts.packages, parts.dispatch, now())


def _settle(public_id: str) -> None:
    parts = service()
    with read_session(parts.engine) as session:
        invitation = taking_queries.invitation_of(session, current_user(), public_id)
    if invitation.ended_at is None and invitation.ends_at is not None and invitation.ends_at < now():
        deadline.close_one(parts.engine, invitation.id, parts.packages, parts.dispatch, now())
