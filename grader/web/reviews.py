"""The queue of attempts to review, and the page of one review; what changes something is in `review_changes`."""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import urlencode

from flask import Blueprint, Response, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from markupsafe import Markup
from sqlalchemy.orm import Session

from grader.errors import NotFound, UserError
from grader.grading.verdict import Verdict
from grader.report.extra_observed import extra_observed
from grader.report.source_diff import diff_between, diff_to_fix, source_diff
from grader.services import evidence, review_page
from grader.services.problem_list import LEVELS
from grader.services.review_page import ReviewPage
from grader.store import review_queries
from grader.store import review_queue_queries as queue
from grader.store.interview_models import Decision
from grader.store.models import User
from grader.store.review_queries import Reviewed
from grader.store.review_queue_queries import Filters, Wanted
from grader.store.session import read_session
from grader.web import review_switches
from grader.web.cookies import set_cookie
from grader.web.pages import asked_page, page_above
from grader.web.readings import note_queue, note_reading
from grader.web.service import current_user, now, service

ROWS: Final = 50  # of one page
COMPARISONS: Final = ("starter", "previous", "fix")
WORDS: Final = ("show", "interview", "verdict", "fault", "submission", "compare", "page", "problem")
DECISIONS: Final = {Decision.YES: "Forward", Decision.UNSURE: "Unsure", Decision.NO: "Decline"}
SHOWN: Final = {Wanted.WAITING: "Needs review", Wanted.MINE: "Mine", Wanted.FINISHED: "Finished", Wanted.ALL: "All"}
bp = Blueprint("reviews", __name__, url_prefix="/reviews")


def current_interviewer() -> User:
    """Return who is signed in, when they may have something to review.

    Raises:
        NotFound: they interview nobody.
    """
    user = current_user()
    if not (user.is_interviewer or user.is_admin):
        raise NotFound("There is no such page, or it is not yours; the problem list shows your own.")
    return user


def read_filters() -> Filters:
    """Return what the address narrows the queue down to; what cannot be read is left out."""
    asked = request.args
    shown, verdict = asked.get("show", ""), asked.get("verdict", "")
    return Filters(
        Wanted(shown) if shown in set(Wanted) else Wanted.WAITING,
        asked.get("interview", "")[:12],
        Verdict(verdict) if verdict in set(Verdict) else None,
        asked.get("fault", "")[:100],
    )


@bp.get("")
def index() -> ResponseReturnValue:
    """Show the queue."""
    user, filters, at = current_interviewer(), read_filters(), now()
    page = asked_page()
    with read_session(service().engine) as session:
        rows = queue.rows_in(session, user, filters, at, (page - 1) * ROWS, ROWS)
        others = queue.without_part(session, user, rows)
        rendered = render_template(
            "reviews.html",
            filters=filters,
            rows=rows,
            total=queue.number_in(session, user, filters, at),
            offered=queue.offered(session, user, at),
            page=page,
            page_rows=ROWS,
            verdicts=list(Verdict),
            shown_words=SHOWN,
            shown_name=review_switches.shown_name,
            are_names_hidden=review_switches.are_names_hidden(),
        )
    note_queue(user, others)
    return rendered


@bp.post("/switch")
def switch() -> ResponseReturnValue:
    """Turn one of the two switches, and return to the page that it stands on."""
    words: dict[str, Any] = {name: request.args[name] for name in WORDS if name in request.args}
    page = page_above(request.form.get("next", ""))
    target = page.partition("?")[0] + f"?{urlencode(words)}" if words else page
    response = redirect(target, 303)
    name, value = request.form.get("switch", ""), request.form.get("value", "")
    if name in review_switches.SWITCHES:
        is_set = value == review_switches.SWITCHES[name]
        set_cookie(response, name, value if is_set else "", review_switches.KEPT_S if is_set else 0)
    return response


@bp.get("/<public_id>")
def show(public_id: str) -> ResponseReturnValue:
    """Show everything that is known of an attempt, with the forms of its review."""
    return page(public_id)


