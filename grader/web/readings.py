"""Who reads an interview without a part in it, as admins may, leaves an entry in the audit log."""

from __future__ import annotations

from collections.abc import Sequence

from flask import request

from grader.services import audit
from grader.services.audit import Fact, Subject
from grader.store.interview_models import Interview
from grader.store.models import User
from grader.store.session import write_session
from grader.web.service import now, service


def note_reading(
    user: User,
    interview: Interview | None,
    action: str = "interview.read",
    subject: Subject | None = None,
    *,
    has_part: bool,
    is_polled: bool = False,
    **detail: Fact,
) -> None:
    """Leave an entry when a page has shown an interview's people or work to somebody who has no part in it.

    Args:
        user: who reads.
        interview: what is read; None: attempts of any interview.
        action: what is done with it.
        subject: what of it is shown; None: the interview.
        has_part: whether they are one of its interviewers.
        is_polled: whether a page or a program asks again on its own; then an entry is left from time to time, which
            counts the others. So it is with the answer to a form, which mostly is the form's page once more.
        detail: facts that tell readings of one action apart.
    """
    shown = subject or interview
    if has_part or shown is None:
        return
    is_polled = is_polled or request.method != "GET"
    with write_session(service().engine) as session:
        audit.record_reading(session, user, action, shown, now(), interview, is_polled=is_polled, **detail)


def note_queue(user: User, interviews: Sequence[Interview]) -> None:
    """Leave an entry for each interview without a part in it whose attempts a queue has shown, from time to time."""
    if interviews:
        with write_session(service().engine) as session:
            for one in interviews:
                audit.record_reading(session, user, "interview.read-queue", one, now(), one, is_polled=True)
