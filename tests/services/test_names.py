"""Names can be read without a doubt, and no two of them can be taken for each other."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Engine, update

from grader.services import accounts
from grader.services.accounts import NameTaken
from grader.services.names import UnusableName, look_of, name_key, name_keys, own_name, tidy_name
from grader.store.models import NAME_KEY_LENGTH, NAME_LOOK_LENGTH, User
from grader.store.session import read_session, write_session
from tests.services.made import NOON, make_candidate

NAMES: Final[dict[str, Any]] = yaml.safe_load((Path(__file__).parents[1] / "data" / "names.yaml").read_text())
REFUSED: Final = [(name, words) for words, names in NAMES["refused"].items() for name in names]


@pytest.mark.parametrize(("typed", "stored"), NAMES["stored"])
def test_names_are_tidied(typed: str, stored: str) -> None:
    assert tidy_name(typed) == stored


@pytest.mark.parametrize(("name", "words"), [*REFUSED, ("\ud800", "do not show"), ("x" * 100_000, "more than 60")])
def test_names_that_leave_a_doubt_are_refused_with_why(name: str, words: str) -> None:
    with pytest.raises(UnusableName, match=words):
        tidy_name(name)


@pytest.mark.parametrize("name", NAMES["reserved"])
def test_nobody_names_themselves_like_who_runs_the_service(name: str) -> None:
    with pytest.raises(UnusableName, match="looks like one of those who run this service"):
        own_name(name)


@pytest.mark.parametrize("name", NAMES["free"])
def test_names_that_only_hold_such_a_word_are_free(name: str) -> None:
    assert own_name(name) == name


def test_only_an_admin_is_renamed_to_such_a_name(engine: Engine) -> None:
    with write_session(engine) as session:
        root = accounts.add(session, "Root", None, NOON, is_admin=True)
    ada = make_candidate(engine, "Ada")
    with pytest.raises(UnusableName, match="who run this service"), write_session(engine) as session:
        accounts.rename(session, ada, "Support", NOON)
    with write_session(engine) as session:
        accounts.rename(session, root, "Support", NOON)
    with read_session(engine) as session:
        assert accounts.named(session, "support").id == root.id


@given(st.text(max_size=70))
def test_what_is_stored_is_stored_as_it_is_and_fits(text: str) -> None:
    try:
        name = tidy_name(text)
    except UnusableName:
        return
    assert tidy_name(name) == name
    assert name_keys(name)[-1] == name_keys(text)[-1] == name_key(name)
    assert len(name_key(name)) <= NAME_KEY_LENGTH
    assert len(look_of(name)) <= NAME_LOOK_LENGTH


@pytest.mark.parametrize("longest", ["\u00df" * 60, "\u1f87" * 60])  # folds to two letters each; a letter, three marks
def test_every_name_fits_into_the_store(engine: Engine, longest: str) -> None:
    made = make_candidate(engine, longest)
    assert len(made.name_key) <= NAME_KEY_LENGTH
    assert len(made.name_look or "") <= NAME_LOOK_LENGTH


@pytest.mark.parametrize(("first", "second"), NAMES["alike"])
def test_a_name_that_looks_like_one_is_taken(engine: Engine, first: str, second: str) -> None:
    make_candidate(engine, first)
    with pytest.raises(NameTaken, match=r"or one that looks like it, is taken; choose another one\.$"):
        make_candidate(engine, second)


@pytest.mark.parametrize(("first", "second"), NAMES["apart"])
def test_names_that_differ_to_the_eye_are_two(engine: Engine, first: str, second: str) -> None:
    assert make_candidate(engine, first).id != make_candidate(engine, second).id


def test_nobody_is_renamed_to_what_looks_like_another_name(engine: Engine) -> None:
    make_candidate(engine, "ABC")
    eve = make_candidate(engine, "Eve")
    with pytest.raises(NameTaken), write_session(engine) as session:
        accounts.rename(session, eve, "\u0410\u0412\u0421", NOON)


def test_the_look_of_a_deleted_account_is_free(engine: Engine) -> None:
    ada = make_candidate(engine, "ABC")
    with write_session(engine) as session:
        accounts.remove(session, ada, NOON)
    assert make_candidate(engine, "\u0410\u0412\u0421").name == "\u0410\u0412\u0421"


def test_a_name_that_an_older_release_took_is_still_found_before_what_it_means_now(engine: Engine) -> None:
    wide, plain = make_candidate(engine, "someone"), make_candidate(engine, "Ada")
    given = {"name": "\uff21da", "name_key": name_key("\uff21da"), "name_look": None}
    with write_session(engine) as session:
        session.execute(update(User).where(User.id == wide.id).values(**given))
    with read_session(engine) as session:
        assert accounts.named(session, "\uff21da").id == wide.id
        assert accounts.named(session, "\uff41da").id == wide.id
        assert accounts.named(session, "Ada").id == plain.id
        assert accounts.named(session, "A\uff44a").id == plain.id
