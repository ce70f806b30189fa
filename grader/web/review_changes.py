"""What reviewers send: drafts and finished reviews, claims, scores by hand, the wish for an evidence record."""

from __future__ import annotations

import re
from typing import Final

from flask import Blueprint, redirect, request, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy.orm import Session

from grader.errors import UserError
from grader.services import evidence, reviews
from grader.services.refusals import Outdated
from grader.services.reviews import Draft
from grader.store import review_queries
from grader.store import review_queue_queries as queue
from grader.store.models import User
from grader.store.review_queries import Reviewed
from grader.store.session import read_session, write_session
from grader.web.confirmation import confirm
from grader.web.errors import retry_header
from grader.web.kept_text import told_on
from grader.web.reviews import address_of, current_interviewer, page, read_filters
from grader.web.service import now, service

NOTES: Final = ("private_note", "shared_note")
bp = Blueprint("review_changes", __name__, url_prefix="/reviews/<public_id>")


@bp.post("/draft")
@told_on(lambda error, public_id: _refused(public_id, "review", error), *NOTES)
def save(public_id: str) -> ResponseReturnValue:
    """Keep a draft: without scripts the page follows, with them nothing but the new version."""
    user, at = current_interviewer(), now()
    try:
        with write_session(service().engine) as session:
            version = reviews.save(session, user, public_id, _draft(), _version(), service().packages, at)
    except UserError as error:
        if "page" not in request.form:
            _require_right(public_id, "review")
            raise
        return _refused(public_id, "review", error)
    if "page" in request.form:
        return redirect(address_of(public_id, saved=1) + "#own-review", 303)
    return "", 204, {"ETag": f'"{version}"'}


@bp.post("/finish")
@told_on(lambda error, public_id: _refused(public_id, "review", error), *NOTES)
def finish(public_id: str) -> ResponseReturnValue:
    """Keep a review for good, and open the next attempt of the queue."""
    user, at = current_interviewer(), now()
    try:
        with write_session(service().engine) as session:
            reviews.finish(session, user, public_id, _draft(), _version(), service().packages, at)
    except UserError as error:
        return _refused(public_id, "review", error)
    filters = read_filters()
    with read_session(service().engine) as session:
        reviewed = review_queries.attempt_reviewed(session, user, public_id)
        after = queue.neighbours_of(session, user, filters, reviewed.attempt, at).after
    if after is None or "stay" in request.form:
        return redirect(address_of(public_id, finished=1), 303)
    return redirect(url_for("reviews.show", public_id=after, **filters.words(), finished=public_id), 303)


@bp.post("/claim")
def claim(public_id: str) -> ResponseReturnValue:
    """Tell colleagues that one reviews it."""
    user, at = current_interviewer(), now()
    try:
        with write_session(service().engine) as session:
            reviews.claim(session, user, public_id, at)
    except UserError as error:
        return _refused(public_id, "claim", error)
    return redirect(address_of(public_id), 303)


@bp.post("/release")
def release(public_id: str) -> ResponseReturnValue:
    """Take a claim back."""
    user, at = current_interviewer(), now()
    try:
        with write_session(service().engine) as session:
            reviews.release(session, user, public_id, at)
    except UserError as error:
        return _refused(public_id, "claim", error)
    return redirect(address_of(public_id), 303)


@bp.post("/override")
@told_on(lambda error, public_id: _refused(public_id, "override", error), "score", "reason", passwords=["password"])
def override(public_id: str) -> ResponseReturnValue:
    """Set the score by hand, after the password was shown again."""
    user, at = current_interviewer(), now()
    try:
        with read_session(service().engine) as session:
            reviewed = _reviewed(session, user, public_id, "override")
            problem = service().packages.pinned(session, reviewed.package)
        score = reviews.read_score(request.form.get("score", ""), problem.max_score)
        confirm()
        with write_session(service().engine) as session:
            reviews.override(session, user, public_id, score, request.form.get("reason", ""), _version(), at)
    except UserError as error:
        return _refused(public_id, "override", error)
    return redirect(address_of(public_id) + "#score", 303)


@bp.post("/submissions/<int(max=1000000):ordinal>/evidence")
def make_evidence(public_id: str, ordinal: int) -> ResponseReturnValue:
    """Have the evidence record made."""
    user, at = current_interviewer(), now()
    with write_session(service().engine) as session:
        asked = evidence.ask(session, user, public_id, ordinal, at)
        if asked.made_at is None:
            service().dispatch(session, asked)
    return redirect(address_of(public_id, submission=ordinal) + "#evidence", 303)


def _draft() -> Draft:
    form = request.form
    return reviews.read_draft(
        form.get("private_note", ""),
        form.get("shared_note", ""),
        form.get("decision", ""),
        form.getlist("point"),
        form.get("package", ""),
    )


def _version() -> int:
    """Return what a form was made from: If-Match, as scripts send it, before the form's own field.

    Raises:
        Outdated: it says nothing that can be read.
    """
    sent = request.headers.get("If-Match") or request.form.get("version", "")
    if not re.fullmatch(r'"?\d{1,9}"?', sent, re.ASCII):
        raise Outdated("This form does not say what it was made from; reload the page and send it again.")
    return int(sent.strip('"'))


def _reviewed(session: Session, user: User, public_id: str, form: str) -> Reviewed:
    """Return the attempt that a form is about, when its user may send it: admins set scores, but review nothing."""
    writes = not (form == "override" and user.is_admin)
    return review_queries.attempt_reviewed(session, user, public_id, writes=writes)


def _require_right(public_id: str, form: str) -> None:
    """Make sure that who sent a form may do so: what is wrong with it is told to nobody else.

    Raises:
        NotFound: they may not.
    """
    with read_session(service().engine) as session:
        _reviewed(session, current_interviewer(), public_id, form)


def _refused(public_id: str, form: str, error: UserError) -> ResponseReturnValue:
    if error.status == 404:
        raise error
    _require_right(public_id, form)
    return page(public_id, (form, error)), error.status, retry_header(error)
