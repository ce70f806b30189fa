"""A NUL in a field that people type into is told on the form's own page, and nothing that was typed is lost.

Passwords are typed again: no page shows one.
"""

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
from grader.store import account_queries
from grader.store.models import User
from grader.store.session import write_session
from grader.web.accounts import LINK_COOKIE
from grader.web.kept_text import ToldFields, told_fields
from grader.web.service import now
from tests.web.browsing import Browser, dump
from tests.web.test_routes import page_routes
from tests.web.world import MOMENTS, PEOPLE, World, make_world

TOLD: Final[dict[str, dict[str, Any]]] = yaml.safe_load(
    (Path(__file__).parents[1] / "data" / "told_at_the_field.yaml").read_text()
)
SENTENCE: Final = "What you typed holds a NUL, which no text here has, so nothing was stored"
OF_A_PASSWORD: Final = "The password that you typed holds a NUL, which no text here has; type it again without it."


def browser_of(world: World, who: str) -> Browser:
    browser = Browser(world.app, None)
    if who != "anonymous":
        browser.client.set_cookie("grader", world.cookies[who])
    return browser


def open_link(world: World, browser: Browser, owner: str | None) -> None:
    """Let a browser hold the link for somebody's new password; None: the one by which the first admin signs up."""
    with write_session(world.engine) as session:
        if owner is None:
            session.execute(update(User).values(is_admin=False))
        user = account_queries.user_named(session, owner) if owner else None
        token = links.make(session, user, now(), links.RESET)
    browser.client.set_cookie(LINK_COOKIE, token)


def send_with_a_nul(
    app: Flask, route: str, field: str, *others: str, owner: str | None = None
) -> tuple[str, dict[str, str]]:
    """Send a form with a NUL in some of its fields, which is refused and stores nothing; return page and texts."""
    case = TOLD[route]
    world = make_world(app, case["moment"])
    browser = browser_of(world, case["who"])
    if route == "POST /link":
        open_link(world, browser, owner)
    token, before = browser.token(), dump(world.engine)
    names = [*case["fields"], *case.get("passwords", [])]
    typed = {name: f"typed as {name}" for name in names}
    typed |= {name: f"one\0two <b>{name}" for name in (field, *others)}
    path = world.path(route.removeprefix("POST "))
    reply = browser.client.post(path, data={"csrf_token": token, **typed, **case.get("more", {})})
    page = reply.get_data(as_text=True)
    assert (reply.status_code, "\0" in page) == (400, False)
    assert re.findall(r'<(?:input|textarea)[^>]* name="(\w+)"[^>]* aria-invalid="true"', page) == [field]
    assert dump(world.engine) == before
    return page, typed


def in_fields(names: str) -> list[tuple[str, str]]:
    return [(route, field) for route, case in TOLD.items() for field in case.get(names, [])]


@pytest.mark.parametrize(("route", "field"), in_fields("fields"))
def test_a_nul_is_told_at_its_field(app: Flask, route: str, field: str) -> None:
    page, typed = send_with_a_nul(app, route, field)
    assert told(page, TOLD[route]["fields"], typed) == (1, 0)


def chosen_in(page: str, name: str) -> list[str]:
    """Return the values of a name that are ticked or selected on a page."""
    ticked = re.findall(rf'<input type="(?:checkbox|radio)" name="{name}" value="([^"]*)" checked', page)
    inside = re.search(rf'<select[^>]* name="{name}".*?</select>', page, re.DOTALL)
    return ticked + re.findall(r'value="([^"]*)" selected', inside[0] if inside else "")


@pytest.mark.parametrize("route", [route for route, case in TOLD.items() if case["fields"] and "more" in case])
def test_what_was_chosen_in_a_refused_form_stays_chosen(app: Flask, route: str) -> None:
    page, _ = send_with_a_nul(app, route, TOLD[route]["fields"][0])
    chosen = {name: str(value) for name, value in TOLD[route]["more"].items() if name not in ("page", "version")}
    assert {name: chosen_in(page, name) for name in chosen} == {name: [value] for name, value in chosen.items()}


@pytest.mark.parametrize(("route", "field"), in_fields("passwords"))
def test_a_nul_in_a_password_is_told_at_its_field(app: Flask, route: str, field: str) -> None:
    page, typed = send_with_a_nul(app, route, field)
    assert told(page, TOLD[route]["fields"], typed) == (0, 1)
    for name in TOLD[route]["passwords"]:
        assert typed[name].replace("\0", "␀") not in html.unescape(page)
    for name in TOLD[route].get("more", {}).keys() & {"keep", "interviewer", "admin"}:
        assert re.search(rf'type="checkbox" name="{name}" value="1" checked', page)


@pytest.mark.parametrize("route", [route for route, case in TOLD.items() if case["fields"] and "passwords" in case])
def test_a_nul_in_a_text_is_told_before_one_in_a_password(app: Flask, route: str) -> None:
    fields = TOLD[route]["fields"]
    page, typed = send_with_a_nul(app, route, fields[0], *TOLD[route]["passwords"])
    assert told(page, fields, typed) == (1, 0)


def test_a_nul_in_the_password_that_replaces_another_is_told_at_its_field(app: Flask) -> None:
    page, _ = send_with_a_nul(app, "POST /link", "password", owner="own")
    assert (told(page, [], {}), "For the account <b>own</b>." in page) == ((0, 1), True)


def told(raw: str, fields: list[str], typed: dict[str, str]) -> tuple[int, int]:
    """Return how often a page tells of a NUL in a text and in a password; what was typed into fields stands there."""
    page = html.unescape(raw)
    assert {name: typed[name].replace("\0", "␀") in page for name in fields} == dict.fromkeys(fields, True)
    return page.count(SENTENCE), page.count(OF_A_PASSWORD)


def forms_with_words(page: str) -> Iterator[tuple[str, set[str]]]:
    """Yield the address of each form that is sent, with the fields in which somebody types words or a password."""
    for start, inside in re.findall(r"<form([^>]*)>(.*?)</form>", page, re.DOTALL):
        action = re.search(r'action="([^"?#]*)', start)
        if 'method="post"' in start and action:
            fields = re.findall(r"<(?:textarea|input)([^>]*)>", inside)
            typed = [one for one in fields if re.search(r'type="(?!(text|password)")', one) is None]
            typed = [one for one in typed if "hidden" not in one]
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
    rules = [rule for rule in app.url_map.iter_rules() if "POST" in (rule.methods or ())]
    with app.app_context():
        told = {f"POST {rule.rule}": told_fields(rule.endpoint) for rule in rules}
    listed = {
        route: ToldFields(frozenset(case["fields"]), frozenset(case.get("passwords", ())))
        for route, case in TOLD.items()
    }
    assert listed == {route: fields for route, fields in told.items() if fields != ToldFields()}
