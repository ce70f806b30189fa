"""Interviews of one candidate with a problem in common: one after the other, however they are started."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import Engine, delete, update

from grader.services import attempts, deadline, invitations, taking
from grader.services.candidate_stage import Stage
from grader.services.interview_settings import Chosen
from grader.services.packages import Packages
from grader.services.refusals import NotNow
from grader.services.taking import NotOpen, Taking
from grader.store.interview_models import Interview, Invitation
from grader.store.models import Attempt, User
from grader.store.session import read_session, write_session
from tests.services import starting
from tests.services.interviewing import begin, make_interview, make_interviewer, make_invitations
from tests.services.made import NOON, after, make_candidate
from tests.services.rejudging import accepted_version
from tests.services.test_interviews_at_once import together
from tests.services.tiny_package import RIGHT

SECOND = timedelta(seconds=1)


@dataclass
class Place:
    """Ada's place in an interview of an hour."""

    interview: Interview
    token: str
    id: str


@dataclass
class Desk:
    """Ada, and what she is invited to."""

    engine: Engine
    packages: Packages
    lead: User
    ada: User
    places: list[Place] = field(default_factory=list)

    def invite(self, title: str, **settings: object) -> Place:
        interview = make_interview(self.engine, self.packages, self.lead, title=title, **settings)
        (invited,) = make_invitations(self.engine, self.lead, interview, "Ada L.")
        with write_session(self.engine) as session:
            place = taking.accept(session, self.ada, invited.token, NOON)
        self.places.append(Place(interview, invited.token, place.public_id))
        return self.places[-1]

    def start(self, place: Place, now: datetime = NOON) -> Invitation:
        with write_session(self.engine) as session:
            return taking.start(session, self.ada, place.id, self.packages, now)

    def end(self, place: Place, now: datetime) -> None:
        with write_session(self.engine) as session:
            taking.end(session, self.ada, place.id, self.packages, now)

    def extend(self, place: Place, now: datetime) -> None:
        with write_session(self.engine) as session:
            ids = place.interview.public_id, place.id
            invitations.extend(session, self.lead, *ids, "10", "a fire drill", now, is_confirmed=True)

    def seen(self, place: Place, now: datetime) -> Taking:
        with read_session(self.engine) as session:
            return taking.taking(session, self.ada, place.id, now)

    def forget(self) -> None:
        """Let nothing be started any more."""
        with write_session(self.engine) as session:
            session.execute(delete(Attempt))
            session.execute(update(Invitation).values(started_at=None, ends_at=None, ended_at=None))


@pytest.fixture
def desk(engine: Engine, packages: Packages) -> Desk:
    return Desk(engine, packages, make_interviewer(engine, "Lea"), make_candidate(engine, "Ada"))


@pytest.fixture
def make_version(desk: Desk, tmp_path: Path) -> Callable[[str], str]:
    """Return what uploads a version of a private package and returns its hash."""

    def make(name: str) -> str:
        return accepted_version(desk.engine, desk.packages, desk.lead, tmp_path / name, statement=f"{name}.\n").sha256

    return make


def test_the_second_waits_until_the_first_is_over(desk: Desk) -> None:
    first, second = desk.invite("First round"), desk.invite("Second \u202eround")
    desk.start(first)
    assert desk.seen(second, after(1)).stage is Stage.READY
    assert (beside := desk.seen(second, after(1)).beside) is not None
    assert beside.public_id == first.id
    with pytest.raises(NotOpen) as refused:
        desk.start(second, after(60))
    assert refused.value.status == 409
    assert refused.value.message == (
        "You are taking “First round” until 01 Mar 2026 13:00 UTC, which has a problem of this interview too; "
        "finish it or end it early, then start this one."
    )
    assert desk.seen(second, after(60) + SECOND).beside is None
    assert desk.start(second, after(60) + SECOND).started_at == after(60) + SECOND


