"""A refusal is read although the form that was sent is not on the page any more."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path
from typing import Final

import pytest
from flask import Flask
from sqlalchemy import Engine, update

from grader.store.interview_models import Interview, Invitation
from grader.store.session import write_session
from grader.web.service import now
from tests.web.browsing import Browser
from tests.web.room import Room

ENDED: Final = {"started_at": timedelta(hours=-2), "ends_at": timedelta(hours=-1)}
AGAIN: Final = "signed in, they find the interview again."
MORE: Final = {"minutes": "5", "reason": "Alarm."}


@pytest.fixture
def room(app: Flask, engine: Engine, problems: Path, ada: Browser) -> Room:
    return Room(app, engine, problems, ada)


@pytest.mark.parametrize(
    ("action", "fields", "is_released", "status", "told"),
    [
        ("end", {"why": "Out."}, False, 409, "Ada L. is not under way, so there is no time to end."),
        ("revoke", {}, False, 409, "Ada L. has started, so the invitation stays; end their time instead."),
        ("renew", {}, False, 409, f"Ada L. has accepted already and needs no link: {AGAIN}"),
        ("extend", MORE, True, 409, "The results are released, so nobody gets more time any more."),
        ("extend", {**MORE, "minutes": "x"}, False, 400, "The minutes must be a whole number from 1 to 1440."),
    ],
)
def test_a_refusal_stands_on_the_candidates_page(
    room: Room, engine: Engine, action: str, fields: dict[str, str], is_released: bool, status: int, told: str
) -> None:
    with write_session(engine) as session:
        session.execute(update(Invitation).values({name: now() + since for name, since in ENDED.items()}))
        session.execute(update(Interview).values(released_at=now() if is_released else None))
    reply = room.lena.post(f"{room.candidate}/{action}", **fields)
    page = reply.get_data(as_text=True)
    assert (reply.status_code, re.findall(r'id="error">.*?<p>(.*?)</p>', page, re.DOTALL)) == (status, [told])
