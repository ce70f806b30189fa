"""Tokens: what one opens, and everything that ends it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from sqlalchemy import Engine, select, text

from grader.errors import NotFound, UserError
from grader.services import accounts, tokens
from grader.services.tokens import DAYS_MAX, TOKENS_MAX, ScopeMissing, TokenRefused
from grader.store.credential_models import ApiToken
from grader.store.models import User
from grader.store.session import read_session, write_session
from tests.services.made import NOON, after, make_candidate


def make(engine: Engine, user: User, *scopes: str, days: int = 90, name: str = "a program") -> tuple[ApiToken, str]:
    with write_session(engine) as session:
        return tokens.make(session, user, name, scopes or ("practice",), days, NOON)


def interviewer(engine: Engine) -> User:
    user = make_candidate(engine, "Ines")
    with write_session(engine) as session:
        return accounts.set_rights(session, user, NOON, is_interviewer=True, is_admin=None)


def test_a_token_tells_whose_it_is_and_is_stored_as_its_hash(engine: Engine) -> None:
    ada = make_candidate(engine, "Ada")
    row, value = make(engine, ada)
    caller = tokens.recognise(engine, value, after(1))
    assert (caller.user.id, caller.scopes, caller.expires_at) == (ada.id, ("practice",), NOON + timedelta(days=90))
    assert value.startswith("grd_")
    assert len(value) == 47
    assert row.prefix == value[:12]
    with read_session(engine) as session:
        stored = repr(session.execute(text("SELECT * FROM api_token")).all())
        stored += repr(session.execute(text("SELECT * FROM audit_entry")).all())
    assert value[12:] not in stored


def test_values_are_never_the_same(engine: Engine) -> None:
    ada = make_candidate(engine, "Ada")
    assert len({make(engine, ada)[1] for _ in range(TOKENS_MAX)}) == TOKENS_MAX


def by_time(engine: Engine, user: User, row: ApiToken) -> None:
    pass


def by_hand(engine: Engine, user: User, row: ApiToken) -> None:
    with write_session(engine) as session:
        tokens.revoke(session, user, row.public_id, NOON)


def by_an_admin(engine: Engine, user: User, row: ApiToken) -> None:
    with write_session(engine) as session:
        tokens.revoke_any(session, user, row.public_id, NOON)


def by_password(engine: Engine, user: User, row: ApiToken) -> None:
    with write_session(engine) as session:
        accounts.set_password(session, user, "x", NOON)


def by_rights(engine: Engine, user: User, row: ApiToken) -> None:
    with write_session(engine) as session:
        accounts.set_rights(session, user, NOON, is_interviewer=False, is_admin=None)


def by_deletion(engine: Engine, user: User, row: ApiToken) -> None:
    with write_session(engine) as session:
        accounts.remove(session, user, NOON)


@pytest.mark.parametrize("end", [by_time, by_hand, by_an_admin, by_password, by_rights, by_deletion])
def test_a_token_ends(engine: Engine, end: Callable[[Engine, User, ApiToken], None]) -> None:
    make_candidate(engine, "Somebody else")
    user = interviewer(engine)
    row, value = make(engine, user, "practice", "review", days=1)
    assert tokens.recognise(engine, value, NOON + timedelta(days=1, seconds=-1)).user.id == user.id
    end(engine, user, row)
    later = NOON + timedelta(days=1) if end is by_time else after(1)
    with pytest.raises(TokenRefused):
        tokens.recognise(engine, value, later)
    with read_session(engine) as session:
        assert tokens.own(session, user, later) == [] or end in (by_password, by_rights)


@pytest.mark.parametrize("value", ["", "grd_", "x" * 47, "grd_" + "A" * 43])
def test_what_is_no_token_opens_nothing(engine: Engine, value: str) -> None:
    make(engine, make_candidate(engine, "Ada"))
    with pytest.raises(TokenRefused):
        tokens.recognise(engine, value, NOON)


def test_a_token_is_for_its_scopes_and_for_what_its_user_may(engine: Engine) -> None:
    caller = tokens.recognise(engine, make(engine, interviewer(engine), "review")[1], NOON)
    tokens.require(caller, "review")
    with pytest.raises(ScopeMissing, match="practice"):
        tokens.require(caller, "practice")
    caller.user.is_interviewer = False  # as the database would tell in the next moment
    with pytest.raises(ScopeMissing, match="review"):
        tokens.require(caller, "review")


@pytest.mark.parametrize(
    ("name", "scopes", "days"),
    [
        ("", ("practice",), 90),
        ("x" * 61, ("practice",), 90),
        ("a\u202eb", ("practice",), 90),
        ("ok", ("review",), 90),
        ("ok", ("admin",), 90),
        ("ok", ("practice", "admin"), 90),
        ("ok", (), 90),
        ("ok", ("practice",), 0),
        ("ok", ("practice",), DAYS_MAX + 1),
    ],
)
def test_a_token_that_cannot_be_is_not_made(engine: Engine, name: str, scopes: tuple[str, ...], days: int) -> None:
    ada = make_candidate(engine, "Ada")
    with pytest.raises(UserError), write_session(engine) as session:
        tokens.make(session, ada, name, scopes, days, NOON)
    with read_session(engine) as session:
        assert session.scalars(select(ApiToken)).all() == []


def test_ended_tokens_make_room(engine: Engine) -> None:
    ada = make_candidate(engine, "Ada")
    for _ in range(TOKENS_MAX):
        make(engine, ada, days=1)
    with pytest.raises(UserError, match="revoke one"):
        make(engine, ada)
    with write_session(engine) as session:
        tokens.make(session, ada, "later", ["practice"], 90, NOON + timedelta(days=2))
    with read_session(engine) as session:
        assert [row.name for row in tokens.own(session, ada, NOON + timedelta(days=2))] == ["later"]


def test_nobody_ends_anothers_token(engine: Engine) -> None:
    row, value = make(engine, make_candidate(engine, "Ada"))
    eve = make_candidate(engine, "Eve")
    with pytest.raises(NotFound), write_session(engine) as session:
        tokens.revoke(session, eve, row.public_id, NOON)
    assert tokens.recognise(engine, value, NOON).user.name == "Ada"


def test_use_is_written_down_now_and_then(engine: Engine) -> None:
    ada = make_candidate(engine, "Ada")
    _, value = make(engine, ada)
    seen = []
    for minutes in (1, 2, 5, 7):
        tokens.recognise(engine, value, after(minutes))
        with read_session(engine) as session:
            seen.append(tokens.own(session, ada, NOON)[0].last_used_at)
    assert seen == [after(1), after(1), after(1), after(7)]
