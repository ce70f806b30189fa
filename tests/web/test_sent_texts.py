"""What was typed into a form comes back on the page that refuses it, where no page of the form's own can hold it."""

from __future__ import annotations

import html
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import Any, Final

import pytest
from flask import Flask
from sqlalchemy import Engine
from werkzeug.test import TestResponse

from tests.store.engines import kept_engine
from tests.web.browsing import Browser
from tests.web.test_told_at_the_field import TOLD, browser_of
from tests.web.world import World, make_world

ROUTES: Final = sorted(route for route, case in TOLD.items() if case["fields"])
BEHIND_THE_DOOR: Final = [route for route in ROUTES if TOLD[route]["who"] != "anonymous"]
LONG: Final = "One <b>line</b>\n\n  and another one"


@pytest.fixture
def engine(database: str) -> Iterator[Engine]:
    with kept_engine(database, 0.2) as engine:  # one that waits for other writers is told soon
        yield engine


def typed_into(case: dict[str, Any]) -> dict[str, str]:
    return {name: f"{LONG} for {name}" for name in case["fields"]}


def send(world: World, browser: Browser, route: str, token: str, **options: Any) -> TestResponse:
    case = TOLD[route]
    passwords = dict.fromkeys(case.get("passwords", []), "canary of a password")
    data = {"csrf_token": token, **typed_into(case), **passwords, **case.get("more", {})}
    return browser.client.post(world.path(route.removeprefix("POST ")), data=data, **options)


def handed_back(reply: TestResponse) -> dict[str, str]:
    """Return what a page hands back, by field."""
    page = reply.get_data(as_text=True)
    assert "canary of a password" not in page
    found = re.findall(r"What you sent as ([\w ]+)</label><textarea[^>]* readonly>\n(.*?)</textarea>", page, re.DOTALL)
    return {name.replace(" ", "_"): html.unescape(text) for name, text in found}


@pytest.mark.parametrize("route", BEHIND_THE_DOOR)
def test_what_was_sent_without_a_session_comes_back(app: Flask, route: str) -> None:
    world = make_world(app, TOLD[route]["moment"])
    anonymous = Browser(app, None)
    reply = send(world, anonymous, route, anonymous.token())
    assert reply.status_code == 403
    assert handed_back(reply) == typed_into(TOLD[route])


@pytest.mark.parametrize("route", ROUTES)
def test_what_was_sent_with_a_form_that_is_out_of_date_comes_back(app: Flask, route: str) -> None:
    case = TOLD[route]
    world = make_world(app, case["moment"])
    reply = send(world, browser_of(world, case["who"]), route, "of another session")
    assert reply.status_code == 400
    assert "This form is out of date" in reply.get_data(as_text=True)
    assert handed_back(reply) == typed_into(case)


def test_what_a_database_does_not_take_comes_back(app: Flask) -> None:
    route = "POST /reviews/<public_id>/finish"
    world = make_world(app, TOLD[route]["moment"])
    reviewer = browser_of(world, TOLD[route]["who"])
    token = reviewer.token()
    with closing(sqlite3.connect(str(world.engine.url.database), isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        reply = send(world, reviewer, route, token)
        other.execute("ROLLBACK")
    assert reply.status_code == 503
    assert handed_back(reply) == typed_into(TOLD[route])


def test_a_script_keeps_its_texts_itself(app: Flask) -> None:
    world = make_world(app, "over")
    anonymous = Browser(app, None)
    asked = {"headers": {"Sec-Fetch-Dest": "empty"}}
    reply = send(world, anonymous, "POST /reviews/<public_id>/draft", anonymous.token(), **asked)
    assert reply.location == f"/sign-in?next={world.path('/reviews/<public_id>')}"


def test_what_a_body_that_cannot_be_read_holds_is_nobodys(anonymous: Browser) -> None:
    reply = anonymous.client.post(
        "/attempts/aaaaaaaaaaaa/submissions", data=b"x" * (5 << 20), content_type="multipart/form-data"
    )
    assert reply.location == "/sign-in?next=/attempts/aaaaaaaaaaaa"
