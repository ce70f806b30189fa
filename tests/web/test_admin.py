"""The admin's pages: who finds them, what they change, what they show and what never."""

from __future__ import annotations

import csv
import io
import json
import re

import pytest
from flask import Flask
from sqlalchemy import Engine, event, select

from grader.config import VARIABLES, read_settings, set_variables
from grader.services import accounts, audit
from grader.services.names import name_key
from grader.store import account_queries
from grader.store.interview_models import AuditEntry
from grader.store.models import User
from grader.store.session import read_session, write_session
from grader.web.app import WebSettings, create_app
from tests.services.made import NOON, after
from tests.web.browsing import PASSWORD, Browser
from tests.web.calling import Program
from tests.web.conftest import KEY
from tests.web.test_routes import filled, page_routes

PAGES = ("/admin", "/admin/users", "/admin/sessions", "/admin/tokens", "/admin/audit", "/admin/audit.csv")


def user_named(engine: Engine, name: str) -> User:
    with read_session(engine) as session:
        found = account_queries.user_named(session, name_key(name))
    assert found is not None
    return found


def give(engine: Engine, name: str, *, admin: bool) -> None:
    with write_session(engine) as session:
        accounts.set_rights(session, user_named(engine, name), NOON, is_interviewer=None, is_admin=admin)


@pytest.fixture
def root(app: Flask, engine: Engine) -> Browser:
    browser = Browser(app, "Root")
    give(engine, "Root", admin=True)
    browser.sign_in("Root")
    return browser


def rows(root: Browser, query: str = "") -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(root.text(f"/admin/audit.csv{query}"))))


def test_nobody_else_learns_that_there_are_such_pages(app: Flask, engine: Engine, ada: Browser) -> None:
    with write_session(engine) as session:
        accounts.set_rights(session, user_named(engine, "Ada"), NOON, is_interviewer=True, is_admin=None)
    ada.sign_in("Ada")
    missing = re.sub(r'(nonce|value)="[^"]*"', "", ada.get("/no-such-page").get_data(as_text=True))
    admin = [(method, rule) for method, rule in page_routes(app) if rule.startswith("/admin")]
    assert len(admin) >= 11
    for method, rule in admin:
        path = filled(rule, "/attempts/aaaaaaaaaaaa")
        reply = ada.client.open(path, method=method, data={"csrf_token": ada.token()} if method == "POST" else None)
        assert reply.status_code == 404, rule
        page = re.sub(r'(nonce|value)="[^"]*"', "", reply.get_data(as_text=True))
        assert page == missing, rule


def test_a_right_that_is_taken_closes_every_page_at_once(app: Flask, engine: Engine, root: Browser) -> None:
    Browser(app, "Other")
    give(engine, "Other", admin=True)
    assert {root.get(path).status_code for path in PAGES} == {200}
    give(engine, "Root", admin=False)
    assert {root.get(path).status_code for path in PAGES} == {303}  # the session has ended with the right
    root.sign_in("Root")
    assert {root.get(path).status_code for path in PAGES} == {404}


def test_rights_are_given_with_the_own_password_alone(app: Flask, engine: Engine, root: Browser, ada: Browser) -> None:
    program = Program(app, "Ada")
    path = f"/admin/users/{user_named(engine, 'Ada').public_id}"
    refused = root.post(f"{path}/rights", interviewer="1", password="wrong wrong")
    assert refused.status_code == 400
    assert "not your current password" in refused.get_data(as_text=True)
    assert not user_named(engine, "Ada").is_interviewer
    assert root.post(f"{path}/rights", interviewer="1", password=PASSWORD).location == f"{path}?done=rights"
    assert user_named(engine, "Ada").is_interviewer
    assert ada.get("/").status_code == 303
    assert program.get("/me").status_code == 401
    (entry,) = rows(root, "?action=user.rights&since=2026-03-02")
    assert (entry["actor_name"], json.loads(entry["detail"])) == ("Root", {"is_admin": False, "is_interviewer": True})


