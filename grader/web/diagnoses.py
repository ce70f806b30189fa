"""The diagnosis before the repair: a form on the attempt's page."""

from __future__ import annotations

from flask import Blueprint, redirect, request, url_for
from flask.typing import ResponseReturnValue

from grader.services import diagnoses
from grader.store.session import write_session
from grader.web.service import current_user, now, service

bp = Blueprint("diagnoses", __name__, url_prefix="/attempts/<public_id>")


@bp.post("/diagnosis")
def give(public_id: str) -> ResponseReturnValue:
    """Keep which stage the candidate takes for faulty."""
    stage = request.form.get("stage", "")
    with write_session(service().engine) as session:
        diagnoses.diagnose(session, current_user(), public_id, stage, service().packages, now())
    return redirect(url_for("attempts.show", public_id=public_id), 303)
