"""What a page that is open in an interview asks for tells the time that is left, also after interviewers changed it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest
from flask import Flask
from sqlalchemy import Engine, select
from werkzeug.test import TestResponse

from grader.store.interview_models import Invitation
from grader.store.session import read_session
from grader.wording import iso_time
from tests.web.browsing import Browser
from tests.web.room import Room

Ask = Callable[[Room], TestResponse]


@pytest.fixture
def room(app: Flask, engine: Engine, problems: Path, ada: Browser) -> Room:
    room = Room(app, engine, problems, ada)
    ada.submit()
    ada.post(f"{ada.attempt}/sample-runs", source="x = 1")
    return room


def asked(room: Room) -> TestResponse:
    return room.ada.get(f"{room.taking}/time-left")


ASKED: dict[str, Ask] = {
    "time": asked,
    "draft": lambda room: room.ada.post(f"{room.ada.attempt}/draft", source="x = 2", seen=""),
    "verdict": lambda room: room.ada.get(f"{room.ada.attempt}/submissions/1/verdict"),
    "sample run": lambda room: room.ada.get(f"{room.ada.attempt}/sample-runs/1/panel"),
    "start of a sample run": lambda room: room.ada.post(f"{room.ada.attempt}/sample-runs", source="x = 1"),
}


def end_of(engine: Engine) -> datetime:
    with read_session(engine) as session:
        invitation = session.scalars(select(Invitation)).one()
        end = invitation.ended_at or invitation.ends_at
    assert end is not None
    return end


@pytest.mark.parametrize("ask", ASKED.values(), ids=ASKED.keys())
def test_every_reply_to_an_open_page_tells_changed_time(room: Room, engine: Engine, ask: Ask) -> None:
    before = ask(room)
    room.lena.post(f"{room.candidate}/extend", minutes="10", reason="The line was down.")
    after = ask(room)
    assert 3000 < int(before.headers["Seconds-Left"]) <= 3600
    assert 3600 < int(after.headers["Seconds-Left"]) <= 4200
    assert after.headers["Ends-At"] == iso_time(end_of(engine))


@pytest.mark.parametrize("ask", ASKED.values(), ids=ASKED.keys())
def test_every_reply_to_an_open_page_tells_the_end(room: Room, engine: Engine, ask: Ask) -> None:
    room.lena.post(f"{room.candidate}/end", why="The fire alarm rang.")
    reply = ask(room)
    assert (reply.headers["Seconds-Left"], reply.headers["Ends-At"]) == ("0", iso_time(end_of(engine)))


def test_the_light_address_says_nothing_more_while_time_runs(room: Room) -> None:
    reply = asked(room)
    assert (reply.status_code, reply.data) == (204, b"")


def test_the_light_address_says_who_ended_the_time_and_why(room: Room) -> None:
    room.lena.post(f"{room.candidate}/end", why="The <b>fire</b> alarm rang.", told="1")
    reply = asked(room)
    assert reply.status_code == 200
    page = reply.get_data(as_text=True)
    assert "an interviewer ended your time" in page
    assert "The &lt;b&gt;fire&lt;/b&gt; alarm rang." in page
    assert f'href="{room.taking}"' in page


def test_practice_has_no_time_left(ada: Browser) -> None:
    ada.start()
    reply = ada.post(f"{ada.attempt}/draft", source="x = 2", seen="")
    assert (reply.status_code, reply.headers.get("Seconds-Left")) == (204, None)


def test_nobody_else_learns_the_time(room: Room, eve: Browser) -> None:
    reply = eve.get(f"{room.ada.attempt}/submissions/1/verdict")
    assert (reply.status_code, reply.headers.get("Seconds-Left")) == (404, None)
    assert eve.get(f"{room.taking}/time-left").status_code == 404