def test_the_last_admin_stays(engine: Engine, root: Browser) -> None:
    path = f"/admin/users/{user_named(engine, 'Root').public_id}"
    reply = root.post(f"{path}/rights", password=PASSWORD)
    assert reply.status_code == 400
    assert "is the only admin" in reply.get_data(as_text=True)
    assert user_named(engine, "Root").is_admin


def test_a_link_is_shown_once_and_works_once(app: Flask, engine: Engine, root: Browser, ada: Browser) -> None:
    path = f"/admin/users/{user_named(engine, 'Ada').public_id}"
    assert root.post(f"{path}/link", password="wrong wrong").status_code == 400
    page = root.post(f"{path}/link", password=PASSWORD).get_data(as_text=True)
    found = re.search(r"http://localhost(/links/([\w-]{43}))<", page)
    assert found
    assert found[2] not in root.text(path)
    somebody = Browser(app, None)
    somebody.get(found[1])
    assert somebody.post("/link", password="six loud herons").status_code == 303
    assert ada.get("/").status_code == 303
    with read_session(engine) as session:
        stored = " ".join(entry.detail + entry.subject for entry in session.scalars(select(AuditEntry)))
    assert found[2] not in stored


def test_sessions_and_tokens_are_ended(app: Flask, engine: Engine, root: Browser, ada: Browser) -> None:
    program = Program(app, "Ada")
    listed = root.text("/admin/tokens")
    found = re.search(r'action="(/admin/tokens/\w+/revoke)"', listed)
    assert found
    assert program.token not in listed
    assert program.token[:12] in listed
    assert root.post(found[1]).status_code == 303
    assert program.get("/me").status_code == 401
    assert root.post(found[1]).status_code == 404

    ended = re.findall(r'action="(/admin/sessions/\w+/end)"', root.text("/admin/sessions"))
    assert len(ended) == 2
    ada.text("/")
    assert root.post(f"/admin/users/{user_named(engine, 'Ada').public_id}/sessions").status_code == 303
    assert ada.get("/").status_code == 303
    ada.sign_in("Ada")
    page = root.text("/admin/sessions")
    newest = re.findall(r'action="(/admin/sessions/\w+/end)"[^\n]*of Ada', page)
    assert root.post(newest[0]).status_code == 303
    assert ada.get("/").status_code == 303
    actions = [row["action"] for row in rows(root) if row["actor_name"] == "Root"][-3:]
    assert actions == ["token.revoke", "session.end-all", "session.end"]


def test_users_are_found_by_part_of_their_name(root: Browser, ada: Browser, eve: Browser) -> None:
    assert re.findall(r'class="main shown"[^>]*>([^<]+)<', root.text("/admin/users")) == ["Ada", "Eve", "Root"]
    assert re.findall(r'class="main shown"[^>]*>([^<]+)<', root.text("/admin/users?q=DA")) == ["Ada"]
    assert "Nobody is called so" in root.text("/admin/users?q=%25")
    assert root.get("/admin/users/aaaaaaaaaaaa").status_code == 404


def test_lists_come_in_pages_of_as_many_questions(engine: Engine, root: Browser) -> None:
    sent: list[object] = []
    event.listen(engine, "before_cursor_execute", lambda *arguments: sent.append(arguments[2]))
    few = []
    for path in PAGES[:5]:
        sent.clear()
        root.text(path)
        few.append(len(sent))
    with write_session(engine) as session:
        for number in range(120):
            user = accounts.add(session, f"User {number:03}", None, after(number))
            audit.record(session, user, "user.greet", user, after(number))
    for path, before in zip(PAGES[:5], few, strict=True):
        sent.clear()
        root.text(path)
        assert len(sent) == before, path
    names = [
        name
        for page in (1, 2, 3)
        for name in re.findall(r'class="main shown"[^>]*>([^<]+)<', root.text(f"/admin/users?page={page}"))
    ]
    assert names == ["Root", *(f"User {number:03}" for number in range(120))]
    assert root.get("/admin/users?page=x").status_code == 200


