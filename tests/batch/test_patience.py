"""How a command waits for its database: it asks again, says so once, and knows that others have to find it again."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator

import pytest
from sqlalchemy.exc import OperationalError, ProgrammingError

from grader.batch.disk import Halted
from grader.batch.patience import Left, Patience

AWAY = OperationalError("SELECT 1", None, Exception("the connection is lost"))


def failing(times: int) -> Callable[[], str]:
    """Return an act that a lost connection ends so many times."""
    errors: Iterator[OperationalError] = iter([AWAY] * times)

    def act() -> str:
        if error := next(errors, None):
            raise error
        return "done"

    return act


def test_a_database_that_is_away_is_asked_again_and_told_once() -> None:
    told: list[str] = []
    with contextlib.closing(Patience(told.append)) as patience:
        assert patience.do(failing(2)) == "done"
    assert told == ["The database does not answer; waiting for it."]


@pytest.mark.parametrize("times", [0, 1])
def test_what_was_away_is_just_back_and_not_away_any_more(times: int) -> None:
    with contextlib.closing(Patience(lambda text: None)) as patience:
        patience.do(failing(times))
        assert (patience.is_away, patience.is_just_back) == (False, times > 0)


def test_who_is_stopped_does_not_wait_for_one_that_is_away() -> None:
    with contextlib.closing(Patience(lambda text: None, lambda: True)) as patience:
        with pytest.raises(Left):
            patience.do(failing(1))
        assert patience.is_away


def test_one_that_does_not_come_back_in_time_halts() -> None:
    with contextlib.closing(Patience(lambda text: None)) as patience, pytest.raises(Halted):
        patience.do(failing(1000), lost_s=0.0)


def test_one_that_never_answers_halts() -> None:
    thawed = threading.Event()
    with contextlib.closing(Patience(lambda text: None)) as patience:
        with pytest.raises(Halted):
            patience.do(thawed.wait, lost_s=0.0)
        thawed.set()


def test_what_the_database_refuses_is_our_own_mistake() -> None:
    error = ProgrammingError("SELEC 1", None, Exception("syntax error"))

    def act() -> None:
        raise error

    with contextlib.closing(Patience(lambda text: None)) as patience, pytest.raises(ProgrammingError):
        patience.do(act)
