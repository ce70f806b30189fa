"""Names are one whatever their case; rights and deletion leave the service an admin."""

from __future__ import annotations

import pytest
from sqlalchemy import Engine

from grader.errors import NotFound, UserError
from grader.services import accounts, sessions
from grader.services.accounts import NameTaken
from grader.store.models import User
from grader.store.session import read_session, write_session
from tests.services.made import NOON, make_candidate


def make_admin(engine: Engine, name: str) -> User:
    with write_session(engine) as session:
        return accounts.add(session, name, None, NOON, is_admin=True)


def test_a_name_is_taken_whatever_its_case(engine: Engine) -> None:
    make_candidate(engine, "Ada Lovelace")
    for other in ("ada lovelace", "ADA  LOVELACE", " Ada\tLovelace "):
        with pytest.raises(NameTaken, match="is taken; choose another"):
            make_candidate(engine, other)


def test_renaming_keeps_the_account_and_refuses_a_taken_name(engine: Engine) -> None:
    ada = make_candidate(engine, "Ada")
    make_candidate(engine, "Eve")
    with write_session(engine) as session:
        accounts.rename(session, ada, "ADA", NOON)
    with pytest.raises(NameTaken), write_session(engine) as session:
        accounts.rename(session, ada, "eve", NOON)
    with read_session(engine) as session:
        found = accounts.named(session, "ada")
    assert (found.id, found.name) == (ada.id, "ADA")


def test_rights_change_and_end_the_sessions_of_the_user(engine: Engine) -> None:
    make_admin(engine, "Root")
    ada = make_candidate(engine, "Ada")
    with write_session(engine) as session:
        token = sessions.begin(session, ada, "Firefox", NOON, is_kept=True)
    with write_session(engine) as session:
        changed = accounts.set_rights(session, ada, NOON, is_interviewer=True, is_admin=None)
    assert (changed.is_interviewer, changed.is_admin, changed.epoch) == (True, False, 2)
    with read_session(engine) as session:
        assert sessions.recognise(session, token, NOON) is None


def test_the_last_admin_stays_one(engine: Engine) -> None:
    root, ada = make_admin(engine, "Root"), make_admin(engine, "Ada")
    with write_session(engine) as session:
        accounts.set_rights(session, ada, NOON, is_interviewer=None, is_admin=False)
    for change in (
        lambda session: accounts.set_rights(session, root, NOON, is_interviewer=None, is_admin=False),
        lambda session: accounts.remove(session, root, NOON),
    ):
        with pytest.raises(UserError, match="only admin"), write_session(engine) as session:
            change(session)


def test_who_is_alone_may_go(engine: Engine) -> None:
    root = make_admin(engine, "Root")
    with write_session(engine) as session:
        accounts.remove(session, root, NOON)
    with pytest.raises(NotFound), read_session(engine) as session:
        accounts.named(session, "Root")
