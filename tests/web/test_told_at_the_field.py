"""A NUL in a field that people type words into is told on the form's own page, and nothing that was typed is lost."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from flask import Flask
from sqlalchemy import update

from grader.services import links
from grader.store.models import User
from grader.store.session import write_session
from grader.web.accounts import LINK_COOKIE
from grader.web.kept_text import told_fields
from grader.web.service import now
from tests.web.browsing import Browser, dump
from tests.web.test_routes import page_routes
from tests.web.world import MOMENTS, PEOPLE, World, make_world

TOLD: Final[dict[str, dict[str, Any]]] = yaml.safe_load(
    (Path(__file__).parents[1] / "data" / "told_at_the_field.yaml").read_text()
)
SENTENCE: Final = "What you typed holds a NUL, which no text here has, so nothing was stored"


def browser_of(world: World, who: str) -> Browser:
    browser = Browser(world.app, None)
    if who != "anonymous":
        browser.client.set_cookie("grader", world.cookies[who])
    return browser


def open_link(world: World, browser: Browser) -> None:
    """Let a browser hold the link by which the first admin chooses a name."""
    with write_session(world.engine) as session:
        session.execute(update(User).values(is_admin=False))
        token = links.make(session, None, now(), links.FIRST)
    browser.client.set_cookie(LINK_COOKIE, token)


@pytest.mark.parametrize(
    ("route", "field"), [(route, field) for route, case in TOLD.items() for field in case["fields"]]
)
def test_a_nul_is_told_at_its_field(app: Flask, route: str, field: str) -> None:
    case = TOLD[route]
    world = make_world(app, case["moment"])
    browser = browser_of(world, case["who"])
    if route == "POST /link":
        open_link(world, browser)
    token, before = browser.token(), dump(world.engine)
    typed = {name: f"typed as {name}" for name in case["fields"]} | {field: f"one\0two <b>{field}"}
    path = world.path(route.removeprefix("POST "))
    reply = browser.client.post(path, data={"csrf_token": token, **typed, **case.get("more", {})})
    raw = reply.get_data(as_text=True)
    page = html.unescape(raw)
    assert (reply.status_code, page.count(SENTENCE), "\0" in page) == (400, 1, False)
    assert {name: text.replace("\0", "␀") in page for name, text in typed.items()} == dict.fromkeys(typed, True)
    assert re.search(rf'<(input|textarea)[^>]* name="{field}"[^>]* aria-invalid="true"', raw)
    assert dump(world.engine) == before


def forms_with_words(page: str) -> Iterator[tuple[str, set[str]]]:
    """Yield the address of each form that is sent, with the fields in which somebody types words."""
    for start, inside in re.findall(r"<form([^>]*)>(.*?)</form>", page, re.DOTALL):
        action = re.search(r'action="([^"?#]*)', start)
        if 'method="post"' in start and action:
            fields = re.findall(r"<(?:textarea|input)([^>]*)>", inside)
            typed = [one for one in fields if re.search(r'type="(?!text")', one) is None and "hidden" not in one]
            yield html.unescape(action[1]), {name[1] for one in typed if (name := re.search(r'name="(\w+)"', one))}


@pytest.mark.parametrize("moment", MOMENTS)
def test_every_form_with_words_is_one_of_them(app: Flask, moment: str) -> None:
    world, found = make_world(app, moment), set()
    adapter = app.url_map.bind("localhost")
    for who in PEOPLE:
        for rule in [rule for method, rule in page_routes(app) if method == "GET"]:
            for action, fields in forms_with_words(world.ask(who, "GET", rule).get_data(as_text=True)):
                endpoint, _ = adapter.match(action, "POST")
                found |= {(endpoint, field) for field in fields - {"source"}}
    assert found
    with app.app_context():
        assert {(endpoint, field) for endpoint, field in found if field not in told_fields(endpoint)} == set()


def test_the_table_has_every_field_that_is_told(app: Flask) -> None:
    with app.app_context():
        told = {
            f"POST {path}": told_fields(rule.endpoint)
            for rule in app.url_map.iter_rules()
            if "POST" in (rule.methods or ()) and (path := rule.rule) and told_fields(rule.endpoint)
        }
    assert {route: set(case["fields"]) for route, case in TOLD.items()} == told
