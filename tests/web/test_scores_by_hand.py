"""A score that was set by hand is marked as that, beside the automatic one, wherever a score stands."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Final

import pytest
from flask import Flask
from sqlalchemy import Engine

from grader.grading.verdict import Verdict
from grader.store.interview_models import Shown
from tests.services.made import make_judgement
from tests.web.browsing import PASSWORD, Browser, judge_last
from tests.web.calling import Program
from tests.web.room import Room, words

MARKED: Final = "75 by hand, automatic 40"


@pytest.fixture
def room(app: Flask, engine: Engine, problems: Path, ada: Browser) -> Room:
    room = Room(app, engine, problems, ada, points=Shown.AFTER_END)
    ada.submit()
    judge_last(engine, make_judgement(Verdict.WA, ("thrice",), "output"))
    ada.post(f"{room.taking}/end")
    return room


def set_score(room: Room, score: str, version: int = 0) -> None:
    fields = {"score": score, "reason": "It was mended aloud.", "password": PASSWORD, "version": str(version)}
    assert room.lena.post(f"{room.review}/override", **fields).status_code == 303


def table(room: Room, kind: str) -> dict[str, str]:
    text = room.lena.post(room.exports, kind=kind).get_data(as_text=True)
    return next(csv.DictReader(io.StringIO(text)))


@pytest.mark.parametrize(
    ("path", "start"), [("/reviews?show=all", 'aria-label="Attempts"'), ("{interview}", 'id="matrix"')]
)
def test_interviewers_see_both_scores(room: Room, path: str, start: str) -> None:
    path = path.format(interview=room.exports.removesuffix("/exports"))
    assert "by hand, automatic" not in words(room.lena.text(path), start)
    set_score(room, "75")
    said = words(room.lena.text(path), start)
    for part in MARKED.split(" ", 1):
        assert part in said
    set_score(room, "", 1)
    assert "by hand, automatic" not in words(room.lena.text(path), start)


def test_programs_of_interviewers_see_both_scores(room: Room, app: Flask) -> None:
    set_score(room, "75")
    path = f"/interviews/{room.interview.public_id}/candidates"
    (candidate,) = Program(app, "Lena", "review").told(path)["candidates"]
    (tried,) = candidate["problems"]
    assert (tried["score"], tried["score_by_hand"]) == (40, 75)


def test_the_candidate_sees_it_once_the_results_are_released(room: Room) -> None:
    set_score(room, "75")
    own = json.loads(room.ada.get("/me/data").data)["attempts"][0]
    assert "score_by_hand" not in own
    for page in (room.taking, room.ada.attempt):
        assert "by hand" not in room.ada.text(page)
    room.lena.post(f"/interviews/{room.interview.public_id}/release")
    assert MARKED in words(room.ada.text(room.taking), 'id="tasks"')
    assert "75 of 100, set by hand by an interviewer; 40 automatically" in words(room.ada.text(room.ada.attempt), "<h1")
    own = json.loads(room.ada.get("/me/data").data)["attempts"][0]
    assert (own["points"], own["score_by_hand"]) == (40, 75)
    assert "mended aloud" not in room.ada.text(room.taking)


def test_exports_have_the_two_apart(room: Room) -> None:
    set_score(room, "75")
    wide, long = table(room, "wide"), table(room, "long")
    slug = long["problem"]
    columns = [f"1 {slug}", f"1 {slug} automatic", f"1 {slug} by hand", "total"]
    assert [wide[column] for column in columns] == ["75", "40", "75", "75"]
    assert (long["automatic_score"], long["score_by_hand"]) == ("40", "75")
    line = json.loads(room.lena.post(room.exports, kind="results").get_data(as_text=True))
    assert (line["attempt_score"], line["attempt_score_by_hand"]) == (40, 75)
