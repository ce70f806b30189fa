"""Every route there is: who may ask it, what it answers others, what it needs to change something."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Final
from urllib.parse import parse_qsl

import pytest
import yaml
from flask import Flask
from sqlalchemy import Engine, text
from werkzeug.test import TestResponse

from grader.grading.verdict import Verdict
from grader.store.base import Base
from grader.store.session import read_session
from tests.services.made import make_judgement
from tests.services.tiny_package import SLUG
from tests.web.browsing import Browser, judge_last

DATA: Final = Path(__file__).parents[1] / "data"
ROUTES: Final = yaml.safe_load((DATA / "routes.yaml").read_text())
# what a page would tell in the end of a line or in a control character, which a line of the file cannot hold
ELSEWHERE: Final = [
    *(DATA / "redirects.txt").read_text().splitlines(),
    "",
    "/\t/evil.example",
    "\t//evil.example",
    "/\n/evil.example",
    "/lesson\r\nX-Evil: 1",
    " //evil.example",
    "/" * 10_000,
]


# what is only sent to: the theme may be chosen on the page that refuses it
ABOVE: Final = {"/me/delete": "/me"}


def content(engine: Engine) -> dict[str, object]:
    """Return every row of every table."""
    with read_session(engine) as session:
        return {
            name: session.execute(text(f'SELECT * FROM "{name}" ORDER BY id')).all() for name in Base.metadata.tables
        }


def routes(app: Flask) -> Iterator[tuple[str, str]]:
    """Yield every route as method and rule."""
    for rule in app.url_map.iter_rules():
        for method in sorted((rule.methods or set()) - {"HEAD", "OPTIONS"}):
            yield method, re.sub(r"<int[^>]*:(\w+)>", r"<\1>", rule.rule)


def page_routes(app: Flask) -> list[tuple[str, str]]:
    """Return the routes that browsers ask; programs' have rules of their own."""
    return [(method, rule) for method, rule in routes(app) if not rule.startswith("/api/")]


def filled(rule: str, attempt: str) -> str:
    """Return the address of a rule, with an attempt's id and what exists otherwise."""
    values = {
        "<public_id>": attempt.rsplit("/", 1)[-1],
        "<question>": "first",
        "<ordinal>": "1",
        "<position>": "1",
        "<member>": "aaaaaaaaaaaa",
        "<invitation>": "aaaaaaaaaaaa",
        "<sha256>": "a" * 64,
        "<slug>": SLUG,
        "<path:filename>": "grader.css",
        "<token>": "x" * 43,
    }
    for name, value in values.items():
        rule = rule.replace(name, value)
    assert "<" not in rule
    return rule


def test_every_route_is_listed(app: Flask) -> None:
    listed = [*ROUTES["public"], *ROUTES["signed_in"], *ROUTES["program"]]
    assert sorted(f"{method} {rule}" for method, rule in routes(app)) == sorted(listed)


def door_of(reply: TestResponse) -> str:
    """Return where a reply leads: at once, or once somebody has taken their text from it."""
    found = (
        re.search(r'href="(/sign-in\?next=[^"]*)"', reply.get_data(as_text=True)) if reply.status_code == 403 else None
    )
    return found[1] if found else reply.location or ""


def test_nobody_gets_the_sign_in_page_or_what_is_public(app: Flask, engine: Engine, ada: Browser) -> None:
    ada.start()
    ada.submit()
    ada.post(f"{ada.attempt}/sample-runs", source="x")
    before = content(engine)
    answers: dict[str, list[tuple[int, str | None]]] = {}
    for method, rule in page_routes(app):
        for attempt in (ada.attempt, "/attempts/aaaaaaaaaaaa"):
            anonymous = Browser(app, None)
            fields = {"csrf_token": anonymous.token(), "source": "x", "answer": "x" * 30}
            reply = anonymous.client.open(
                filled(rule, attempt), method=method, data=fields if method == "POST" else None
            )
            location = door_of(reply).replace(attempt, "ATTEMPT")
            location = re.sub(r"\b[a-z2-7]{12}\b", "ID", location)
            answers.setdefault(f"{method} {rule}", []).append((reply.status_code, location))
            reply.close()
    for route, status in ROUTES["public"].items():
        assert {answer[0] for answer in answers[route]} == {status}, route
        assert not any("sign-in?next" in (answer[1] or "") for answer in answers[route]), route
    for route in ROUTES["signed_in"]:
        existing, missing = answers[route]
        assert existing == missing, route
        assert existing[0] == (403 if route.startswith("POST") else 303), route  # what was sent is handed back
        assert re.fullmatch(
            r"/sign-in\?next=(/|ATTEMPT|/me|/problems|/progress|/interviews|/packages|/rejudges|/admin)[\w/.-]*",
            existing[1] or "",
        ), route
    after = content(engine)
    after["sign_in_failure"] = before["sign_in_failure"]  # the tries at the door
    assert after == before


@pytest.mark.parametrize(
    ("path", "page"),
    [
        ("/", "/"),
        ("/me/data", "/me/data"),
        ("/reviews?show=all&verdict=WA", "/reviews?show=all&verdict=WA"),
        ("/attempts/aaaaaaaaaaaa/submissions/3", "/attempts/aaaaaaaaaaaa/submissions/3"),
    ],
)
def test_signing_in_leads_to_the_page_that_was_asked_for(
    ada: Browser, anonymous: Browser, path: str, page: str
) -> None:
    asked = anonymous.get(path).location
    assert parse_qsl(asked.removeprefix("/sign-in?")) == [("next", page)]
    assert f'name="next" value="{escape(page)}"' in anonymous.text(asked)
    assert anonymous.sign_in("Ada", next=page).location == page


