"""What is applied is what was previewed: whatever has changed meanwhile is asked for again."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import Engine, select

from grader.problems.cache import CaseCache
from grader.sandbox.pool import Pool
from grader.services import rejudge, taking, uploads
from grader.services.interview_settings import Chosen
from grader.services.packages import Packages
from grader.services.refusals import NotNow
from grader.services.rejudge import State
from grader.store.interview_models import InterviewProblem, Rejudge
from grader.store.models import Attempt, Package
from grader.store.session import read_session, write_session
from tests.services.interviewing import make_interview, make_invitations
from tests.services.made import NOON, after, make_candidate
from tests.services.rejudging import CORRECTED, SOURCES, Room

pytestmark = pytest.mark.sandbox
ONLY = "  only: {starter: starters/only.py, planted: [thrice]}\n"
OTHER = "  other: {starter: starters/other.py, planted: [thrice]}\n"


@pytest.fixture
def room(engine: Engine, pool: Pool, cache: CaseCache, packages: Packages, tmp_path: Path) -> Room:
    room = Room(engine, pool, cache, packages, tmp_path)
    room.set_up()
    room.hand_in(room.attempts[0], *SOURCES)
    return room


def without(room: Room, variant: str) -> Package:
    """Upload a corrected version that lacks a variant."""
    text = (room.root / "wrong" / "twice" / "problem.yaml").read_text()
    return room.version(f"without {variant[2:7]}", problem=text.replace(variant, ""), **CORRECTED)


def previewed(room: Room, old: Package, new: Package) -> Rejudge:
    with write_session(room.engine) as session:
        found = rejudge.create(
            session, room.lead, room.interview.public_id, old.sha256, new.sha256, room.packages, NOON
        )
    room.work()
    return found


def refusal(room: Room, found: Rejudge) -> str:
    """Return why a preview is not applied, once it is sure that it stays as it is and nothing was moved."""
    with pytest.raises(NotNow) as refused, write_session(room.engine) as session:
        rejudge.apply(session, room.lead, found.public_id, room.packages, after(40))
    room.work()
    with read_session(room.engine) as session:
        assert rejudge.preview(session, room.lead, found.public_id, 1).state is State.READY
    return refused.value.message


def test_a_variant_that_was_drawn_since_is_asked_for_again(room: Room) -> None:
    found = previewed(room, room.wrong, new := without(room, OTHER))
    with write_session(room.engine) as session:  # one of those who start meanwhile
        session.get_one(Attempt, room.attempts[1].id).variant = "other"
    message = refusal(room, found)
    assert message == (
        f"Attempts are given the variant other, which version {new.sha256[:12]} lacks; preview with a version that has "
        "it."
    )
    assert [version for _, _, version in room.reached()] == ["wrong", "wrong"]


def test_a_variant_that_later_attempts_are_given_is_asked_for(room: Room) -> None:
    elsewhere = make_interview(room.engine, room.packages, room.lead, problems=(Chosen(room.wrong.sha256, "other"),))
    new = without(room, OTHER)
    with write_session(room.engine) as session, pytest.raises(NotNow, match="the variant other"):
        rejudge.create(session, room.lead, elsewhere.public_id, room.wrong.sha256, new.sha256, room.packages, NOON)


def test_a_version_that_was_retired_since_is_not_applied(room: Room) -> None:
    found = room.previewed()
    with write_session(room.engine) as session:
        uploads.set_retired(session, room.lead, room.corrected.sha256, NOON, is_retired=True)
    assert refusal(room, found) == (
        f"Version {room.corrected.sha256[:12]} was retired since the preview; preview again with another one."
    )
    with write_session(room.engine) as session:
        uploads.set_retired(session, room.lead, room.corrected.sha256, NOON, is_retired=False)
    with write_session(room.engine) as session:
        rejudge.apply(session, room.lead, found.public_id, room.packages, after(41))


def test_what_another_rejudge_moved_since_is_previewed_again(room: Room) -> None:
    third = room.version("third", statement="Third.\n")
    late = previewed(room, room.wrong, third)
    room.applied()
    assert refusal(room, late) == ("1 attempt was judged again with another version since the preview; preview again.")


def test_an_old_version_that_lacks_what_was_chosen_since_stays_away(room: Room) -> None:
    text = (room.root / "wrong" / "twice" / "problem.yaml").read_text()
    more = room.version(
        "more", problem=text.replace(OTHER, f"{OTHER}{OTHER.replace('other:', 'third:', 1)}"), **CORRECTED
    )
    planned = make_interview(room.engine, room.packages, room.lead, problems=(Chosen(room.wrong.sha256, None),))
    room.interview = planned
    (invited,) = make_invitations(room.engine, room.lead, planned, "Eve")
    eve = make_candidate(room.engine, "eve")
    with write_session(room.engine) as session:
        place = taking.accept(session, eve, invited.token, NOON)
        started = taking.start(session, eve, place.public_id, room.packages, NOON)
        attempt = session.scalars(select(Attempt).filter_by(invitation_id=started.id)).one()
    room.hand_in(attempt, *SOURCES)
    found = previewed(room, room.wrong, more)
    with write_session(room.engine) as session:
        rejudge.apply(session, room.lead, found.public_id, room.packages, after(40))
    room.work()
    with write_session(room.engine) as session:
        row = session.scalars(select(InterviewProblem).filter_by(interview_id=planned.id)).one()
        row.variant = "third"
    with pytest.raises(NotNow, match="the variant third"), write_session(room.engine) as session:
        rejudge.undo(session, room.lead, found.public_id, room.packages, after(41))
