"""Pages on which everything counts one: no plural stands beside it."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Final

import pytest
from flask import Flask
from sqlalchemy import Engine

from grader.grading.verdict import Verdict
from grader.store.interview_models import Shown
from tests.services.made import make_judgement
from tests.test_wording import NOUNS
from tests.web.browsing import Browser, judge_last
from tests.web.room import Room
from tests.web.test_interviews import browse_as

WRONG: Final = re.compile(rf"(?<![\d.,:/])\b1 (?:\w+ )?(?:{'|'.join(NOUNS)})s\b|\b1 (?:\w+ )?are\b")
PAGES: Final = (
    "{interview}",
    "{interview}/edit",
    "{interview}/cohort",
    "{interview}/exports",
    "/interviews",
    "/reviews?show=all",
    "{review}",
)
OWN_PAGES: Final = ("/taking", "{taking}", "{attempt}", "{attempt}/follow-ups", "/progress", "/", "/me")


@pytest.fixture
def room(app: Flask, engine: Engine, problems: Path, ada: Browser) -> Room:
    room = Room(app, engine, problems, ada, minutes=1, submissions_max=1, points=Shown.AT_ONCE)
    ada.submit()
    judge_last(engine, make_judgement(Verdict.WA, ("thrice",), "output"))
    return room


def said(browser: Browser, path: str) -> list[str]:
    text = html.unescape(re.sub(r"<(script|style|svg)\b.*?</\1>", " ", browser.text(path), flags=re.DOTALL))
    return WRONG.findall(" ".join(re.sub(r"<[^>]*>", " ", text).split()))


@pytest.mark.parametrize("is_over", [False, True])
def test_everything_counts_one(room: Room, app: Flask, engine: Engine, is_over: bool) -> None:
    if is_over:
        room.lena.post(f"{room.candidate}/end", why="x")
        room.lena.post(f"{room.candidate}/extend", minutes="1", reason="x", confirmed="1")
        room.ada.post(f"{room.taking}/end")
    interview = room.exports.removesuffix("/exports")
    places = {"interview": interview, "review": room.review, "taking": room.taking, "attempt": room.ada.attempt}
    admin = browse_as(app, engine, "Root", is_interviewer=False, is_admin=True)
    asked = [(room.lena, path) for path in (*PAGES, room.candidate)] + [(room.ada, path) for path in OWN_PAGES]
    found = {path: said(browser, path.format(**places)) for browser, path in [*asked, (admin, "/admin")]}
    assert {path: words for path, words in found.items() if words} == {}


def test_the_pages_do_count(room: Room) -> None:
    assert "1 problem, 1 minute in all" in room.lena.text(room.exports.removesuffix("/exports"))
    assert "1 submission" in room.lena.text("/reviews?show=all")
