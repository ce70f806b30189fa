"""One's own review in two windows: nothing that the other one stored is replaced before this one has shown it."""

from __future__ import annotations

import html
import re
from typing import Final

import pytest
from sqlalchemy import Engine, select

from grader.store.interview_models import Review
from grader.store.session import read_session
from tests.web.browsing import Browser
from tests.web.room import words
from tests.web.test_reviews import attempt, browser, interview, lena, path

__all__ = ["attempt", "browser", "interview", "lena", "path"]

FIRST: Final = {"shared_note": "first <b>shared</b>", "private_note": "first private", "decision": "no"}
SECOND: Final = {"shared_note": "second shared", "private_note": "second private", "decision": "yes"}


def save(browser: Browser, path: str, version: str, action: str = "draft", **fields: object) -> tuple[int, str]:
    reply = browser.post(f"{path}/{action}", page="1", version=version, **fields)
    return reply.status_code, reply.get_data(as_text=True)


def version_in(page: str) -> str:
    found = re.search(r'id="review".*?name="version" value="(\d+)"', page, re.DOTALL)
    assert found
    return found[1]


def stored(engine: Engine) -> tuple[str, int]:
    with read_session(engine) as session:
        review = session.scalars(select(Review)).one()
        return review.shared_note, review.version


@pytest.mark.parametrize("action", ["draft", "finish"])
def test_what_the_other_window_stored_is_shown_before_it_is_replaced(
    browser: Browser, engine: Engine, path: str, action: str
) -> None:
    assert save(browser, path, "0", **FIRST, point="first:0")[0] == 303
    status, page = save(browser, path, "0", action, **SECOND)
    assert status == 412
    assert words(page, 'id="stored"') == (
        "What is stored, perhaps from another window Decision: Decline Shared note first <b>shared</b> "
        "Private note first private Points of the rubric canary rubric"
    )
    assert html.escape(FIRST["shared_note"]) in page
    assert "second shared</textarea>" in page
    assert "data-autosave" not in page
    assert stored(engine) == (FIRST["shared_note"], 1)
    assert save(browser, path, version_in(page), **SECOND)[0] == 303
    assert stored(engine) == (SECOND["shared_note"], 2)


def test_a_form_refused_for_another_reason_goes_over_nothing_unseen(browser: Browser, path: str) -> None:
    save(browser, path, "0", **FIRST)
    status, page = save(browser, path, "0", **{**SECOND, "shared_note": "x" * 20_001})
    assert status == 400
    assert "first private" in words(page, 'id="stored"')


def test_a_refusal_of_the_newest_text_shows_nothing_beside(browser: Browser, path: str) -> None:
    save(browser, path, "0", **FIRST)
    status, page = save(browser, path, "1", "finish", **{**SECOND, "decision": ""})
    assert (status, 'id="stored"' in page, version_in(page)) == (400, False, "1")


def test_what_was_typed_beside_a_review_that_was_finished_meanwhile_is_shown(
    browser: Browser, engine: Engine, path: str
) -> None:
    assert browser.post(f"{path}/finish", **FIRST, version="0").status_code == 303
    status, page = save(browser, path, "0", **SECOND, point="first:0")
    assert status == 409
    assert "Your review of this attempt is finished, and stays as it is." in page
    assert words(page, 'id="unsaved"') == (
        "What this window had, which is not stored Decision: Forward Shared note second shared "
        "Private note second private Points of the rubric canary rubric"
    )
    assert 'value="first:0" form="review" disabled' in page  # as it is stored, not as it was typed
    assert stored(engine) == (FIRST["shared_note"], 1)


def test_a_page_from_before_judging_again_ticks_nothing_in_the_new_rubric(
    browser: Browser, engine: Engine, path: str
) -> None:
    save(browser, path, "0", **FIRST)
    status, page = save(browser, path, "1", **SECOND, point="first:0", package="0" * 64)
    assert status == 412
    assert "judged again with another version of its package, whose rubric may be another one." in page
    assert "second shared</textarea>" in page
    assert 'value="first:0" form="review">' in page
    assert stored(engine) == (FIRST["shared_note"], 1)
    (package,) = re.findall(r'name="package" value="(\w+)"', page)
    assert save(browser, path, "1", **SECOND, point="first:0", package=package)[0] == 303
