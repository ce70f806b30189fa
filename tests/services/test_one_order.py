"""Who deletes an account, or changes its password, holds rows in the order in which all others do, on PostgreSQL.

Each pair is begun in both orders while a third transaction holds a row that both may need, so that they stop halfway
and go on together. A circle would be an error of the database, which no outcome here is. SQLite has one writer at a
time, so it has no order to keep.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import pytest
from sqlalchemy import Engine, func, select
from sqlalchemy.orm import Session

from grader.services import (
    accounts,
    attempts,
    deadline,
    drafts,
    invitations,
    links,
    replies,
    sample_runs,
    sessions,
    taking,
    tokens,
)
from grader.services.judged_rows import write_result
from grader.services.packages import Packages
from grader.services.replies import Asked
from grader.store.credential_models import SignInLink, WebSession
from grader.store.held import held
from grader.store.interview_models import IdempotentReply, Invitation
from grader.store.models import Attempt, User
from grader.store.session import read_session, write_session
from grader.store.time_models import EarlyEnd
from tests.services.beside import DONE, in_turn
from tests.services.interviewing import begin, make_interview, make_interviewer, make_invitations
from tests.services.made import (
    NOON,
    after,
    cheap_passwords,
    make_attempt,
    make_candidate,
    make_judgement,
    make_submission,
)
from tests.services.tiny_package import RIGHT, SLUG
from tests.store.engines import kept_engine

OLD_PASSWORD, NEW_PASSWORD = "seven quiet otters", "eight quiet otters"
NOW: Final = after(6)


@dataclass
class Desk:
    """Ada practises, takes an interview, has accepted another one, and has links to a third one and to sign in."""

    engine: Engine
    packages: Packages

    def set_up(self) -> None:
        engine = self.engine
        self.lead, self.ada = make_interviewer(engine, "Lena"), make_candidate(engine, "Ada")
        with write_session(engine) as session:
            self.ada = accounts.set_password(session, self.ada, cheap_passwords().hash(OLD_PASSWORD), NOON)
            self.link = links.make(session, self.ada, NOON, links.RESET)
            self.browser = sessions.begin(session, self.ada, "browser", NOON, is_kept=True)
        self.own = make_attempt(engine, self.packages, self.ada)
        self.own_waiting = make_submission(engine, self.ada, self.own).id
        self.interviews = [
            make_interview(engine, self.packages, self.lead, title=title, locks_practice=False) for title in "ABC"
        ]
        tokens = [make_invitations(engine, self.lead, each, "Ada L.")[0].token for each in self.interviews]
        self.third = tokens[2]
        self.taken = begin(engine, tokens[0], self.ada, NOON)
        self.waiting = make_submission(engine, self.ada, self.taken).id
        with write_session(engine) as session:
            drafts.save(session, self.ada, self.taken.public_id, RIGHT, None, self.packages, after(2))
            self.accepted = taking.accept(session, self.ada, tokens[1], NOON)
            self.place = session.get_one(Invitation, self.taken.invitation_id)
            old = {"body_sha256": "", "status": 201, "reply": b"", "created_at": NOON - replies.KEPT * 2}
            session.add_all(IdempotentReply(user_id=self.ada.id, route="old", key=key, **old) for key in "ab")

    def write(self, act: Act) -> Callable[[], None]:
        """Return what does an act in a transaction of its own."""

        def call() -> None:
            with write_session(self.engine) as session:
                act(session, self)

        return call

    def once(self, session: Session, user: User, do: Callable[[], object]) -> None:
        def answered() -> tuple[int, bytes]:
            do()
            return 201, b""

        replies.once(session, Asked.of(user, "POST /", "key", RIGHT), NOW, answered)

    def ids(self, number: int) -> tuple[str, str]:
        return self.interviews[number].public_id, (self.place, self.accepted)[number].public_id


Act = Callable[[Session, Desk], object]
HOLDS: Final[dict[str, Act]] = {
    "user": lambda s, d: held(s, User, User.id == d.ada.id),
    "attempt": lambda s, d: held(s, Attempt, Attempt.id == d.taken.id),
    "own attempt": lambda s, d: held(s, Attempt, Attempt.id == d.own.id),
    "places": lambda s, d: held(s, Invitation, Invitation.user_id == d.ada.id),
    "links": lambda s, d: held(s, SignInLink, SignInLink.user_id == d.ada.id),
    "sessions": lambda s, d: held(s, WebSession, WebSession.user_id == d.ada.id),
}
ACTS: Final[dict[str, tuple[Act, str]]] = {  # each with what refuses it when it comes second
    "submit once": (
        lambda s, d: d.once(s, d.ada, lambda: attempts.submit(s, d.ada, d.taken.public_id, RIGHT, NOW)),
        "NotFound",
    ),
    "submit": (lambda s, d: attempts.submit(s, d.ada, d.taken.public_id, RIGHT, after(5)), DONE),
    "draft": (lambda s, d: drafts.save(s, d.ada, d.taken.public_id, b"x", None, d.packages, after(5)), DONE),
    "samples": (lambda s, d: sample_runs.start(s, d.ada, d.taken.public_id, RIGHT, d.packages, after(5)), DONE),
    "end": (lambda s, d: taking.end(s, d.ada, d.place.public_id, d.packages, NOW), "NotFound"),
    "start": (lambda s, d: taking.start(s, d.ada, d.accepted.public_id, d.packages, after(100)), "NotFound"),
    "accept": (lambda s, d: taking.accept(s, d.ada, d.third, NOW), "NotFound"),
    "clock": (lambda s, d: deadline.close(s, d.place.id, d.packages, after(200)), DONE),
    "end their time": (
        lambda s, d: invitations.end_early(s, d.lead, *d.ids(0), "Because.", NOW, is_told=False),
        "NotNow",
    ),
    "give time once": (
        lambda s, d: d.once(s, d.lead, lambda: invitations.extend(s, d.lead, *d.ids(0), "5", "Because.", NOW)),
        "NotNow",
    ),
    "revoke": (lambda s, d: invitations.revoke(s, d.lead, *d.ids(1), NOW), DONE),
    "practise": (lambda s, d: attempts.start(s, d.ada, d.packages.named(SLUG), "other", d.packages, NOW), "NotFound"),
    "submit in practice": (lambda s, d: attempts.submit(s, d.ada, d.own.public_id, RIGHT, NOW), "NotFound"),
    "submit once in practice": (
        lambda s, d: d.once(s, d.ada, lambda: attempts.submit(s, d.ada, d.own.public_id, RIGHT, NOW)),
        "NotFound",
    ),
    "make a link": (lambda s, d: links.make(s, d.ada, NOW, links.RESET), "NotFound"),
    "make a token": (lambda s, d: tokens.make(s, d.ada, "script", ["practice"], 5, NOW), "NotFound"),
    "rename": (lambda s, d: accounts.rename(s, d.ada, "Ada B.", NOW), "NotFound"),
    "begin a session": (lambda s, d: sessions.begin(s, d.ada, "browser", NOW, is_kept=True), "NotFound"),
    "sign in again": (
        lambda s, d: sessions.begin(s, d.ada, "browser", NOW, is_kept=True, instead_of=d.browser),
        "NotFound",
    ),
    "sign out": (lambda s, d: sessions.end(s, d.browser, NOW), DONE),
}
ALONE: Final[dict[str, tuple[Callable[[Desk], object], str]]] = {  # what has transactions of its own
    "judge": (lambda d: write_result(d.engine, d.waiting, make_judgement(), NOW), DONE),
    "judge in practice": (lambda d: write_result(d.engine, d.own_waiting, make_judgement(), NOW), DONE),
    "use a link": (lambda d: links.use(d.engine, cheap_passwords(), d.link, "", NEW_PASSWORD, NOW), "LinkEnded"),
}
ACCESS: Final = ("make a link", "make a token", "begin a session", "sign in again", "sign out", "rename", "use a link")
PRACTICE: Final = ("practise", "submit in practice", "submit once in practice", "judge in practice")
MAY_NEED: Final = {  # what an act and the end of an account may both wait for
    name: ("user", "links", "sessions")
    if name in ACCESS
    else ("user", "own attempt")
    if name in PRACTICE
    else ("user", "attempt", "own attempt", "places")
    for name in (*ACTS, *ALONE)
}
either_first = pytest.mark.parametrize("is_first", [True, False], ids=["first", "second"])


@pytest.fixture
def engine(postgres_url: str) -> Iterator[Engine]:
    with kept_engine(postgres_url) as engine:
        yield engine


@pytest.fixture
def desk(engine: Engine, packages: Packages) -> Desk:
    desk = Desk(engine, packages)
    desk.set_up()
    return desk


def act_of(desk: Desk, name: str) -> tuple[Callable[[], object], str]:
    if name in ALONE:
        alone, refused = ALONE[name]
        return lambda: alone(desk), refused
    act, refused = ACTS[name]
    return desk.write(act), refused


def begun_beside(desk: Desk, name: str, other: Act, hold: str, is_first: bool) -> str:
    """Let an act and another one, which is never refused, begin while something is held; return what came of it."""
    act, refused = act_of(desk, name)
    calls = (act, desk.write(other)) if is_first else (desk.write(other), act)
    outcomes = in_turn(desk.engine, lambda session: HOLDS[hold](session, desk), *calls)
    assert outcomes[is_first] == DONE
    assert outcomes[not is_first] in (DONE, refused)
    return outcomes[not is_first]


@either_first
@pytest.mark.parametrize(("name", "hold"), [(name, hold) for name, holds in MAY_NEED.items() for hold in holds])
def test_an_account_is_deleted_beside(desk: Desk, name: str, hold: str, is_first: bool) -> None:
    begun_beside(desk, name, lambda s, d: accounts.remove(s, d.ada, NOW, d.ada), hold, is_first)
    with read_session(desk.engine) as session:
        assert session.get_one(User, desk.ada.id).is_former
        assert session.scalar(select(func.count()).select_from(Attempt).filter_by(invitation_id=None)) == 0
        ends = session.scalars(select(EarlyEnd).filter_by(invitation_id=desk.place.id)).all()
        assert len(ends) <= 1  # none where the clock was first


@either_first
@pytest.mark.parametrize("hold", ["user", "links", "sessions"])
@pytest.mark.parametrize("name", ACCESS)
def test_a_password_is_changed_beside(desk: Desk, name: str, hold: str, is_first: bool) -> None:
    begun_beside(desk, name, lambda s, d: accounts.set_password(s, d.ada, "hash", NOW), hold, is_first)
    with read_session(desk.engine) as session:
        assert session.get_one(User, desk.ada.id).password_hash is not None


def test_a_change_that_was_waited_for_is_built_upon(desk: Desk) -> None:
    def change() -> None:
        with write_session(desk.engine) as session:
            known = accounts.named(session, desk.ada.name)
            accounts.set_rights(session, known, NOW, is_interviewer=True, is_admin=None)

    in_turn(desk.engine, lambda s: accounts.set_password(s, desk.ada, "hash", NOW), change)
    with read_session(desk.engine) as session:
        assert session.get_one(User, desk.ada.id).epoch == desk.ada.epoch + 2
