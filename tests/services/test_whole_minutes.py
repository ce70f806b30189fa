"""A window is typed in minutes: a form that is saved as it was opened leaves it as it is, on SQLite and PostgreSQL."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from sqlalchemy import Engine

from grader.services import interviews
from grader.services.interview_form import Form
from grader.services.interview_settings import settings_of
from grader.services.packages import Packages
from grader.store import interview_queries as queries
from grader.store.interview_models import Interview, Part, Shown
from grader.store.models import User
from grader.store.session import read_session, write_session
from tests.services.interviewing import begin, make_interview, make_interviewer, make_invitations
from tests.services.made import after, make_candidate

SECONDS = timedelta(seconds=12, microseconds=345_678)


def opened_form(engine: Engine, user: User, interview: Interview) -> Form:
    with read_session(engine) as session:
        stored = queries.interview_of(session, user, interview.public_id, Part.LEAD)
        return Form.of(settings_of(stored), stored.version)


def save(engine: Engine, packages: Packages, user: User, interview: Interview, form: Form, now: datetime) -> Interview:
    with write_session(engine) as session:
        return interviews.change(session, user, interview.public_id, form.settings(), int(form.version), packages, now)


@pytest.mark.parametrize("closes_at", [None, after(300)])
def test_an_interview_taken_out_of_the_archive_takes_another_title(
    engine: Engine, packages: Packages, closes_at: datetime | None
) -> None:
    lead = make_interviewer(engine, "Lena")
    interview = make_interview(engine, packages, lead, answers=Shown.AFTER_END, closes_at=closes_at)
    (invited,) = make_invitations(engine, lead, interview, "Ines")
    begin(engine, invited.token, make_candidate(engine), after(1))
    for minutes, is_archived in ((80, True), (90, False)):
        with write_session(engine) as session:
            now = after(minutes) + SECONDS
            interviews.archive(session, lead, interview.public_id, now, is_archived=is_archived)
    form = replace(opened_form(engine, lead, interview), title="Autumn round")
    saved = save(engine, packages, lead, interview, form, after(100))
    assert (saved.title, saved.closes_at) == ("Autumn round", after(80))


def test_a_stored_window_with_seconds_stays_where_its_minutes_are_sent(engine: Engine, packages: Packages) -> None:
    lead = make_interviewer(engine, "Lena")
    window = {"opens_at": after(10) + SECONDS, "closes_at": after(80) + SECONDS}
    interview = make_interview(engine, packages, lead, answers=Shown.AFTER_END, **window)
    (invited,) = make_invitations(engine, lead, interview, "Ines")
    begin(engine, invited.token, make_candidate(engine), after(11))
    form = replace(opened_form(engine, lead, interview), title="Autumn round")
    saved = save(engine, packages, lead, interview, form, after(100))
    assert (saved.title, saved.opens_at, saved.closes_at) == ("Autumn round", *window.values())


def test_a_time_typed_with_seconds_is_a_whole_minute() -> None:
    typed = Form(title="Spring round", opens_at="2026-11-23T18:00:59", closes_at="2026-11-23T20:00:30.5+01:00")
    settings = typed.settings()
    assert settings.opens_at == datetime.fromisoformat("2026-11-23T18:00:00+00:00")
    assert settings.closes_at == datetime.fromisoformat("2026-11-23T19:00:00+00:00")