def test_what_was_sent_without_a_session_leads_to_the_page_above(anonymous: Browser) -> None:
    assert anonymous.post("/attempts/aaaaaaaaaaaa/give-up").location == "/sign-in?next=/attempts/aaaaaaaaaaaa"
    sent = anonymous.post("/attempts/aaaaaaaaaaaa/submissions", source="x")
    assert door_of(sent) == "/sign-in?next=/attempts/aaaaaaaaaaaa"


def test_a_form_sends_a_reader_nowhere_else(app: Flask, ada: Browser) -> None:
    assert len(ELSEWHERE) >= 40
    for target in ELSEWHERE:
        assert ada.post("/theme", theme="dark", next=target).location == ABOVE.get(target, "/"), target
        assert ada.client.get("/sign-in", query_string={"next": target}).location == "/", target
        assert ada.sign_in("Ada", next=target).location == "/", target
    anonymous = Browser(app, None)
    for target in ELSEWHERE:
        page = anonymous.client.get("/sign-in", query_string={"next": target}).get_data(as_text=True)
        assert 'name="next" value="/"' in page, target


def test_another_user_finds_nothing(app: Flask, engine: Engine, ada: Browser, eve: Browser) -> None:
    ada.start()
    ada.submit()
    judge_last(engine, make_judgement(Verdict.AC))
    ada.post(f"{ada.attempt}/sample-runs", source="x")
    bearing = [(method, rule) for method, rule in page_routes(app) if "<public_id>" in rule]
    assert len(bearing) >= 15
    before = content(engine)
    for method, rule in bearing:
        fields = {"csrf_token": eve.token(), "source": "x", "answer": "x" * 30, "rating": "1", "level": "2"}
        theirs, missing = (
            eve.client.open(filled(rule, attempt), method=method, data=fields)
            for attempt in (ada.attempt, "/attempts/aaaaaaaaaaaa")
        )
        assert theirs.status_code == missing.status_code == 404, (method, rule)
        blank = re.compile(r'nonce="[^"]*"|value="[^"]*"')
        bodies = [blank.sub("", reply.get_data(as_text=True)) for reply in (theirs, missing)]
        assert bodies[0].replace(ada.attempt, "") == bodies[1].replace("/attempts/aaaaaaaaaaaa", "")
    assert content(engine) == before


def test_a_submission_is_found_within_its_own_attempt_only(ada: Browser) -> None:
    first = ada.start()
    ada.submit()
    second = ada.start(variant="other")
    assert ada.get(f"{first}/submissions/1").status_code == 200
    assert ada.get(f"{second}/submissions/1").status_code == 404
    for ordinal in ("0", "2", "-1", "99999999999999999999", "1000000", "1x", "%00"):
        assert ada.get(f"{first}/submissions/{ordinal}").status_code == 404


def test_no_get_changes_anything(app: Flask, engine: Engine, ada: Browser) -> None:
    ada.start()
    ada.submit()
    before = content(engine)
    for _, rule in page_routes(app):
        for method in ("GET", "HEAD", "OPTIONS"):
            reply = ada.client.open(filled(rule, ada.attempt), method=method)
            assert reply.status_code in (200, 204, 303, 404, 405), (method, rule)
            reply.close()
    assert content(engine) == before


def test_posts_need_the_token(app: Flask, engine: Engine, ada: Browser, eve: Browser) -> None:
    ada.start()
    before = content(engine)
    foreign, old = eve.token(), ada.token()
    ada.sign_in("Ada")
    after_sign_in = content(engine)
    paths = [filled(rule, ada.attempt) for method, rule in page_routes(app) if method == "POST"]
    assert len(paths) >= 15
    for path in paths:
        for token in (None, "", "x", ".", "é", foreign, old, ada.token()[:-1], f"{'0' * 16}.{ada.token()[17:]}"):
            fields = {} if token is None else {"csrf_token": token}
            reply = ada.client.post(path, data={**fields, "name": "x", "source": "x"})
            assert reply.status_code == 400, (path, token)
            assert "out of date" in reply.get_data(as_text=True)
        for kind, body in {"text/plain": f"csrf_token={ada.token()}", "application/json": "{}"}.items():
            assert ada.client.post(path, data=body, content_type=kind).status_code == 400
    assert content(engine) == after_sign_in
    assert before.keys() == after_sign_in.keys()


def test_a_get_is_not_made_a_post_by_a_word(engine: Engine, ada: Browser) -> None:
    ada.start()
    before = content(engine)
    for word in ({"_method": "POST"}, {"X-HTTP-Method-Override": "POST"}):
        ada.client.get(f"{ada.attempt}/give-up", query_string=word, headers=word)
    assert content(engine) == before


def test_unknown_fields_change_nothing(engine: Engine, ada: Browser, anonymous: Browser) -> None:
    ada.start()
    columns = sorted({column.name for table in Base.metadata.tables.values() for column in table.columns})
    for start in range(0, len(columns), 12):
        extra: dict[str, object] = {name: "1" for name in columns[start : start + 12] if name not in ("name", "source")}
        path = ada.post(f"{ada.attempt}/sample-runs", **{**extra, "source": "x"}).location
        assert path is None or "/sample-runs/" in path
        name = f"Mallory {start}"
        assert (
            anonymous.post("/sign-up", **{**extra, "name": name, "password": "seven quiet otters"}).status_code == 303
        )
        assert anonymous.post("/me/name", **{**extra, "name": f"{name} x"}).status_code == 303
        anonymous.post("/sign-out")
    with read_session(engine) as session:
        rights = session.execute(text("SELECT DISTINCT is_admin, is_interviewer, epoch FROM user_account")).all()
    assert [tuple(row) for row in rights] == [(0, 0, 1)]
