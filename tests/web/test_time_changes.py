"""What changed a candidate's time, as the candidate, reviewers and a packet tell it: who, when, why."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from flask import Flask
from sqlalchemy import Engine, update

from grader.store.interview_models import Invitation
from grader.store.session import write_session
from tests.web.browsing import Browser
from tests.web.room import Room, words

REASON: Final = "The <b>fire</b> alarm rang."


@pytest.fixture
def room(app: Flask, engine: Engine, problems: Path, ada: Browser) -> Room:
    return Room(app, engine, problems, ada)


def test_what_an_interviewer_ends_and_tells_is_read_by_all(room: Room) -> None:
    room.lena.post(f"{room.candidate}/end", why=REASON, told="1")
    assert room.candidate_reads() == f"TIME : an interviewer ended your time. The reason: {REASON}"
    assert f"time ended early TIME By Lena: {REASON} (The candidate reads this reason.)" in room.timeline()
    assert room.packet() == f"ended early by Lena, TIME · the candidate reads the reason {REASON}"


def test_what_is_not_told_is_read_by_reviewers_alone(room: Room) -> None:
    room.lena.post(f"{room.candidate}/end", why=REASON)
    assert room.candidate_reads() == "TIME : an interviewer ended your time"
    assert room.timeline().endswith(f"time ended early TIME By Lena: {REASON}")
    assert room.packet() == f"ended early by Lena, TIME {REASON}"
    for page in (room.taking, room.ada.attempt):
        text = room.ada.text(page)
        assert "Lena" not in text
        assert "alarm" not in text


def test_what_the_candidate_ends_is_told_as_that(room: Room) -> None:
    room.ada.post(f"{room.taking}/end")
    assert room.candidate_reads() == "TIME : you ended the interview"
    assert room.timeline().endswith("ended the interview TIME The candidate did, before the time was over.")
    assert room.packet() == "ended early by the candidate, TIME"


def test_more_time_is_told_without_its_reason(room: Room) -> None:
    room.lena.post(f"{room.candidate}/end", why="Went out.")
    refused = room.lena.post(f"{room.candidate}/extend", minutes="1", reason=REASON)
    assert refused.status_code == 400
    assert (
        "Since their time was over they can read points and follow-up questions; confirm that below."
        in refused.get_data(as_text=True)
    )
    assert room.lena.post(f"{room.candidate}/extend", minutes="1", reason=REASON, confirmed="1").status_code == 303
    kept = f"{REASON} (Points and follow-up questions could be read before.)"
    told = "TIME : an interviewer ended your time TIME : an interviewer gave you 1 minute more"
    assert words(room.ada.text(room.taking), "Changes of your time") == told
    assert words(room.lena.text(room.candidate), "What changed their time") == room.packet()
    assert room.timeline().endswith(f"time ended early TIME By Lena: Went out. 1 minute more TIME By Lena: {kept}")
    assert room.packet() == f"ended early by Lena, TIME Went out. 1 minute more by Lena, TIME {kept}"


def test_a_time_that_ran_out_is_no_early_end(room: Room, engine: Engine) -> None:
    with write_session(engine) as session:
        session.execute(update(Invitation).values(ends_at=Invitation.started_at))
    assert room.candidate_reads() == ""
    assert room.timeline().endswith("the time was over TIME")
    assert room.packet() == ""
