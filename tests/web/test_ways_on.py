"""Whoever is refused, or looks beyond the end of a list, is led on to where they were."""

from __future__ import annotations

import re
from typing import Final

import pytest
from flask import Flask
from sqlalchemy import Engine, update

from grader.store.interview_models import Interview, PackageCheck, Rejudge
from grader.store.models import User
from grader.store.session import write_session
from tests.services.made import NOON
from tests.services.reviewing import make_judged
from tests.web.browsing import Browser
from tests.web.test_packages import Scene, lead, packages, scene
from tests.web.test_reviews import WA, attempt, browser, interview, interviewer, join, lena, path

__all__ = ["attempt", "browser", "interview", "lead", "lena", "packages", "path", "scene"]


def ways_on(page: str) -> list[tuple[str, str]]:
    """Return where the buttons of a page lead."""
    return re.findall(r'<a class="btn[^"]*" href="([^"]*)">([^<]+)</a>', page.partition("<main")[2])


def test_a_lost_claim_is_told_on_the_review(
    app: Flask, engine: Engine, browser: Browser, interview: Interview, path: str
) -> None:
    rita, user = interviewer(app, "Rita")
    join(engine, interview, user)
    browser.post(f"{path}/claim")
    reply = rita.post(f"{path}/claim")
    page = reply.get_data(as_text=True)
    assert reply.status_code == 409
    assert "Lena has claimed this attempt; who leads the interview can release it." in page
    assert 'id="own-review"' in page
    assert rita.post(f"{path}/release").status_code == 409


def test_a_copy_that_is_refused_is_told_on_the_interview(lead: Browser, scene: Scene, engine: Engine) -> None:
    with write_session(engine) as session:
        session.execute(update(PackageCheck).values(retired_at=NOON))
    reply = lead.post(f"{scene.path}/clone")
    page = reply.get_data(as_text=True)
    assert (reply.status_code, page.count('id="error"')) == (409, 1)
    assert "Candidates and problems" in page


def test_a_preview_that_was_applied_meanwhile_is_not_thrown_away_and_says_so(
    lead: Browser, scene: Scene, engine: Engine
) -> None:
    page = lead.post(f"{scene.path}/rejudges", versions=scene.pair).location
    with write_session(engine) as session:
        session.execute(
            update(Rejudge).values(apply_asked_at=NOON, applied_at=NOON, undo_asked_at=NOON, undone_at=NOON)
        )
    reply = lead.post(f"{page}/discard")
    text = reply.get_data(as_text=True)
    assert reply.status_code == 409
    assert "This was applied, so its record stays; it is undone, and the old results count again." in text
    assert 'id="rejudge"' in text


def test_who_sent_a_form_goes_back_to_its_page(browser: Browser, path: str) -> None:
    reply = browser.client.post(f"{path}/claim", data={"csrf_token": "old"})
    assert ways_on(reply.get_data(as_text=True)) == [(path, "Back to the page"), ("/", "To the problems")]


@pytest.mark.parametrize("address", ["/nowhere", "/reviews/aaaaaaaaaaaa"])
def test_what_is_not_there_leads_to_the_problems(browser: Browser, address: str) -> None:
    assert ways_on(browser.get(address).get_data(as_text=True)) == [("/", "To the problems")]


@pytest.mark.usefixtures("attempt")
def test_a_page_of_reviews_that_is_none_leads_to_the_last_one(browser: Browser, interview: Interview) -> None:
    page = browser.text("/reviews?show=all&page=99")
    assert "There is no such page" in page
    assert ways_on(page)[-1] == ("/reviews?page=1&amp;show=all", "To the last page")


def test_a_page_of_a_cohort_that_is_none_leads_to_the_last_one(
    browser: Browser, engine: Engine, lena: tuple[Browser, User], interview: Interview
) -> None:
    make_judged(engine, lena[1], interview, "Ines", WA)
    page = browser.text(f"/interviews/{interview.public_id}/cohort?page=99")
    assert (f"/interviews/{interview.public_id}/cohort?page=1", "To the last page") in ways_on(page)


NO_PAGES: Final = ("", "0", "-1", "x", "\u0663", "9" * 6, "9" * 5000)


def test_what_is_no_number_of_a_page_is_the_first_one(lead: Browser, scene: Scene, engine: Engine) -> None:
    with write_session(engine) as session:
        session.execute(update(User).where(User.name == "Lena").values(is_admin=True))
    preview = lead.post(f"{scene.path}/rejudges", versions=scene.pair).location
    lists = ["/packages", "/interviews", "/reviews", scene.path, f"{scene.path}/live", f"{scene.path}/cohort"]
    lists += [f"{scene.path}/exports", preview, "/admin/users", "/admin/tokens", "/admin/sessions"]
    for address in lists:
        for word in NO_PAGES:
            page = lead.text(f"{address}?page={word}")
            assert "no page" not in page, (address, word)


def test_a_page_of_packages_exports_or_a_preview_that_is_none_leads_to_the_last_one(
    lead: Browser, scene: Scene
) -> None:
    preview = lead.post(f"{scene.path}/rejudges", versions=scene.pair).location
    for address in ("/packages", f"{scene.path}/exports", preview):
        page = lead.text(f"{address}?page=99")
        assert "The list has no page 99." in page, address
        assert (f"{address}?page=1", "To the last page") in ways_on(page), address
