"""Names are one whatever their case; rights and deletion leave the service an admin."""

from __future__ import annotations

import pytest
from sqlalchemy import Engine

from grader.errors import NotFound, UserError
from grader.services import accounts, sessions
from grader.services.accounts import NameTaken, UnusableName
from grader.store.models import User
from grader.store.session import read_session, write_session
from tests.services.made import NOON, make_candidate


def make_admin(engine: Engine, name: str) -> User:
    with write_session(engine) as session:
        return accounts.add(session, name, None, NOON, is_admin=True)


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ("  Ada   Lovelace\t", "Ada Lovelace"),
        ("Zoe\u0308", "Zo\u00eb"),
        ("李四", "李四"),
        ("<b>", "<b>"),
        ("x" * 60, "x" * 60),
    ],
)
def test_names_are_tidied(given: str, stored: str) -> None:
    assert accounts.tidy_name(given) == stored


@pytest.mark.parametrize(
    "name", ["", " \t\n", "x" * 61, "a\x00b", "a\u202eb", "a\x1b[31m", "a\u200bb", "\ud800", "x" * 100_000]
)
def test_unusable_names_are_refused(name: str) -> None:
    with pytest.raises(UnusableName):
        accounts.tidy_name(name)


def test_every_name_fits_into_the_store(engine: Engine) -> None:
    longest = make_candidate(engine, "\ufb03" * 60)  # folds to three letters each
    assert len(longest.name_key) == 180


def test_a_name_is_taken_whatever_its_case(engine: Engine) -> None:
    make_candidate(engine, "Ada Lovelace")
    for other in ("ada lovelace", "ADA  LOVELACE", " Ada\tLovelace "):
        with pytest.raises(NameTaken, match="is taken; choose another"):
            make_candidate(engine, other)


@pytest.mark.parametrize(
    ("one", "same"), [("Straße", "STRASSE"), ("Zo\u00eb", "ZOE\u0308"), ("\u0390", "\u03b9\u0308\u0301")]
)
def test_folding_is_more_than_lower_case(one: str, same: str) -> None:
    assert accounts.name_key(accounts.tidy_name(one)) == accounts.name_key(accounts.tidy_name(same))


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