def page(public_id: str, refused: tuple[str, UserError] | None = None) -> str:
    """Return the page; a form that was refused keeps what was typed."""
    user, filters, at = current_interviewer(), read_filters(), now()
    asked = request.args.get("submission", "")
    ordinal = int(asked[:7]) if asked.isascii() and asked.isdigit() else None
    with read_session(service().engine) as session:
        reviewed = review_queries.attempt_reviewed(session, user, public_id)
        found = review_page.review_page(session, user, reviewed, service().packages, ordinal)
        compare, changes = _changes(session, found)
        rendered = render_template(
            "review.html",
            view=found,
            neighbours=queue.neighbours_of(session, user, filters, reviewed.attempt, at),
            filters=filters,
            compare=compare,
            changes=changes,
            comparisons=COMPARISONS,
            refused=refused,
            levels=LEVELS,
            decisions=DECISIONS,
            decision_words={decision.value: word for decision, word in DECISIONS.items()},
            **_names(reviewed),
            **evidence_words(reviewed, found.shown),
        )
    _note_reading(user, reviewed, "review.read")
    return rendered


def _names(reviewed: Reviewed) -> dict[str, Any]:
    return {
        "name": review_switches.candidate_name(reviewed.invitation, reviewed.number),
        "are_names_hidden": review_switches.are_names_hidden(),
        "are_keys_off": review_switches.are_keys_off(),
    }


def evidence_words(reviewed: Reviewed, shown: review_page.SubmissionShown | None) -> dict[str, Any]:
    """Return what the part of the page needs that draws the evidence."""
    pictures = shown.evidence.pictures if shown else None
    return {
        "reviewed": reviewed,
        "shown": shown,
        "pictures": pictures,
        "extra": extra_observed(pictures.extra) if pictures and pictures.extra else None,
    }


def _note_reading(user: User, reviewed: Reviewed, action: str) -> None:
    note_reading(user, reviewed.interview, action, reviewed.attempt, has_part=reviewed.part is not None)


def _changes(session: Session, found: ReviewPage) -> tuple[str, Markup]:
    """Return which sources are compared, and their differences."""
    compare = request.args.get("compare", "")
    compare = compare if compare in COMPARISONS else COMPARISONS[0]
    if found.shown is None:
        return compare, Markup("")
    submission, variant, problem = found.shown.submission, found.reviewed.attempt.variant, found.problem
    if compare == "fix":
        return compare, diff_to_fix(problem, submission.source, variant)
    if compare == "previous" and submission.ordinal > 1:
        earlier = review_queries.source_of(session, found.reviewed.attempt, submission.ordinal - 1)
        return compare, diff_between(earlier, submission.source)
    return COMPARISONS[0], source_diff(problem, submission.source, variant)


@bp.get("/<public_id>/submissions/<int(max=1000000):ordinal>/evidence")
def evidence_part(public_id: str, ordinal: int) -> ResponseReturnValue:
    """Answer a page that waits for a record: with what is drawn of it, or with nothing yet (204)."""
    user = current_interviewer()
    with read_session(service().engine) as session:
        reviewed = review_queries.attempt_reviewed(session, user, public_id)
        shown = review_page.submission_shown(session, reviewed, ordinal)
        if shown.evidence.is_asked and not shown.evidence.is_made:
            return "", 204
        rendered = render_template("review_evidence.html", filters=read_filters(), **evidence_words(reviewed, shown))
    _note_reading(user, reviewed, "review.evidence-read")
    return rendered


@bp.get("/<public_id>/submissions/<int(max=1000000):ordinal>/evidence.json")
def download(public_id: str, ordinal: int) -> ResponseReturnValue:
    """Hand the record out, for `grader replay`."""
    user = current_interviewer()
    with read_session(service().engine) as session:
        reviewed = review_queries.attempt_reviewed(session, user, public_id)
        data = evidence.text(session, user, public_id, ordinal)
    _note_reading(user, reviewed, "review.evidence-read")
    name = f"evidence-{public_id}-{ordinal}.json"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(data, content_type="application/json", headers=headers)


def address_of(public_id: str, **more: Any) -> str:
    """Return the address of a review page within the queue that the request's address names."""
    kept = {name: request.args[name] for name in ("submission", "compare") if name in request.args}
    return url_for("reviews.show", public_id=public_id, **{**read_filters().words(), **kept, **more})
