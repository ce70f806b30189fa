"""A link lets somebody choose a password once, and nobody learns why one does not work."""

from __future__ import annotations

import threading
from datetime import datetime, timedelta

import pytest
from sqlalchemy import Engine, func, select

from grader.errors import UserError
from grader.services import accounts, links, sessions, sign_in
from grader.services.links import FIRST, RESET, LinkEnded
from grader.services.passwords import AT_A_TIME, WAITING_MAX
from grader.store.credential_models import SignInLink
from grader.store.models import User
from grader.store.session import read_session, write_session
from tests.services.made import NOON, cheap_passwords, make_candidate

PASSWORD = "seven quiet otters"
HASHES = cheap_passwords()


def make(engine: Engine, user: User | None, now: datetime = NOON, lifetime: timedelta = RESET) -> str:
    with write_session(engine) as session:
        return links.make(session, user, now, lifetime)


def use(engine: Engine, token: str, now: datetime = NOON, name: str = "Root", password: str = PASSWORD) -> User:
    return links.use(engine, HASHES, token, name, password, now)


def test_a_link_sets_the_password_and_ends_all_sessions(engine: Engine) -> None:
    ada = make_candidate(engine, "Ada")
    with write_session(engine) as session:
        before = sessions.begin(session, ada, "Firefox", NOON, is_kept=True)
    assert use(engine, make(engine, ada)).id == ada.id
    with read_session(engine) as session:
        assert sessions.recognise(session, before, NOON) is None
    assert sign_in.sign_in(engine, HASHES, "ada", PASSWORD, None, NOON).id == ada.id


def test_a_link_gives_no_name_and_no_rights(engine: Engine) -> None:
    ada = make_candidate(engine, "Ada")
    changed = use(engine, make(engine, ada), name="Root")
    assert (changed.name, changed.is_admin) == ("Ada", False)


def test_only_the_hash_of_a_link_is_stored(engine: Engine) -> None:
    token = make(engine, make_candidate(engine))
    with read_session(engine) as session:
        assert session.scalars(select(SignInLink.token_sha256)).all() == [sessions.hash_of(token)]
    assert len(token) == 43  # 32 random bytes


def test_used_expired_replaced_and_unknown_links_say_the_same(engine: Engine) -> None:
    ada, eve, bob = (make_candidate(engine, name) for name in ("Ada", "Eve", "Bob"))
    used, expired, replaced = make(engine, ada), make(engine, eve), make(engine, bob)
    use(engine, used)
    make(engine, bob)
    told = set()
    for token, now in ((used, NOON), (expired, NOON + RESET), (replaced, NOON), ("x" * 43, NOON), ("", NOON)):
        with pytest.raises(LinkEnded) as refused:
            use(engine, token, now)
        told.add((refused.value.message, refused.value.status))
    assert len(told) == 1


def test_a_link_lasts_for_its_time(engine: Engine) -> None:
    ada = make_candidate(engine)
    assert use(engine, make(engine, ada), NOON + RESET - timedelta(seconds=1)).id == ada.id


def test_a_refused_password_uses_nothing_up(engine: Engine) -> None:
    ada = make_candidate(engine, "Ada")
    token = make(engine, ada)
    for password in ("short", "1234567890"):
        with pytest.raises(UserError):
            use(engine, token, password=password)
    assert use(engine, token).id == ada.id


def test_of_many_uses_at_once_one_succeeds(engine: Engine) -> None:
    token = make(engine, None, lifetime=FIRST)
    made: list[int] = []
    ended: list[bool] = []

    def one(number: int) -> None:
        try:
            made.append(use(engine, token, name=f"Root {number}").id)
        except LinkEnded:
            ended.append(True)

    threads = [threading.Thread(target=one, args=(number,)) for number in range(AT_A_TIME + WAITING_MAX)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert (len(made), len(ended)) == (1, AT_A_TIME + WAITING_MAX - 1)
    with read_session(engine) as session:
        assert session.scalar(select(func.count(User.id))) == 1


def test_the_first_link_makes_an_admin_who_interviews(engine: Engine) -> None:
    token = links.make_first(engine, NOON)
    assert token is not None
    root = use(engine, token, name=" Root ")
    assert (root.name, root.is_admin, root.is_interviewer) == ("Root", True, True)
    assert links.make_first(engine, NOON) is None


def test_a_newer_first_link_ends_the_older(engine: Engine) -> None:
    older, newer = links.make_first(engine, NOON), links.make_first(engine, NOON)
    assert older is not None
    assert newer is not None
    with pytest.raises(LinkEnded):
        use(engine, older)
    assert use(engine, newer).is_admin


def test_a_first_link_ends_when_there_is_an_admin(engine: Engine) -> None:
    token = links.make_first(engine, NOON)
    assert token is not None
    with write_session(engine) as session:
        accounts.add(session, "Other", None, NOON, is_admin=True)
    with pytest.raises(LinkEnded):
        use(engine, token)


def test_candidates_alone_do_not_end_the_offer(engine: Engine) -> None:
    make_candidate(engine)
    assert links.make_first(engine, NOON) is not None


def test_a_taken_name_keeps_the_first_link(engine: Engine) -> None:
    make_candidate(engine, "Root")
    token = links.make_first(engine, NOON)
    assert token is not None
    with pytest.raises(UserError, match="taken"):
        use(engine, token, name="root")
    assert use(engine, token, name="Admin").is_admin
