"""A session is opened by its token alone, for its time, and no longer than its user's rights stay as they are."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from sqlalchemy import Engine, select

from grader.services import accounts, sessions
from grader.services.sessions import IDLE, KEPT, NOT_KEPT, SEEN_EVERY
from grader.store import account_queries as queries
from grader.store.credential_models import WebSession
from grader.store.models import User
from grader.store.session import read_session, write_session
from tests.services.made import NOON, make_candidate


@pytest.fixture
def ada(engine: Engine) -> User:
    return make_candidate(engine, "Ada")


def begin(engine: Engine, user: User, now: datetime = NOON, is_kept: bool = True) -> str:
    with write_session(engine) as session:
        return sessions.begin(session, user, "Firefox on Linux", now, is_kept=is_kept)


def is_open(engine: Engine, token: str, now: datetime = NOON) -> bool:
    with read_session(engine) as session:
        return sessions.recognise(session, token, now) is not None


def test_a_token_is_random_and_only_its_hash_is_stored(engine: Engine, ada: User) -> None:
    tokens = {begin(engine, ada) for _ in range(20)}
    assert len(tokens) == 20
    assert {len(token) for token in tokens} == {43}  # 32 bytes
    with read_session(engine) as session:
        stored = {row.token_sha256 for row in session.scalars(select(WebSession))}
    assert stored == {sessions.hash_of(token) for token in tokens}
    assert not stored & tokens


def test_the_users_rights_are_those_of_the_moment(engine: Engine, ada: User) -> None:
    token = begin(engine, ada)
    with write_session(engine) as session:
        session.get_one(User, ada.id).is_admin = True
    with read_session(engine) as session:
        found = sessions.recognise(session, token, NOON)
    assert found is not None
    assert found.user.is_admin


def test_other_tokens_open_nothing(engine: Engine, ada: User) -> None:
    real = begin(engine, ada)
    for wrong in ("", "x", "\ud800", "é" * 43, sessions.hash_of(real), real[:-1], real + "="):
        assert not is_open(engine, wrong)


@pytest.mark.parametrize(("is_kept", "lifetime"), [(True, KEPT), (False, NOT_KEPT)])
def test_a_session_ends_although_it_is_used(engine: Engine, ada: User, is_kept: bool, lifetime: timedelta) -> None:
    token = begin(engine, ada, is_kept=is_kept)
    with write_session(engine) as session:
        key = session.scalars(select(WebSession.id)).one()
        queries.set_seen(session, key, NOON + lifetime)
    assert is_open(engine, token, NOON + lifetime - timedelta(seconds=1))
    assert not is_open(engine, token, NOON + lifetime)


def test_a_session_that_nobody_uses_ends_earlier(engine: Engine, ada: User) -> None:
    token = begin(engine, ada)
    assert is_open(engine, token, NOON + IDLE - timedelta(seconds=1))
    assert not is_open(engine, token, NOON + IDLE)


def test_use_is_written_down_once_in_a_while(engine: Engine, ada: User) -> None:
    token = begin(engine, ada)
    with read_session(engine) as session:
        found = sessions.recognise(session, token, NOON)
    assert found is not None
    assert not sessions.is_stale(found, NOON + SEEN_EVERY - timedelta(seconds=1))
    assert sessions.is_stale(found, NOON + SEEN_EVERY)


def test_another_password_ends_every_session(engine: Engine, ada: User) -> None:
    tokens = [begin(engine, ada) for _ in range(3)]
    other = begin(engine, make_candidate(engine, "Eve"))
    with write_session(engine) as session:
        accounts.set_password(session, ada, "x", NOON)
    assert [is_open(engine, token) for token in tokens] == [False] * 3
    assert is_open(engine, other)


def test_a_session_of_an_older_epoch_opens_nothing(engine: Engine, ada: User) -> None:
    token = begin(engine, ada)
    with write_session(engine) as session:
        session.get_one(User, ada.id).epoch += 1
    assert not is_open(engine, token)
    with read_session(engine) as session:
        assert sessions.own(session, session.get_one(User, ada.id), NOON) == []


def test_only_the_own_session_is_ended(engine: Engine, ada: User) -> None:
    token, eve = begin(engine, ada), make_candidate(engine, "Eve")
    with read_session(engine) as session:
        (row,) = sessions.own(session, ada, NOON)
    with write_session(engine) as session:
        sessions.end_own(session, eve, row.public_id, NOON)
    assert is_open(engine, token)
    with write_session(engine) as session:
        sessions.end_own(session, ada, row.public_id, NOON)
    assert not is_open(engine, token)


def test_ended_sessions_are_removed(engine: Engine, ada: User) -> None:
    begin(engine, ada)
    begin(engine, ada, NOON + IDLE)
    with read_session(engine) as session:
        assert len(session.scalars(select(WebSession)).all()) == 1
