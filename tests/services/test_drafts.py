"""What the editor holds is kept: the newest wins, whoever saved it."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest
from sqlalchemy import Engine

from grader.errors import NotFound
from grader.services import attempts, drafts
from grader.services.attempts import AttemptClosed
from grader.services.drafts import DraftTooLarge
from grader.services.packages import Packages
from grader.store import queries
from grader.store.models import Attempt, User
from grader.store.session import read_session, write_session
from tests.services.made import NOON, after, make_attempt, make_candidate, make_submission
from tests.services.tiny_package import SLUG


@pytest.fixture
def ada(engine: Engine) -> User:
    return make_candidate(engine)


@pytest.fixture
def attempt(engine: Engine, packages: Packages, ada: User) -> Attempt:
    return make_attempt(engine, packages, ada)


def save(engine: Engine, user: User, attempt: Attempt, text: bytes, minutes: float, seen: datetime | None) -> bool:
    with write_session(engine) as session:
        nowhere = Packages(Path())  # a draft in practice asks for no package
        return drafts.save(session, user, attempt.public_id, text, seen, nowhere, after(minutes)).is_unseen


def editable(engine: Engine, packages: Packages, user: User, attempt: Attempt) -> str:
    with read_session(engine) as session:
        found = queries.attempt_of(session, user, attempt.public_id)
        return drafts.editable_source(session, found, packages.named(SLUG))


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        (b"mine = 1\n", "mine = 1\n"),
        (b"\xef\xbb\xbfmine = 1\n", "mine = 1\n"),
        (b"\0", None),
        (b"\xff", None),
    ],
)
def test_the_editor_begins_with_the_last_text_or_the_starter(
    engine: Engine, packages: Packages, ada: User, attempt: Attempt, source: bytes, shown: str | None
) -> None:
    starter = packages.named(SLUG).starter("only")
    assert editable(engine, packages, ada, attempt) == starter
    make_submission(engine, ada, attempt, source)
    assert editable(engine, packages, ada, attempt) == (shown or starter)


def test_the_newer_one_of_draft_and_submission_is_edited(
    engine: Engine, packages: Packages, ada: User, attempt: Attempt
) -> None:
    save(engine, ada, attempt, b"draft one", 1, None)
    assert editable(engine, packages, ada, attempt) == "draft one"
    make_submission(engine, ada, attempt, b"submission", minutes=2)
    assert editable(engine, packages, ada, attempt) == "submission"
    save(engine, ada, attempt, b"draft two", 3, after(1))
    assert editable(engine, packages, ada, attempt) == "draft two"
    make_submission(engine, ada, attempt, b"\xff no text", minutes=4)
    assert editable(engine, packages, ada, attempt) == "draft two"


def test_an_older_draft_takes_no_newer_ones_place(
    engine: Engine, packages: Packages, ada: User, attempt: Attempt
) -> None:
    save(engine, ada, attempt, b"zero", 1, None)
    save(engine, ada, attempt, b"newer", 3, after(1))
    assert not save(engine, ada, attempt, b"older, and later here", 2, after(1))
    assert editable(engine, packages, ada, attempt) == "newer"


def test_what_was_typed_on_top_of_a_draft_is_newer_whatever_the_clocks_say(
    engine: Engine, packages: Packages, ada: User, attempt: Attempt
) -> None:
    save(engine, ada, attempt, b"one", 3, None)
    assert not save(engine, ada, attempt, b"two, by a machine whose clock is late", 2, after(3))
    assert editable(engine, packages, ada, attempt) == "two, by a machine whose clock is late"
    assert not save(engine, ada, attempt, b"three", 4, after(3) + datetime.resolution)


def test_a_draft_that_nobody_there_saw_is_told(engine: Engine, ada: User, attempt: Attempt) -> None:
    assert not save(engine, ada, attempt, b"one", 1, None)
    assert not save(engine, ada, attempt, b"two", 2, after(1))
    assert not save(engine, ada, attempt, b"two", 3, None)  # the same text is no loss
    assert save(engine, ada, attempt, b"three", 4, after(1))
    assert save(engine, ada, attempt, b"four", 5, None)


def test_a_draft_is_bounded(engine: Engine, packages: Packages, ada: User, attempt: Attempt) -> None:
    largest = b"#" * drafts.BYTES_MAX
    save(engine, ada, attempt, largest, 1, None)
    with pytest.raises(DraftTooLarge):
        save(engine, ada, attempt, largest + b"#", 2, after(1))
    assert editable(engine, packages, ada, attempt) == largest.decode()


def test_nothing_is_saved_for_others_or_after_giving_up(engine: Engine, ada: User, attempt: Attempt) -> None:
    with pytest.raises(NotFound):
        save(engine, make_candidate(engine, "Eve"), attempt, b"", 1, None)
    with write_session(engine) as session:
        attempts.give_up(session, ada, attempt.public_id, NOON)
    with pytest.raises(AttemptClosed):
        save(engine, ada, attempt, b"", 1, None)
