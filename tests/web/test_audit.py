"""Every request that changes something leaves exactly one entry in the audit log, in the transaction of its change."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from flask import Flask
from sqlalchemy import Engine, select, update
from werkzeug.test import TestResponse

from grader.grading.verdict import Verdict
from grader.services import links, tokens
from grader.store.account_queries import user_named
from grader.store.interview_models import AuditEntry, Invitation
from grader.store.models import User
from grader.store.session import read_session, write_session
from grader.web.service import now
from tests.services.made import make_judgement
from tests.services.tiny_package import SLUG
from tests.web.browsing import PASSWORD, Browser, judge_last, make_user
from tests.web.test_routes import filled, routes

LISTED: Final[dict[str, Any]] = yaml.safe_load((Path(__file__).parents[1] / "data" / "audited.yaml").read_text())
SECRETS: Final = (PASSWORD, "six loud herons", "canary", "grd_", "Adeline", "Ines")


SET_UP: Final[dict[str, str]] = LISTED["audited"]["POST /interviews/new"]["send"]


def tiny_hash(app: Flask) -> str:
    return str(app.extensions["grader"].packages.named(SLUG).sha256)


def entries(engine: Engine) -> list[AuditEntry]:
    with read_session(engine) as session:
        return list(session.scalars(select(AuditEntry).order_by(AuditEntry.id)))


def ada_of(engine: Engine) -> User:
    with read_session(engine) as session:
        found = user_named(session, "ada")
    assert found is not None
    return found


class Stage:
    """A browser of Ada's, and what there is before a request."""

    def __init__(self, app: Flask, engine: Engine) -> None:
        self.engine = engine
        self.app = app
        self.ada = Browser(app)
        self.path = self.session = self.token = self.invitation = ""

    def nobody(self) -> None:
        self.ada.post("/sign-out")

    def signed_in(self) -> None:
        pass

    def link(self) -> None:
        self.nobody()
        with write_session(self.engine) as session:
            token = links.make(session, ada_of(self.engine), now(), timedelta(hours=1))
        self.ada.get(f"/links/{token}")

    def second_session(self) -> None:
        Browser(self.app)
        found = re.search(r'name="session" value="(\w+)"', self.ada.text("/me"))
        assert found
        self.session = found[1]

    def make_token(self) -> None:
        with write_session(self.engine) as session:
            made, self.token = tokens.make(session, ada_of(self.engine), "a program", ["practice"], 90, now())
        self.path = f"/me/tokens/{made.public_id}"

    def started(self) -> None:
        self.path = self.ada.start()

    def started_and_token(self) -> None:
        self.make_token()
        self.started()

    def judged(self) -> None:
        self.started()
        self.ada.submit()
        judge_last(self.engine, make_judgement(Verdict.WA, ("thrice",), "output"))

    def over(self) -> None:
        self.started()
        self.ada.post(f"{self.path}/give-up")

    def answered(self) -> None:
        self.over()
        self.ada.post(f"{self.path}/answers/first", answer="an answer that is long enough")

    def interviewer(self) -> None:
        with write_session(self.engine) as session:
            session.execute(update(User).values(is_interviewer=True))

    def interview(self) -> None:
        self.interviewer()
        reply = self.ada.post("/interviews/new", **{**SET_UP, "problem": tiny_hash(self.app)})
        self.path = reply.location.partition("?")[0]

    def two_leads(self) -> None:
        self.interview()
        make_user(self.engine, "Rob")
        self.interviewer()
        self.ada.post(f"{self.path}/members", name="Rob", part="lead")

    def archived(self) -> None:
        self.interview()
        self.ada.post(f"{self.path}/archive")

    def invited(self) -> None:
        self.interview()
        self.ada.post(f"{self.path}/invite", names="canary candidate")
        with read_session(self.engine) as session:
            self.invitation = session.scalars(select(Invitation.public_id)).one()

    def under_way(self) -> None:
        self.invited()
        with write_session(self.engine) as session:
            times = {"started_at": now(), "ends_at": now() + timedelta(hours=1)}
            session.execute(update(Invitation).values(**times))

    def set_up(self, before: str) -> None:
        steps: dict[str, Callable[[], None]] = {"token": self.make_token}
        (steps.get(before) or getattr(self, before))()

    def send(self, rule: str, case: dict[str, Any]) -> TestResponse:
        rule = rule.replace("<member>", ada_of(self.engine).public_id) if "<member>" in rule else rule
        path = filled(rule.replace("<invitation>", self.invitation), self.path)
        if rule.startswith("/api/"):
            headers = {"Authorization": f"Bearer {self.token}"}
            return self.app.test_client().post(path, json=case["json"], headers=headers)
        places = {"SESSION": self.session, "PACKAGE": tiny_hash(self.app)}
        fields = {name: places.get(value, value) for name, value in case["send"].items()}
        return self.ada.post(path, **fields)


def test_every_route_that_takes_a_post_is_listed(app: Flask) -> None:
    posts = sorted(f"{method} {rule}" for method, rule in routes(app) if method != "GET")
    assert sorted([*LISTED["audited"], *LISTED["silent"]]) == posts


@pytest.mark.parametrize("route", LISTED["audited"])
def test_a_change_leaves_one_entry(app: Flask, engine: Engine, route: str) -> None:
    case, stage = LISTED["audited"][route], Stage(app, engine)
    stage.set_up(case["before"])
    before = entries(engine)
    reply = stage.send(route.removeprefix("POST "), case)
    assert reply.status_code < 400, reply.get_data(as_text=True)
    written = entries(engine)[len(before) :]
    assert [entry.action for entry in written] == [case["action"]]
    (entry,) = written
    assert re.fullmatch(r"(user|attempt|token|interview|invitation) [a-z2-7]{12}", entry.subject)
    assert re.fullmatch(r"[a-z2-7]{12}", entry.actor)
    told = f"{entry.detail} {entry.subject} {json.dumps(json.loads(entry.detail))}"
    assert not [secret for secret in SECRETS if secret in told]


@pytest.mark.parametrize("route", LISTED["audited"])
def test_a_refused_request_leaves_none(app: Flask, engine: Engine, route: str) -> None:
    case, stage = LISTED["audited"][route], Stage(app, engine)
    stage.set_up(case["before"])
    before = len(entries(engine))
    path = filled(route.removeprefix("POST "), stage.path)
    reply = stage.app.test_client().post(path, data=case.get("send"), json=case.get("json"))  # by nobody, without token
    assert reply.status_code in (303, 400, 401)
    assert len(entries(engine)) == before


def test_what_changes_nothing_leaves_no_entry(ada: Browser, engine: Engine) -> None:
    ada.start()
    before = len(entries(engine))
    ada.start()  # it runs already
    ada.post("/me/sessions", session="aaaaaaaaaaaa")
    ada.post(f"{ada.attempt}/give-up")
    ada.post(f"{ada.attempt}/give-up")
    assert [entry.action for entry in entries(engine)[before:]] == ["attempt.give-up"]
