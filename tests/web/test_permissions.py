"""Who is answered what: every route and method, everybody who could ask, at every moment of an interview."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from flask import Flask
from sqlalchemy import select

from grader.services import accounts, interviewers, interviews, tokens
from grader.store.interview_models import AuditEntry, RepeatedReading
from grader.store.session import read_session, write_session
from grader.web.service import now
from tests.services.interviewing import begin, make_interview, make_invitations
from tests.web.browsing import PASSWORD, Browser, make_user
from tests.web.test_routes import routes
from tests.web.world import MOMENTS, PEOPLE, World, answer_of, make_world, named

DATA: Final = Path(__file__).parents[1] / "data"
MATRIX: Final[dict[str, Any]] = yaml.safe_load((DATA / "permissions.yaml").read_text())
SITTING: Final[dict[str, Any]] = yaml.safe_load((DATA / "sitting.yaml").read_text())
ROUTES: Final = MATRIX["routes"]
# what a relation opens: nobody outside of it may learn that there is such a thing
RELATED: Final = ("/attempts/<", "/interviews/<", "/reviews/<", "/taking/<", "/packages/<", "/rejudges/<")

EACH_TIME = ("running", "released")  # the other moments are as long, and asked about by the long tests


def expected(route: str, moment: str) -> list[str]:
    """Return what the people are answered, in their order."""
    words = ROUTES[route] if isinstance(ROUTES[route], str) else ROUTES[route][moment]
    return str(words).split()


def column(who: str, moment: str) -> dict[str, str]:
    return {route: expected(route, moment)[PEOPLE.index(who)] for route in ROUTES}


def asked(world: World, who: str) -> dict[str, str]:
    """Return what somebody is answered on every route."""
    found = {}
    for method, rule in routes(world.app):
        found[f"{method} {rule}"] = answer_of(world.ask(who, method, rule))
    return found


def test_nobody_outside_learns_that_there_is_such_a_thing() -> None:
    for route in ROUTES:
        if any(route.split(" ", 1)[1].removeprefix("/api/v1").startswith(rule) for rule in RELATED):
            for moment in MOMENTS:
                of = dict(zip(PEOPLE, expected(route, moment), strict=True))
                allowed = {"no"} if "/api/" not in route else {"no", "403"}
                assert {of["other"], of["foreign"]} <= allowed, route
                assert of["anonymous"] in ("door", "401"), route


@pytest.mark.parametrize(
    "moment", [pytest.param(each, marks=[] if each in EACH_TIME else pytest.mark.long) for each in MOMENTS]
)
def test_everybody_is_answered_as_the_matrix_says(app: Flask, moment: str) -> None:
    world = make_world(app, moment)
    found: dict[str, list[str]] = {}
    wrongly_noted = []
    for method, rule in routes(app):
        route = f"{method} {rule}"
        for who in PEOPLE:
            word = answer_of(world.ask(who, method, rule))
            found.setdefault(route, []).append(word)
            if not is_noted_well(route, moment, who, word, world.noted):
                wrongly_noted.append((route, who, word, list(world.noted)))
    assert found == {route: expected(route, moment) for route in ROUTES}
    assert wrongly_noted == []


def is_noted_well(route: str, moment: str, who: str, word: str, noted: list[str]) -> bool:
    """Tell whether a request left in the audit log what it should: one entry for a change or a stranger's reading."""
    if who == "admin" and word in ("form", "closed") and route in MATRIX["noted_refusal"]:
        return noted == [MATRIX["noted_refusal"][route]]
    if route.startswith("GET ") or word != "yes":
        action = MATRIX["noted_reading"].get(route) if who == "admin" and word == "yes" else None
        action = action.get(moment) if isinstance(action, dict) else action
        return noted == ([action] if action else [])
    return len(noted) == 1 or (noted == [] and route in MATRIX["silent"])


# of one object each time; a rejudge's page asks again while it moves, and of a record there is none yet
READ_ONCE: Final = [
    route
    for route in MATRIX["noted_reading"]
    if route not in MATRIX["polled_reading"] and not route.endswith(("/rejudges/<public_id>", "/evidence.json"))
]


def read(world: World, route: str) -> None:
    """Let the admin read a page, whose entries stay."""
    rule, client = route.removeprefix("GET "), world.app.test_client()
    client.set_cookie("grader", world.cookies["admin"])
    is_program = rule.startswith("/api/")
    headers = {"Authorization": f"Bearer {world.tokens['admin']}"} if is_program else {}
    reply = client.get(world.path(rule), headers=headers)
    assert reply.status_code in (200, 204)
    reply.close()


def readings(world: World) -> list[tuple[str, str, int]]:
    """Return the entries that readings left, each with how often it was read again."""
    joined = select(AuditEntry, RepeatedReading).join(RepeatedReading, RepeatedReading.entry_id == AuditEntry.id)
    with read_session(world.engine) as session:
        return [
            (entry.action, entry.detail, again.times)
            for entry, again in session.execute(joined.order_by(AuditEntry.id))
        ]


