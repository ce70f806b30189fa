"""What the one entry says that a change of practice or of an account leaves in the audit log."""

from __future__ import annotations

import io
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
from werkzeug.datastructures import FileStorage
from werkzeug.test import TestResponse

from grader.grading.verdict import Verdict
from grader.services import links, tokens
from grader.services.interview_settings import Chosen
from grader.services.packages import Packages
from grader.store.account_queries import user_named
from grader.store.interview_models import AuditEntry, Interview, Invitation, PackageCheck, Rejudge, RejudgeItem
from grader.store.models import Submission, User
from grader.store.session import read_session, write_session
from grader.web.service import now
from tests.archives import small_package, zipped
from tests.services.interviewing import begin, invitation_with, make_interview, make_interviewer, make_invitations
from tests.services.made import make_candidate, make_judgement
from tests.services.rejudging import accepted_version
from tests.services.reviewing import make_judged
from tests.services.tiny_package import SLUG
from tests.web.browsing import PASSWORD, Browser, judge_last, make_user
from tests.web.test_routes import filled

LISTED: Final[dict[str, Any]] = yaml.safe_load((Path(__file__).parents[1] / "data" / "audited.yaml").read_text())
SECRETS: Final = (PASSWORD, "six loud herons", "canary", "grd_", "Adeline", "Ines")


SET_UP: Final[dict[str, str]] = LISTED["POST /interviews/new"]["send"]


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
        self.path = self.session = self.token = self.invitation = self.package = self.pair = ""
        self.packages: Packages = app.extensions["grader"].packages
        self.root = Path(str(engine.url.database)).parent / "uploads"

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

    def archive(self) -> FileStorage:
        return FileStorage(io.BytesIO(zipped(small_package(self.root / "sent", statement="Sent.\n"))), "sent.zip")

    def uploaded(self) -> None:
        self.interviewer()
        ada = ada_of(self.engine)
        old = accepted_version(self.engine, self.packages, ada, self.root / "old", statement="Old.\n")
        self.package = old.sha256

    def retired(self) -> None:
        self.uploaded()
        self.ada.post(f"/packages/{self.package}/retire")

    def refused(self) -> None:
        self.uploaded()
        with write_session(self.engine) as session:
            session.execute(update(PackageCheck).values(is_accepted=False))

    def versions(self) -> None:
        """An interview with an attempt at the old version, and a newer one beside it."""
        self.uploaded()
        ada = ada_of(self.engine)
        interview = make_interview(self.engine, self.packages, ada, problems=(Chosen(self.package, "only"),))
        (invited,) = make_invitations(self.engine, ada, interview, "canary candidate")
        attempt = begin(self.engine, invited.token, make_candidate(self.engine), now())
        with write_session(self.engine) as session:
            session.add(Submission(attempt_id=attempt.id, ordinal=1, source=b"canary", created_at=now()))
            session.execute(update(User).where(User.id == ada.id).values(is_admin=True))
        new = accepted_version(self.engine, self.packages, ada, self.root / "new", statement="New.\n")
        self.pair = f"{self.package} {new.sha256}"
        self.path = f"/interviews/{interview.public_id}"
        self.invitation = invitation_with(self.engine, invited.token).public_id

    def preview(self) -> None:
        self.versions()
        self.path = self.ada.post(f"{self.path}/rejudges", versions=self.pair).location

    def ready(self) -> None:
        self.preview()
        with write_session(self.engine) as session:
            session.execute(update(RejudgeItem).values(verdict="AC", score=100.0, new_rows="{}"))

    def applied(self) -> None:
        self.ready()
        self.ada.post(f"{self.path}/apply")
        with write_session(self.engine) as session:
            session.execute(update(Rejudge).values(applied_at=now()))

    def opened(self) -> None:
        lead = make_interviewer(self.engine, "Lena")
        (invited,) = make_invitations(self.engine, lead, make_interview(self.engine, self.packages, lead), "canary")
        self.ada.get(f"/invitations/{invited.token}")

    def accepted(self) -> None:
        self.opened()
        self.path = self.ada.post("/invitation").location

    def taking(self) -> None:
        self.accepted()
        self.ada.post(f"{self.path}/start")

    def reviewed(self) -> None:
        self.interview()
        with read_session(self.engine) as session:
            interview = session.scalars(select(Interview)).one()
            lead = session.scalars(select(User)).one()
        attempt = make_judged(self.engine, lead, interview, "canary candidate", make_judgement(Verdict.WA))
        self.path = f"/reviews/{attempt.public_id}"

    def claimed(self) -> None:
        self.reviewed()
        self.ada.post(f"{self.path}/claim")

    def set_up(self, before: str) -> None:
        steps: dict[str, Callable[[], None]] = {"token": self.make_token}
        (steps.get(before) or getattr(self, before))()

    def send(self, rule: str, case: dict[str, Any]) -> TestResponse:
        rule = rule.replace("<member>", ada_of(self.engine).public_id) if "<member>" in rule else rule
        rule = rule.replace("<invitation>", self.invitation).replace("<sha256>", self.package or "<sha256>")
        path = filled(rule, self.path)
        if rule.startswith("/api/"):
            headers = {"Authorization": f"Bearer {self.token}"}
            return self.app.test_client().post(path, json=case["json"], headers=headers)
        places: dict[Any, Any] = {"SESSION": self.session, "PACKAGE": tiny_hash(self.app), "VERSIONS": self.pair}
        places |= {"ARCHIVE": self.archive(), "INVITATION": self.invitation}
        fields = {name: places.get(value, value) for name, value in case["send"].items()}
        return self.ada.post(path, **fields)


@pytest.mark.parametrize("route", LISTED)
def test_a_change_leaves_one_entry(app: Flask, engine: Engine, route: str) -> None:
    case, stage = LISTED[route], Stage(app, engine)
    stage.set_up(case["before"])
    before = entries(engine)
    reply = stage.send(route.removeprefix("POST "), case)
    assert reply.status_code < 400, reply.get_data(as_text=True)
    written = entries(engine)[len(before) :]
    assert [entry.action for entry in written] == [case["action"]]
    (entry,) = written
    assert re.fullmatch(
        r"(user|attempt|token|interview|invitation|rejudge) [a-z2-7]{12}|package [0-9a-f]{12}", entry.subject
    )
    assert re.fullmatch(r"[a-z2-7]{12}", entry.actor)
    told = f"{entry.detail} {entry.subject} {json.dumps(json.loads(entry.detail))}"
    assert not [secret for secret in SECRETS if secret in told]


@pytest.mark.parametrize("route", LISTED)
def test_a_refused_request_leaves_none(app: Flask, engine: Engine, route: str) -> None:
    case, stage = LISTED[route], Stage(app, engine)
    stage.set_up(case["before"])
    before = len(entries(engine))
    path = filled(route.removeprefix("POST "), stage.path)
    reply = stage.app.test_client().post(path, data=case.get("send"), json=case.get("json"))  # by nobody, without token
    assert reply.status_code in (303, 400, 401, 403)  # 403 hands the text back
    assert len(entries(engine)) == before


def test_what_changes_nothing_leaves_no_entry(ada: Browser, engine: Engine) -> None:
    ada.start()
    before = len(entries(engine))
    ada.start()  # it runs already
    ada.post("/me/sessions", session="aaaaaaaaaaaa")
    ada.post(f"{ada.attempt}/give-up")
    ada.post(f"{ada.attempt}/give-up")
    assert [entry.action for entry in entries(engine)[before:]] == ["attempt.give-up"]