def test_the_log_is_filtered_and_read_page_by_page(engine: Engine, root: Browser, ada: Browser) -> None:
    with write_session(engine) as session:
        for number in range(150):
            audit.record(session, user_named(engine, "Ada"), "count.up", f"number {number}", after(number))
    actor = user_named(engine, "Ada").public_id
    first = root.text(f"/admin/audit?action=count&actor={actor}")
    older = re.search(r'rel="next" href="([^"]+)"', first)
    assert older
    second = root.text(older[1].replace("&amp;", "&"))
    shown = [int(number) for page in (first, second) for number in re.findall(r"<code>number (\d+)</code>", page)]
    assert shown == list(range(149, -1, -1))
    assert 'rel="next"' not in second
    assert [row["subject"] for row in rows(root, "?action=count")] == [f"number {number}" for number in range(150)]
    assert len(rows(root, "?subject=number+1&action=count")) == 61
    assert len(rows(root, "?action=count&since=2026-03-01&until=2026-03-01")) == 150
    assert rows(root, "?action=count&since=2026-03-02") == []
    assert rows(root, "?interview=aaaaaaaaaaaa") == []
    wrong = root.get("/admin/audit?since=yesterday")
    assert wrong.status_code == 400
    assert "is no day" in wrong.get_data(as_text=True)


def test_a_reading_that_was_made_again_says_how_often_and_when_last(engine: Engine, root: Browser) -> None:
    with write_session(engine) as session:
        user = accounts.add(session, "Reader", None, NOON)
        for minute in (0, 5, 20):
            audit.record_reading(session, user, "shelf.read", user, after(minute), None, is_polled=True)
        audit.record_reading(session, user, "shelf.open", user, after(30), None, is_polled=True)
    page = root.text("/admin/audit?action=shelf")
    assert re.findall(r"(\d+ more readings?), the last <time datetime=\"([^\"]+)\"", page) == [
        ("2 more readings", "2026-03-01T12:20:00Z")
    ]
    told = [(row["action"], row["read_again"], row["last_read_at"]) for row in rows(root, "?action=shelf")]
    assert told == [("shelf.read", "2", "2026-03-01T12:20:00Z"), ("shelf.open", "", "")]


def test_no_cell_is_a_formula(engine: Engine, root: Browser) -> None:
    with write_session(engine) as session:
        user = accounts.add(session, "=1+1", None, NOON)
        audit.record(session, user, "user.greet", '@SUM(A1)\t"\n', NOON)
    (row,) = rows(root, "?action=user.greet")
    assert row["actor_name"] == "'=1+1"
    assert row["subject"].startswith("'@SUM(A1)")
    assert root.get("/admin/audit.csv").headers["Content-Disposition"] == 'attachment; filename="grader-audit.csv"'


def test_settings_are_told_by_name_and_never_by_value(app: Flask, engine: Engine, root: Browser) -> None:
    variables = set_variables({"GRADER_METRICS_TOKEN": "canary of a token", "GRADER_SIGNUP": ""})
    shown = Browser(create_app(WebSettings(KEY, variables=variables), app.extensions["grader"]), None)
    shown.sign_in("Root")
    page = shown.text("/admin")
    told = re.findall(r"<code>(GRADER_\w+)</code></td><td>(.*?)</td>", page)
    assert [name for name, _ in told] == list(VARIABLES)
    assert [name for name, word in told if "not set" not in word] == ["GRADER_METRICS_TOKEN"]
    assert "canary" not in page


def test_every_variable_of_the_settings_is_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    class Noting(dict[str, str]):
        def get(self, name: str, default: object = None) -> object:  # type: ignore[override]
            asked.add(name)
            return super().get(name, default)

    asked: set[str] = set()
    read_settings(Noting(HOME="/nowhere"))
    assert {name for name in asked if name.startswith("GRADER_")} == set(VARIABLES)
