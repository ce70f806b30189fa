"""One's own review in two windows: nothing that the other one stored is replaced before this one has shown it."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Final

import pytest
from flask import Flask
from sqlalchemy import Engine, select, update

from grader.services.packages import Packages
from grader.store.interview_models import Rejudge, Review
from grader.store.models import Attempt, Package, User
from grader.store.session import read_session, write_session
from tests.services.made import after
from tests.services.rejudging import accepted_version
from tests.services.tiny_package import write_package
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


RUBRICS: Final = {
    "old": "[names the test, names the axis, names <b>the line</b>]",
    "new": "[says why, names <b>the line</b>]",
}


@pytest.fixture
def versions(
    app: Flask, engine: Engine, lena: tuple[Browser, User], attempt: Attempt, tmp_path: Path
) -> dict[str, Package]:
    """Give an attempt that was judged again, and the two versions of its package with their rubrics."""
    packages: Packages = app.extensions["grader"].packages
    text = (write_package(tmp_path / "read") / "interview.yaml").read_text()
    made = {
        name: accepted_version(
            engine,
            packages,
            lena[1],
            tmp_path / name,
            statement=f"{name}.\n",
            interview=text.replace("[canary rubric]", rubric),
        )
        for name, rubric in RUBRICS.items()
    }
    old, new = made["old"].id, made["new"].id
    with write_session(engine) as session:
        row = {"user_id": lena[1].id, "from_package_id": old, "to_package_id": new}
        session.add(Rejudge(**row, created_at=after(80), apply_asked_at=after(81), applied_at=after(82)))
        session.execute(update(Attempt).values(package_id=new))
    return made


def ticked_in(page: str) -> list[str]:
    return re.findall(r'name="point" value="([\w:]+)" form="review" checked', page)


def test_ticks_of_a_form_from_before_judging_again_are_kept_by_what_they_say(
    browser: Browser, engine: Engine, path: str, versions: dict[str, Package]
) -> None:
    old, new = versions["old"].sha256, versions["new"].sha256
    save(browser, path, "0", **FIRST, point="first:0", package=new)
    status, page = save(browser, path, "1", **SECOND, point=["first:1", "first:2"], package=old)
    assert (status, ticked_in(page)) == (412, ["first:1"])
    assert words(page, 'id="left"').endswith("saving leaves them out: names the axis")
    assert words(page, 'id="stored"').endswith("Points of the rubric says why")
    assert "second shared</textarea>" in page
    assert "data-autosave" not in page
    assert stored(engine) == (FIRST["shared_note"], 1)
    assert save(browser, path, version_in(page), **SECOND, point=ticked_in(page), package=new)[0] == 303


def test_ticks_of_the_first_form_are_kept_where_nothing_is_stored_yet(
    browser: Browser, path: str, versions: dict[str, Package]
) -> None:
    status, page = save(browser, path, "0", **SECOND, point=["first:0", "first:2"], package=versions["old"].sha256)
    assert (status, ticked_in(page), 'id="stored"' in page) == (412, ["first:1"], False)
    assert words(page, 'id="left"').endswith("names the test")
    assert "data-autosave" not in page


def test_ticks_of_an_earlier_rubric_are_told_beside_a_review_that_was_finished_meanwhile(
    browser: Browser, path: str, versions: dict[str, Package]
) -> None:
    old, new = versions["old"].sha256, versions["new"].sha256
    assert browser.post(f"{path}/finish", **FIRST, version="0", package=new).status_code == 303
    status, page = save(browser, path, "0", **SECOND, point=["first:1", "first:2"], package=old)
    assert status == 409
    assert words(page, 'id="unsaved"').endswith("Points of the rubric names the axis names <b>the line</b>")


def test_ticks_of_a_version_that_cannot_be_read_are_told_by_their_places(
    browser: Browser, path: str, versions: dict[str, Package]
) -> None:
    status, page = save(browser, path, "0", **SECOND, point="first:2", package="0" * 64)
    assert (status, ticked_in(page)) == (412, [])
    assert words(page, 'id="left"').endswith("first:2, of a version that cannot be read")


def hidden_in(page: str) -> dict[str, list[str]]:
    """Return what the form of a page sends besides what somebody types, chooses and ticks."""
    form = re.findall(r'<form[^>]* id="review".*?</form>', page, re.DOTALL)[0]
    inside = re.findall(r'<input type="hidden" name="(?!csrf)(\w+)" value="([^"]*)">', form)
    beside = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)" form="review">', page)
    found: dict[str, list[str]] = {}
    for name, value in inside + beside:
        found.setdefault(name, []).append(value)
    return found


def send_again(browser: Browser, path: str, page: str, action: str = "draft", **fields: object) -> tuple[int, str]:
    """Send the form of a page as a browser does, with what was ticked there."""
    sent = {"page": "1", "point": ticked_in(page), **hidden_in(page), **SECOND, **fields}
    reply = browser.post(f"{path}/{action}", **sent)
    return reply.status_code, reply.get_data(as_text=True)


LEFT: Final = "saving leaves them out: names the test"
TOO_LONG: Final[dict[str, object]] = {"shared_note": "x" * 20_001}
# a refusal by its action, what is sent besides, and its status
REFUSALS: Final[dict[str, tuple[str, dict[str, object], int]]] = {
    "too long": ("draft", TOO_LONG, 400),
    "a NUL": ("draft", {"private_note": "a\0b"}, 400),
    "no decision": ("finish", {"decision": ""}, 400),
    "no such point": ("draft", {"point": ["first:1", "first:9"]}, 400),
}


@pytest.mark.parametrize("refusal", REFUSALS)
def test_what_stands_beside_a_refused_form_stays_through_any_number_of_refusals(
    browser: Browser, engine: Engine, path: str, versions: dict[str, Package], refusal: str
) -> None:
    action, fields, refused = REFUSALS[refusal]
    save(browser, path, "0", **FIRST, point="first:0", package=versions["new"].sha256)
    old = versions["old"].sha256
    status, page = save(browser, path, "1", **SECOND, point=["first:0", "first:2"], package=old)
    assert status == 412
    for _ in range(3):
        status, page = send_again(browser, path, page, action, **fields)
        assert (status, ticked_in(page)) == (refused, ["first:1"])
        assert words(page, 'id="left"').endswith(LEFT)
        assert words(page, 'id="stored"').endswith("Points of the rubric says why")
        assert "data-autosave" not in page
    assert stored(engine) == (FIRST["shared_note"], 1)
    assert send_again(browser, path, page)[0] == 303
    assert stored(engine) == (SECOND["shared_note"], 2)
    page = browser.text(path)
    assert ('id="left"' in page, 'id="stored"' in page, "data-autosave" in page) == (False, False, True)
    assert ticked_in(page) == ["first:1"]


def test_a_tick_that_was_left_out_is_there_again_once_the_rubric_has_its_point(
    browser: Browser, engine: Engine, path: str, versions: dict[str, Package]
) -> None:
    old = versions["old"]
    page = save(browser, path, "0", **SECOND, point=["first:0", "first:2"], package=old.sha256)[1]
    page = send_again(browser, path, page, "draft", point=["first:0", "first:1"], **TOO_LONG)[1]
    assert words(page, 'id="left"').endswith(LEFT)
    with write_session(engine) as session:
        session.execute(update(Rejudge).values(undone_at=after(83)))
        session.execute(update(Attempt).values(package_id=old.id))
    status, page = send_again(browser, path, page)
    assert (status, ticked_in(page)) == (412, ["first:0", "first:2"])
    assert words(page, 'id="left"').endswith("saving leaves them out: says why")


def test_ticks_that_were_left_out_are_told_beside_a_review_that_was_finished_meanwhile(
    browser: Browser, path: str, versions: dict[str, Package]
) -> None:
    page = save(browser, path, "0", **SECOND, point=["first:0", "first:2"], package=versions["old"].sha256)[1]
    new = versions["new"].sha256
    assert browser.post(f"{path}/finish", **FIRST, version="0", package=new).status_code == 303
    status, page = send_again(browser, path, page)
    assert status == 409
    assert words(page, 'id="unsaved"').endswith("Points of the rubric names the test names <b>the line</b>")


def test_ticks_of_a_version_that_cannot_be_read_stay_as_well(
    browser: Browser, path: str, versions: dict[str, Package]
) -> None:
    page = save(browser, path, "0", **SECOND, point="first:2", package="0" * 64)[1]
    for _ in range(2):
        status, page = send_again(browser, path, page, "draft", **TOO_LONG)
        assert (status, ticked_in(page)) == (400, [])
        assert words(page, 'id="left"').endswith("first:2, of a version that cannot be read")
