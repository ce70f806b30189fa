"""The window of an interview: which zone its form means, and what is said of one that may be a slip."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

import pytest
from flask import Flask
from sqlalchemy import Engine, update
from werkzeug.test import TestResponse

from grader.store.interview_models import Interview
from grader.store.session import write_session
from grader.web.service import now
from tests.web.browsing import Browser
from tests.web.test_interviews import FORM, browse_as, page, sha256

__all__ = ["page", "sha256"]

PAST: Final = "which is past: whoever is invited can start at once"
SHORT: Final = "Candidates have 60 minutes, and the window is shorter than that"
CLOSED: Final = "which is past, so nobody could take it; choose a later time."


@pytest.fixture
def lena(app: Flask, engine: Engine) -> Browser:
    return browse_as(app, engine, "Lena")


def typed(minutes: int) -> str:
    return f"{now() + timedelta(minutes=minutes):%Y-%m-%dT%H:%M}"


def save(browser: Browser, sha256: str, path: str, **window: str) -> TestResponse:
    return browser.post(path, **FORM, **window, problem=sha256, variant="only")


def test_the_form_says_which_zone_it_means(lena: Browser) -> None:
    assert "Both times are <span data-zone-name>in UTC</span>" in lena.text("/interviews/new")


@pytest.mark.parametrize(
    ("opens", "closes", "status", "told"),
    [
        (-90, 600, 303, {PAST}),
        (10, 60, 303, {SHORT}),
        (-90, 30, 303, {PAST, SHORT}),
        (None, 30, 303, {SHORT}),
        (10, 75, 303, set()),
        (None, None, 303, set()),
        (-90, -30, 400, {CLOSED}),
        (None, -1, 400, {CLOSED}),
    ],
)
def test_what_may_be_a_slip_is_told_and_stored(
    lena: Browser, sha256: str, opens: int | None, closes: int | None, status: int, told: set[str]
) -> None:
    fields = {"opens_at": opens, "closes_at": closes}
    window = {name: typed(minutes) for name, minutes in fields.items() if minutes is not None}
    reply = save(lena, sha256, "/interviews/new", **window)
    assert reply.status_code == status
    text = lena.text(reply.location) if reply.location else reply.get_data(as_text=True)
    assert {sentence for sentence in (PAST, SHORT, CLOSED) if sentence in text} == told


def test_an_interview_that_is_closed_can_still_be_renamed(
    lena: Browser, page: str, sha256: str, engine: Engine
) -> None:
    closed = (now() - timedelta(days=1)).replace(second=0, microsecond=0)
    with write_session(engine) as session:
        session.execute(update(Interview).values(closes_at=closed))
    assert save(lena, sha256, f"{page}/edit", closes_at=f"{closed:%Y-%m-%dT%H:%M}").status_code == 303


def test_the_warning_does_not_stay(lena: Browser, sha256: str) -> None:
    reply = save(lena, sha256, "/interviews/new", opens_at=typed(-90), closes_at=typed(30))
    text = lena.text(reply.location.partition("?")[0])
    assert PAST not in text
    assert SHORT not in text
