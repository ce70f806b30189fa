"""One interview and everybody who could ask about it, at several moments; requests leave no trace in it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

from flask import Flask
from sqlalchemy import Engine, select
from werkzeug.test import TestResponse

from grader.grading.verdict import Verdict
from grader.problems.files import read_folder
from grader.services import accounts, attempts, deadline, interviewers, interviews, sessions, taking, tokens, uploads
from grader.services.packages import Packages
from grader.store import account_queries, taking_queries
from grader.store.interview_models import Interview, Part, Rejudge, Shown
from grader.store.models import Package, User
from grader.store.session import read_session, write_session
from grader.web.service import Service, now
from tests.services.interviewing import invitation_with, make_interview, make_invitations
from tests.services.made import NOON, make_judgement
from tests.services.tiny_package import SLUG, write_package
from tests.web.browsing import Browser, judge_last, make_user

PEOPLE: Final = ("anonymous", "own", "other", "lead", "reviewer", "foreign", "admin")
MOMENTS: Final = ("ready", "running", "over", "released")
RIGHTS: Final = {"lead": (True, False), "reviewer": (True, False), "foreign": (True, False), "admin": (False, True)}
FIELDS: Final = {
    "source": "x = 1",
    "answer": "an answer that is long enough",
    "rating": "1",
    "level": "2",
    "stage": "output",
    "variant": "only",
    "name": "a name",
    "minutes": "5",
    "reason": "a reason",
    "confirmed": "1",
    "version": "0",
    "decision": "yes",
    "score": "50",
}

BODIES: Final[dict[str, Any]] = {"submissions": {"source": "x"}, "exports": {"kind": "long"}}


@dataclass(frozen=True)
class World:
    """The database at one moment, with what opens it for each of the people."""

    app: Flask
    engine: Engine
    kept: Path  # a copy of the database, to go back to
    cookies: dict[str, str]
    tokens: dict[str, str]
    ids: dict[str, str]  # by the beginning of a rule
    form_tokens: dict[str, str] = field(default_factory=dict)  # by cookie
    noted: list[str] = field(default_factory=list)  # the actions that the last request left in the audit log
    last_kept: list[int] = field(default_factory=list)  # the key of the newest entry in the copy's audit log

    def ask(self, who: str, method: str, rule: str) -> TestResponse:
        """Send a request as one of the people, and take back what it changed."""
        path, client = self.path(rule), self.app.test_client()
        options: dict[str, Any] = {}
        if rule.startswith("/api/"):
            if who in self.tokens:
                options["headers"] = {"Authorization": f"Bearer {self.tokens[who]}"}
            if method == "POST":
                options["json"] = BODIES.get(rule.rpartition("/")[2], {})
        else:
            client.set_cookie("grader", self.cookies[who])
            if method == "POST":
                options["data"] = {"csrf_token": self.form_token(who), **FIELDS}
        reply = client.open(path, method=method, **options)
        reply.get_data()
        reply.close()
        self.noted[:] = self.actions_since_kept()
        if method == "POST" or self.noted:
            self.go_back()
        return reply

    def form_token(self, who: str) -> str:
        """Return the word that a form of somebody's browser carries; it is good for as long as the cookie."""
        cookie = self.cookies[who]
        if cookie not in self.form_tokens:
            browser = Browser(self.app, None)
            browser.client.set_cookie("grader", cookie)
            self.form_tokens[cookie] = browser.token()
        return self.form_tokens[cookie]

    def actions_since_kept(self) -> list[str]:
        with closing(sqlite3.connect(file_of(self.engine))) as used:
            return [action for (action,) in used.execute("SELECT action FROM audit_entry WHERE id > ?", self.last_kept)]

    def path(self, rule: str) -> str:
        """Return the address of a rule, for what there is in this world."""
        own = next((key for start, key in self.ids.items() if rule.startswith(start)), "aaaaaaaaaaaa")
        values = {
            "<public_id>": own,
            "<question>": "first",
            "<ordinal>": "1",
            "<position>": "1",
            "<member>": self.ids["member"],
            "<invitation>": self.ids["/taking"],
            "<slug>": SLUG,
            "<sha256>": self.ids["package"],
            "<path:filename>": "grader.css",
            "<token>": "x" * 43,
        }
        for name, value in values.items():
            rule = rule.replace(name, value)
        assert "<" not in rule, rule
        return rule

    def keep(self) -> None:
        """Let requests go back to how the database is now."""
        with closing(sqlite3.connect(self.kept)) as kept, closing(sqlite3.connect(file_of(self.engine))) as used:
            used.backup(kept)
            self.last_kept[:] = used.execute("SELECT max(id) FROM audit_entry").fetchone()

    def go_back(self) -> None:
        """Make the database what it was."""
        with closing(sqlite3.connect(self.kept)) as kept, closing(sqlite3.connect(file_of(self.engine))) as used:
            kept.backup(used)


def file_of(engine: Engine) -> str:
    assert engine.url.database is not None
    return engine.url.database


def named(engine: Engine, name: str) -> User:
    with read_session(engine) as session:
        found = account_queries.user_named(session, name)
    assert found is not None
    return found


_GOOD_FOR: Final = timedelta(minutes=5)  # what runs goes on running meanwhile
_made: Final[dict[str, tuple[datetime, bytes, World]]] = {}  # by moment: since when, the database, and what opens it