def test_an_early_end_lets_the_other_begin(desk: Desk) -> None:
    first, second = desk.invite("First round"), desk.invite("Second round")
    desk.start(second)
    with pytest.raises(NotOpen, match="You are taking “Second round”"):
        desk.start(first, after(1))
    desk.end(second, after(2))
    assert desk.seen(first, after(2)).beside is None
    assert desk.start(first, after(2)).started_at == after(2)


def test_other_problems_are_taken_side_by_side(desk: Desk, make_version: Callable[[str], str]) -> None:
    first = desk.invite("First round")
    second = desk.invite("Second round", problems=(Chosen(make_version("one"), "only"),))
    desk.start(first)
    assert desk.seen(second, after(1)).beside is None
    assert desk.start(second, after(1)).started_at == after(1)


def test_another_version_is_the_same_problem(desk: Desk, make_version: Callable[[str], str]) -> None:
    first, second = (
        desk.invite(f"Round with {name}", problems=(Chosen(make_version(name), "only"),)) for name in ("one", "two")
    )
    desk.start(first)
    with pytest.raises(NotOpen, match="You are taking “Round with one”"):
        desk.start(second, after(1))


def test_others_start_what_they_like(desk: Desk) -> None:
    desk.start(desk.invite("First round"))
    desk.ada = make_candidate(desk.engine, "Eve")
    assert desk.start(desk.invite("Second round"), after(1)).started_at == after(1)


def test_what_runs_side_by_side_already_goes_on(desk: Desk) -> None:
    places = [desk.invite("First round"), desk.invite("Second round")]
    for place in places:
        attempt = begin(desk.engine, place.token, desk.ada, NOON)
        with write_session(desk.engine) as session:
            attempts.submit(session, desk.ada, attempt.public_id, RIGHT, after(1))
    assert [desk.start(place, after(2)).started_at for place in places] == [NOON, NOON]
    assert [desk.seen(place, after(2)).stage for place in places] == [Stage.RUNNING] * 2
    desk.end(places[0], after(3))
    assert deadline.close_due(desk.engine, desk.packages, lambda session, row: None, after(61)) == 1


def test_no_end_is_taken_back_while_the_other_runs(desk: Desk) -> None:
    first, second = desk.invite("First round"), desk.invite("Second round")
    desk.start(first)
    desk.end(first, after(1))
    desk.start(second, after(2))
    with pytest.raises(NotNow) as refused:
        desk.extend(first, after(3))
    assert refused.value.message == (
        "Ada L. is taking another interview with one of these problems until 01 Mar 2026 13:02 UTC; give more time "
        "when that is over."
    )
    desk.extend(second, after(3))
    desk.end(second, after(4))
    desk.extend(first, after(5))
    assert desk.seen(first, after(5)).stage is Stage.RUNNING


def test_of_a_start_and_more_time_at_once_one_is_had(desk: Desk) -> None:
    first, second = desk.invite("First round"), desk.invite("Second round")

    def one_of_both(which: int) -> None:
        if which == 0:
            desk.extend(first, after(2))
        else:
            desk.start(second, after(2))

    for _ in range(10):
        desk.start(first)
        desk.end(first, after(1))
        assert together(2, one_of_both) in (["NotNow", "done"], ["NotOpen", "done"])
        desk.forget()


def test_of_starts_at_once_one_counts(desk: Desk) -> None:
    places = [desk.invite(f"Round {number}") for number in range(4)]
    for _ in range(5):
        assert together(4, lambda which: desk.start(places[which])) == ["NotOpen"] * 3 + ["done"]
        desk.forget()


def test_of_starts_in_two_processes_one_counts(desk: Desk, database_url: str, problems: Path) -> None:
    places = [desk.invite("First round"), desk.invite("Second round")]
    processes = [starting.start(database_url, problems, desk.ada.id) for _ in places]
    try:
        for _ in range(10):
            for process, place in zip(processes, places, strict=True):
                assert process.stdin
                process.stdin.write(f"{place.id}\n")
                process.stdin.flush()
            told = [process.stdout.readline().strip() for process in processes if process.stdout]
            assert sorted(told) == [starting.REFUSED, starting.STARTED]
            desk.forget()
            places.reverse()
    finally:
        for process in processes:
            process.communicate(timeout=30)
