"""Downloads of an interview: tables, results, evidence, a candidate's packet. Each is a POST, for it is noted."""

from __future__ import annotations

from typing import Final

from flask import Blueprint, Response, render_template, request
from flask.typing import ResponseReturnValue
from markupsafe import Markup

from grader.report.page import standalone
from grader.report.visible import visible
from grader.services import exports, packets
from grader.services.packets import Packet
from grader.services.problem_list import LEVELS
from grader.store import interview_queries, invitation_queries
from grader.store.session import read_session, write_session
from grader.web import review_switches
from grader.web.pages import asked_page
from grader.web.readings import note_reading
from grader.web.reviews import DECISIONS
from grader.web.service import current_user, now, service

SHOWN: Final = 100  # candidates on one page
bp = Blueprint("exports", __name__, url_prefix="/interviews/<public_id>/exports")


@bp.get("")
def show(public_id: str) -> ResponseReturnValue:
    """Show what can be taken along of an interview."""
    page, user = asked_page(), current_user()
    with read_session(service().engine) as session:
        interview = interview_queries.interview_of(session, user, public_id)
        number = invitation_queries.number_of_invitations(session, interview)
        invitations = invitation_queries.invitations_in(session, interview, (page - 1) * SHOWN, SHOWN)
        names = review_switches.shown_names(session, interview)
    note_reading(user, interview, has_part=interview_queries.is_member(user, interview))
    return render_template(
        "exports.html",
        interview=interview,
        invitations=invitations,
        names=names,
        are_names_hidden=review_switches.are_names_hidden(),
        page=page,
        pages=max(1, -(-number // SHOWN)),
    )


@bp.post("")
def download(public_id: str) -> Response:
    """Hand a table, results or evidence records out, piece by piece."""
    export = exports.export(service().engine, current_user(), public_id, request.form.get("kind", ""), now())
    return _attachment(export.pieces, export.content_type, export.file_name)


@bp.post("/packet")
def packet(public_id: str) -> Response:
    """Hand a candidate's packet out, one file that needs nothing else."""
    invitation = request.form.get("invitation", "")
    with write_session(service().engine) as session:
        packets.note(session, current_user(), public_id, invitation, now())
    with read_session(service().engine) as session:
        found = packets.packet(session, current_user(), public_id, invitation, service().packages, now())
        page = packet_page(found)
    return _attachment(page, "text/html; charset=utf-8", f"{public_id}-{invitation}.html")


def packet_page(found: Packet) -> str:
    """Return a packet as a page of its own."""
    body = render_template("packet.html", packet=found, decisions=DECISIONS, levels=LEVELS)
    title = visible(f"{found.invitation.label}: {found.interview.title}", keep="")
    return standalone(title, Markup(body), "interviews.css")  # noqa: S704 - our own template, which escapes


def _attachment(body: object, content_type: str, file_name: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{file_name}"'}
    return Response(body, content_type=content_type, headers=headers)  # type: ignore[arg-type]