def make_world(app: Flask, moment: str) -> World:
    """Return an interview that `lead` leads and `own` takes, and nobody else's business.

    It is made once for many tests of a process, each of which gets a copy of the database in place of its own.
    """
    if moment not in _made or now() - _made[moment][0] > _GOOD_FOR:
        world = _make(app, moment)
        mine = {name: getattr(world, name).copy() for name in ("cookies", "tokens", "ids")}
        _made[moment] = now(), world.kept.read_bytes(), replace(world, **mine)
        return world
    _, database, first = _made[moment]
    engine = app.extensions["grader"].engine
    kept = Path(file_of(engine)).with_name("kept.sqlite3")
    kept.write_bytes(database)
    world = World(app, engine, kept, first.cookies.copy(), first.tokens.copy(), first.ids.copy())
    world.go_back()
    world.keep()
    return world


def _make(app: Flask, moment: str) -> World:
    service: Service = app.extensions["grader"]
    engine, packages = service.engine, service.packages
    for who in PEOPLE[1:]:
        make_user(engine, who)
        with write_session(engine) as session:
            interviewer, admin = RIGHTS.get(who, (False, False))
            user = named(engine, who)
            accounts.set_rights(session, user, NOON, is_interviewer=interviewer, is_admin=admin)
    lead = named(engine, "lead")
    shown = {"verdicts": Shown.AT_ONCE, "points": Shown.AT_ONCE, "answers": Shown.WHEN_RELEASED}
    interview = make_interview(engine, packages, lead, **shown)
    make_interview(engine, packages, named(engine, "foreign"))
    with write_session(engine) as session:
        interviewers.set_part(session, lead, interview.public_id, "reviewer", Part.REVIEWER, NOON)
    (invited,) = make_invitations(engine, lead, interview, "Candidate")
    ids = {"/interviews": interview.public_id, "/api/v1/interviews": interview.public_id}
    ids |= {"/taking": invitation_with(engine, invited.token).public_id}
    ids |= {"member": named(engine, "reviewer").public_id}
    ids |= _uploaded(engine, packages, lead, interview)
    ids |= _taken(engine, packages, invited.token, moment)
    if moment == "released":
        with write_session(engine) as session:
            interviews.release(session, lead, interview.public_id, now())
    return _opened(app, engine, ids)


def _uploaded(engine: Engine, packages: Packages, lead: User, interview: Interview) -> dict[str, str]:
    """Let the lead upload a package, and ask for a rejudge with another version of the folder's."""
    folder = Path(file_of(engine)).parent / "uploaded"
    write_package(folder)
    (folder / SLUG / "statement.md").write_text("Another one.\n")
    data = read_folder(folder / SLUG).archive()
    (folder / SLUG / "statement.md").write_text("A later version.\n")
    with write_session(engine) as session:
        uploads.upload(session, lead, uploads.read(lead, data, "mine", "mine.zip"), packages, NOON)
        package = session.scalars(select(Package).filter_by(slug="mine")).one()
        old = session.scalars(select(Package).filter_by(slug=SLUG)).one()
        new = packages.remember(session, Packages(folder).named(SLUG), NOON)
        rejudge = Rejudge(user_id=lead.id, from_package_id=old.id, to_package_id=new.id, created_at=NOON)
        rejudge.interview_id = interview.id
        session.add(rejudge)
        session.flush()
        return {"package": package.sha256, "/rejudges": rejudge.public_id}


def _taken(engine: Engine, packages: Packages, token: str, moment: str) -> dict[str, str]:
    """Let the candidate come as far as that; return the attempt's id where one was begun."""
    own = named(engine, "own")
    began = now() - (timedelta(minutes=5) if moment == "running" else timedelta(hours=2))
    with write_session(engine) as session:
        invitation = taking.accept(session, own, token, NOON)
    if moment == "ready":
        return {}
    with write_session(engine) as session:
        taking.start(session, own, invitation.public_id, packages, began)
    with read_session(engine) as session:
        started = taking_queries.invitation_of(session, own, invitation.public_id)
        attempt = taking_queries.attempts_in(session, started)[0]
    with write_session(engine) as session:
        attempts.submit(session, own, attempt.public_id, b"x = 1\n", began + timedelta(minutes=1))
    judge_last(engine, make_judgement(Verdict.WA, ("thrice",), "output"))
    if moment != "running":
        deadline.close_one(engine, invitation.id, packages, lambda session, submission: None, now())
    return dict.fromkeys(("/attempts", "/reviews", "/api/v1/attempts"), attempt.public_id)


def _opened(app: Flask, engine: Engine, ids: dict[str, str]) -> World:
    cookies, values = {"anonymous": "nobody"}, {}
    for who in PEOPLE[1:]:
        user = named(engine, who)
        with write_session(engine) as session:
            cookies[who] = sessions.begin(session, user, "Firefox", now(), is_kept=True)
            row, values[who] = tokens.make(session, user, "a program", tokens.scopes_for(user), 90, now())
        if who == "own":
            ids |= {"/admin/tokens": row.public_id, "/me/tokens": row.public_id, "/admin/users": user.public_id}
            with read_session(engine) as session:
                ids["/admin/sessions"] = account_queries.web_sessions_of(session, user)[0].public_id
    world = World(app, engine, Path(file_of(engine)).with_name("kept.sqlite3"), cookies, values, ids)
    world.keep()
    return world


def answer_of(reply: TestResponse) -> str:
    """Return what an answer means, in a word."""
    if reply.status_code in (302, 303):
        return "door" if (reply.location or "").startswith("/sign-in?next") else "yes"
    if reply.status_code == 403 and 'href="/sign-in?next=' in reply.get_data(as_text=True):
        return "door"  # with what was typed
    words = {200: "yes", 202: "yes", 204: "yes", 400: "form", 422: "form", 409: "closed", 412: "closed", 404: "no"}
    return words.get(reply.status_code, str(reply.status_code))
