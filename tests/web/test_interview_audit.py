"""The audit log of one interview, for those who lead or review it, and everybody's own sign-ins."""

from __future__ import annotations

import re

import pytest
from flask import Flask
from sqlalchemy import Engine, update

from grader.grading.verdict import Verdict
from grader.services import audit, audit_log
from grader.services.packages import Packages
from grader.store.interview_models import Interview
from grader.store.models import User
from grader.store.session import write_session
from tests.services.interviewing import make_interview
from tests.services.made import after, make_judgement
from tests.services.reviewing import make_judged
from tests.web.browsing import PASSWORD, Browser
from tests.web.test_reviews import interviewer, join

ACTION = re.compile(r'<td class="nw">([a-z.-]+)</td>')
WA = make_judgement(Verdict.WA, ("thrice",), "output")


@pytest.fixture
def lena(app: Flask) -> tuple[Browser, User]:
    return interviewer(app, "Lena")


@pytest.fixture
def interview(app: Flask, lena: tuple[Browser, User]) -> Interview:
    packages: Packages = app.extensions["grader"].packages
    return make_interview(app.extensions["grader"].engine, packages, lena[1])


def log_of(interview: Interview) -> str:
    return f"/interviews/{interview.public_id}/audit"


def test_leads_and_reviewers_read_what_was_done_in_their_interview_alone(
    app: Flask, engine: Engine, lena: tuple[Browser, User], interview: Interview
) -> None:
    browser, lead = lena
    other = make_interview(engine, app.extensions["grader"].packages, lead, title="Another round")
    rita, user = interviewer(app, "Rita")
    assert rita.get(log_of(interview)).status_code == 404
    join(engine, interview, user)
    browser.post(f"/interviews/{interview.public_id}/archive")
    for reader in (browser, rita):
        page = reader.text(log_of(interview))
        assert ACTION.findall(page) == ["interview.archive", "interview.create"]
        assert "Lena" in page
        assert "/admin/" not in page
    assert ACTION.findall(browser.text(log_of(other))) == ["interview.create"]
    for path in (f"/interviews/{interview.public_id}", f"/interviews/{interview.public_id}/exports"):
        assert f'href="{log_of(interview)}"' in browser.text(path)


def test_it_comes_page_by_page(engine: Engine, lena: tuple[Browser, User], interview: Interview) -> None:
    browser, lead = lena
    with write_session(engine) as session:
        for number in range(audit_log.SHOWN):
            audit.record(session, lead, "count.up", f"number {number}", after(number), interview)
    first = browser.text(log_of(interview))
    (older,) = re.findall(rf'href="({log_of(interview)}\?before=\d+)"', first)
    assert ACTION.findall(first) == ["count.up"] * audit_log.SHOWN
    last = browser.text(older)
    assert ACTION.findall(last) == ["interview.create"]
    assert 'rel="next"' not in last


def test_it_tells_of_no_colleagues_review(
    app: Flask, engine: Engine, lena: tuple[Browser, User], interview: Interview
) -> None:
    attempt = make_judged(engine, lena[1], interview, "Ines Okafor", WA)
    rita, user = interviewer(app, "Rita")
    join(engine, interview, user)
    rita.post(f"/reviews/{attempt.public_id}/finish", version="0", decision="no")
    assert "review.finish" in ACTION.findall(rita.text(log_of(interview)))
    theirs = lena[0].text(log_of(interview))
    assert "review.finish" not in ACTION.findall(theirs)
    assert "Rita" not in theirs


def test_candidates_are_called_what_other_pages_call_them(
    engine: Engine, lena: tuple[Browser, User], interview: Interview
) -> None:
    browser, lead = lena
    attempt = make_judged(engine, lead, interview, "Ines Okafor", WA)
    with write_session(engine) as session:
        session.execute(update(User).where(User.id == attempt.candidate_id).values(name="Canary Account"))
        audit.record(session, session.get_one(User, attempt.candidate_id), "count.up", "number 1", after(1), interview)
    page = browser.text(log_of(interview))
    assert "Ines Okafor" in page
    assert "Canary Account" not in page
    browser.post("/reviews/switch", switch="names", value="hidden", next="/reviews")
    page = browser.text(log_of(interview))
    assert "Candidate 1<" in page
    assert "Ines Okafor" not in page


def test_the_own_account_tells_when_one_signed_in_and_out(ada: Browser, eve: Browser) -> None:
    ada.post("/sign-out")
    ada.sign_in("Ada")
    ada.post("/me/password", password=PASSWORD, new="six loud herons")
    told = [
        re.findall(
            r"<span>([^<]+)</span>", browser.text("/me").split("When you signed in and out")[1].split("</ul>")[0]
        )
        for browser in (ada, eve)
    ]
    assert told == [["Chose a password, which signed you in", "Signed in", "Signed out", "Signed in"], ["Signed in"]]