@pytest.mark.parametrize("route", MATRIX["polled_reading"])
def test_what_is_read_again_and_again_leaves_one_entry_that_counts(app: Flask, route: str) -> None:
    world = make_world(app, "over")
    for _ in range(3):
        read(world, route)
    ((action, _, again),) = readings(world)
    noted = MATRIX["noted_reading"][route]
    assert (action, again) == (noted["over"] if isinstance(noted, dict) else noted, 2)


def test_the_first_reading_of_a_list_is_an_entry_whatever_was_read_before(app: Flask) -> None:
    world = make_world(app, "over")
    for route in READ_ONCE:
        read(world, route)
    before = readings(world)
    for route in MATRIX["polled_reading"]:
        read(world, route)
    found = readings(world)
    assert [(action, detail) for action, detail, _ in found[len(before) :]] == [
        ("interview.read", '{"by": "program", "list": "interview"}'),
        ("interview.read", '{"by": "program", "list": "candidates"}'),
        ("interview.read-queue", "{}"),
    ]
    # the part of an open page that changes is read again with the page, which stood in the log before it
    assert sum(again for *_, again in found) == 1


def test_what_is_no_list_leaves_an_entry_each_time(app: Flask) -> None:
    world = make_world(app, "over")
    for route in READ_ONCE * 2:
        read(world, route)
    assert [again for *_, again in readings(world)] == [0] * len(READ_ONCE) * 2


def test_every_page_is_said_to_be_noted_or_not(app: Flask) -> None:
    others = [f"GET {rule}" for rules in MATRIX["other_reading"].values() for rule in rules]
    pages = [f"{method} {rule}" for method, rule in routes(app) if method == "GET"]
    assert sorted([*MATRIX["noted_reading"], *others]) == sorted(pages)


def test_what_is_said_to_be_silent_is_a_route() -> None:
    assert set(MATRIX["silent"]) <= set(ROUTES)


def take_lead(world: World) -> str:
    """Take the right to interview from the lead, who is any user then."""
    with write_session(world.engine) as session:
        accounts.set_rights(session, named(world.engine, "lead"), now(), is_interviewer=False, is_admin=None)
    return "lead"


def take_admin(world: World) -> str:
    """Take the right of an admin, once there is another one."""
    make_user(world.engine, "second admin")
    with write_session(world.engine) as session:
        second = named(world.engine, "second admin")
        accounts.set_rights(session, second, now(), is_interviewer=None, is_admin=True)
    with write_session(world.engine) as session:
        accounts.set_rights(session, named(world.engine, "admin"), now(), is_interviewer=None, is_admin=False)
    return "admin"


@pytest.mark.parametrize("take", [take_lead, take_admin])
def test_with_a_right_everything_that_it_opened_is_closed(app: Flask, take: Callable[[World], str]) -> None:
    world = make_world(app, "over")
    who = take(world)
    world.keep()
    # the old session and the old token open nothing at all
    assert asked(world, who) == column("anonymous", "over")
    # and signed in again they are one of many
    let_in_again(world, who)
    own_token = {route for route in ROUTES if route.startswith("POST /me/tokens/<")}
    again, other = asked(world, who), column("other", "over")
    assert {route: word for route, word in again.items() if route not in own_token} == {
        route: word for route, word in other.items() if route not in own_token
    }


def test_who_is_taken_off_an_interview_finds_nothing_of_it(app: Flask) -> None:
    world = make_world(app, "over")
    with write_session(world.engine) as session:
        interview = world.ids["/interviews"]
        interviewers.remove(session, named(world.engine, "lead"), interview, world.ids["member"], now())
    world.keep()
    assert asked(world, "reviewer") == column("foreign", "over")  # with the same session and token, at once


def let_in_again(world: World, who: str) -> None:
    """Sign somebody in once more, with a new token."""
    browser = Browser(world.app, None)
    assert browser.sign_in(who, PASSWORD).status_code == 303
    cookie = browser.client.get_cookie("grader")
    assert cookie is not None
    world.cookies[who] = cookie.value
    with write_session(world.engine) as session:
        user = named(world.engine, who)
        _, world.tokens[who] = tokens.make(session, user, "again", tokens.scopes_for(user), 90, now())
    world.keep()


def test_a_released_interview_stays_its_leads(app: Flask) -> None:
    world = make_world(app, "over")
    with write_session(world.engine) as session:
        interviews.release(session, named(world.engine, "lead"), world.ids["/interviews"], now())
    world.keep()
    assert asked(world, "lead") == column("lead", "released")


def test_who_sits_the_problem_elsewhere_is_told_nothing_hidden_of_it(app: Flask) -> None:
    world = make_world(app, "over")
    let_sit(world, *SITTING["people"])
    for number, who in enumerate(SITTING["people"]):
        closed = {route: words.split()[number] for route, words in SITTING["routes"].items()}
        assert asked(world, who) == column(who, "over") | closed


def let_sit(world: World, *people: str) -> None:
    """Let interviewers start another interview with the same problem, as its candidates."""
    packages = world.app.extensions["grader"].packages
    foreign = named(world.engine, "foreign")
    other = make_interview(world.engine, packages, foreign)
    for invited, who in zip(make_invitations(world.engine, foreign, other, *people), people, strict=True):
        begin(world.engine, invited.token, named(world.engine, who), now())
    world.keep()
