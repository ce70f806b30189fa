"""The page that starts an interview, while another one with one of its problems is under way."""

from __future__ import annotations

import html
from pathlib import Path

from sqlalchemy import Engine, select

from grader.services.packages import Packages
from grader.store.interview_models import Invitation
from grader.store.session import read_session
from tests.services.interviewing import make_interview
from tests.web.browsing import Browser
from tests.web.test_taking import Held, accept


def test_it_says_so_beforehand_and_starts_nothing(ada: Browser, engine: Engine, problems: Path) -> None:
    held = Held(engine, Packages(problems), title="First <b>round</b>")
    first = accept(ada, held.link())
    held.interview = make_interview(engine, Packages(problems), held.lead, title="Second round")
    second = accept(ada, held.link())
    assert "Start the 60 minutes" in ada.text(second)
    assert ada.post(f"{first}/start").location == first
    page = ada.text(second)
    assert f'You are taking <a href="{first}">First &lt;b&gt;round&lt;/b&gt;</a> until' in page
    assert "Finish it or end it early, then open this page again to start." in page
    assert "Start the 60 minutes" not in page
    refused = ada.post(f"{second}/start")
    assert refused.status_code == 409
    assert "You are taking “First <b>round</b>” until" in html.unescape(refused.get_data(as_text=True))
    with read_session(engine) as session:
        started = session.scalars(select(Invitation.started_at).order_by(Invitation.id)).all()
    assert [at is not None for at in started] == [True, False]
    assert ada.post(f"{first}/end").location == first
    assert "Start the 60 minutes" in ada.text(second)
    assert ada.post(f"{second}/start").location == second
