"""Of two rejudges of the same attempts one waits for the other, on SQLite and PostgreSQL."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import pytest
from sqlalchemy import Engine, select

from grader.problems.cache import CaseCache
from grader.sandbox.pool import Pool
from grader.services import rejudge, rejudge_work
from grader.services.interview_settings import Chosen
from grader.services.packages import Packages
from grader.services.refusals import NotNow
from grader.services.rejudge import State
from grader.store.interview_models import Rejudge, RejudgedAttempt
from grader.store.models import Attempt, Package
from grader.store.session import read_session, write_session
from tests.processes import wait_until
from tests.services.beside import is_held_up
from tests.services.interviewing import begin, make_interview, make_interviewer, make_invitations
from tests.services.made import NOON, after, make_candidate
from tests.services.rejudging import SOURCES, Room
from tests.services.tiny_package import WRONG

pytestmark = pytest.mark.sandbox
OLD: Final = [("WA", 0.0), ("AC", 100.0), ("WA", 0.0)]


@pytest.fixture
def room(engine: Engine, pool: Pool, cache: CaseCache, packages: Packages, tmp_path: Path) -> Room:
    room = Room(engine, pool, cache, packages, tmp_path)
    room.set_up()
    room.hand_in(room.attempts[0], *SOURCES)
    room.hand_in(room.attempts[1], WRONG)
    return room


@pytest.fixture
def third(room: Room) -> Package:
    return room.version("third", statement="Third.\n")


def created(room: Room, old: Package, new: Package) -> Rejudge:
    with write_session(room.engine) as session:
        made = rejudge.create(session, room.lead, room.interview.public_id, old.sha256, new.sha256, room.packages, NOON)
    room.work()
    return made


def apply(room: Room, found: Rejudge) -> None:
    with write_session(room.engine) as session:
        rejudge.apply(session, room.lead, found.public_id, room.packages, after(40))


def undo(room: Room, found: Rejudge) -> None:
    with write_session(room.engine) as session:
        rejudge.undo(session, room.lead, found.public_id, room.packages, after(50))


def refusal(ask: Callable[[Room, Rejudge], None], room: Room, found: Rejudge) -> str:
    with pytest.raises(NotNow) as refused:
        ask(room, found)
    return refused.value.message


def waits_for(old: Package, new: Package, done: str) -> str:
    return (
        f"Judging again from version {old.sha256[:12]} to {new.sha256[:12]} is being {done} at this moment; wait until "
        "that is done."
    )


def states(room: Room, *found: Rejudge) -> list[State]:
    with read_session(room.engine) as session:
        return [rejudge.preview(session, room.lead, each.public_id, 1).state for each in found]


def versions(room: Room) -> list[int]:
    with read_session(room.engine) as session:
        return list(session.scalars(select(Attempt.package_id).order_by(Attempt.id)))


def test_of_two_previews_of_a_version_one_is_applied_and_the_other_previewed_again(room: Room, third: Package) -> None:
    first, second = created(room, room.wrong, room.corrected), created(room, room.wrong, third)
    apply(room, first)
    assert refusal(apply, room, second) == waits_for(room.wrong, room.corrected, "applied")
    room.work()
    assert refusal(apply, room, second) == (
        "2 attempts were judged again with another version since the preview; preview again."
    )
    assert states(room, first, second) == [State.APPLIED, State.READY]
    room.undone(first)
    assert room.results() == OLD


def test_what_is_being_undone_is_waited_for_as_well(room: Room, third: Package) -> None:
    first, second = created(room, room.wrong, room.corrected), created(room, room.wrong, third)
    apply(room, first)
    room.work()
    undo(room, first)
    assert refusal(apply, room, second) == waits_for(room.wrong, room.corrected, "undone")
    room.work()
    apply(room, second)
    room.work()
    assert versions(room) == [third.id, third.id]


def test_a_version_is_not_left_while_it_is_judged_on(room: Room, third: Package) -> None:
    first = room.applied()
    second = created(room, room.corrected, third)
    apply(room, second)
    assert refusal(undo, room, first) == waits_for(room.corrected, third, "applied")
    room.work()
    room.undone(second)
    room.undone(first)
    assert room.results() == OLD


def test_a_version_is_not_judged_on_while_it_is_left(room: Room, third: Package) -> None:
    first = room.applied()
    second = created(room, room.corrected, third)
    undo(room, first)
    assert refusal(apply, room, second) == waits_for(room.wrong, room.corrected, "undone")
    room.work()
    assert states(room, first, second) == [State.UNDONE, State.READY]
    assert room.results() == OLD


def test_of_two_at_the_same_moment_one_is_refused(room: Room, third: Package) -> None:
    found = [created(room, room.wrong, room.corrected), created(room, room.wrong, third)]
    start = threading.Barrier(2)
    refused: list[str] = []

    def ask(each: Rejudge) -> None:
        start.wait()
        try:
            apply(room, each)
        except NotNow as error:
            refused.append(error.message)

    at_once(ask, found)
    assert len(refused) == 1
    assert refused[0] in (waits_for(room.wrong, new, "applied") for new in (room.corrected, third))
    assert sorted(states(room, *found)) == [State.APPLYING, State.READY]


def at_once(ask: Callable[[Rejudge], None], found: Sequence[Rejudge]) -> None:
    threads = [threading.Thread(target=ask, args=(each,)) for each in found]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_another_interview_waits_for_nothing(room: Room) -> None:
    first = created(room, room.wrong, room.corrected)
    room.interview = make_interview(
        room.engine, room.packages, room.lead, problems=(Chosen(room.wrong.sha256, "only"),)
    )
    (invited,) = make_invitations(room.engine, room.lead, room.interview, "Eve")
    room.hand_in(begin(room.engine, invited.token, make_candidate(room.engine, "eve"), NOON), WRONG)
    second = created(room, room.wrong, room.corrected)
    apply(room, first)
    apply(room, second)
    room.work()
    assert states(room, first, second) == [State.APPLIED, State.APPLIED]
    assert versions(room) == [room.corrected.id] * 3


def test_everybodys_attempts_wait_for_those_of_an_interview(room: Room, third: Package) -> None:
    admin = make_interviewer(room.engine, "Ada", is_admin=True)
    with write_session(room.engine) as session:
        wide = rejudge.create(session, admin, None, room.wrong.sha256, third.sha256, room.packages, NOON)
    apply(room, room.previewed())
    with pytest.raises(NotNow) as refused, write_session(room.engine) as session:
        rejudge.apply(session, admin, wide.public_id, room.packages, after(41))
    assert refused.value.message == waits_for(room.wrong, room.corrected, "applied")


def test_an_attempt_that_was_moved_before_it_could_be_locked_is_left_alone(room: Room, third: Package) -> None:
    found = room.previewed()
    apply(room, found)
    mover = threading.Thread(
        target=lambda: rejudge_work.move(room.engine, found.id, lambda session, row: None, after(41))
    )
    with write_session(room.engine) as session:
        session.get_one(Attempt, room.attempts[0].id).package_id = third.id
        session.flush()
        mover.start()
        assert wait_until(lambda: is_held_up(room.engine), 30)
    mover.join()
    room.work()
    assert versions(room) == [third.id, room.corrected.id]
    assert room.results() == [*OLD[:2], ("AC", 100.0)]
    with read_session(room.engine) as session:
        assert session.scalars(select(RejudgedAttempt.attempt_id)).all() == [room.attempts[1].id]
    room.undone(found)
    assert versions(room) == [third.id, room.wrong.id]
    assert room.results() == OLD
