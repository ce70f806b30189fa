"""Answers and rubric points from before judging again, on SQLite and PostgreSQL: none is lost, none is told wrongly."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest
from sqlalchemy import Engine, update

from grader.problems.cache import CaseCache
from grader.sandbox.pool import Pool
from grader.services import feedback, followups, packets, rejudge_versions, review_page, reviews
from grader.services.earlier_package import EarlierAnswer
from grader.services.packages import Packages
from grader.services.rejudge_versions import AnswersLeft
from grader.services.review_page import ReviewPage
from grader.store import queries, rejudge_queries, review_queries
from grader.store.interview_models import Invitation
from grader.store.models import Attempt, FollowUpAnswer, Package, User
from grader.store.session import read_session, write_session
from tests.services.made import after
from tests.services.rejudging import CORRECTED, SOURCES, Room
from tests.services.reviewing import END, draft, make_member

pytestmark = pytest.mark.sandbox

RUBRIC: Final = "    rubric: [canary rubric]\n"
OLD_RUBRIC: Final = "    rubric: [names the test, names the axis, names the line]\n"
NEW_RUBRIC: Final = "    rubric: [names the line, says why]\n"
ANSWERS: Final = {
    "first": "own words on the first question",
    "second": "own words on the second question",
    "pick": "1",
    "nowhere": "own words on a question of nobody",
}


@pytest.fixture
def room(engine: Engine, pool: Pool, cache: CaseCache, packages: Packages, tmp_path: Path) -> Room:
    """Return an interview whose corrected package has other questions and another rubric."""
    room = Room(engine, pool, cache, packages, tmp_path)
    room.set_up()
    text = (room.root / "wrong" / "twice" / "interview.yaml").read_text()
    old = room.version("old", statement="Old.\n", interview=text.replace(RUBRIC, OLD_RUBRIC))
    new = text.replace(RUBRIC, NEW_RUBRIC).replace("id: second", "id: third").replace("id: pick", "id: choose")
    room.wrong, room.corrected = old, room.version("new", **CORRECTED, interview=new)
    with write_session(engine) as session:
        session.execute(update(Attempt).values(package_id=old.id))
        for problem in room.interview.problems:
            session.merge(problem).package_id = old.id
        session.add_all(
            FollowUpAnswer(attempt_id=room.attempts[0].id, question_id=key, text=words, created_at=after(number))
            for number, (key, words) in enumerate(ANSWERS.items(), 61)
        )
    room.hand_in(room.attempts[0], *SOURCES)
    return room


def page(room: Room, user: User) -> ReviewPage:
    with read_session(room.engine) as session:
        reviewed = review_queries.attempt_reviewed(session, user, room.attempts[0].public_id)
        return review_page.review_page(session, user, reviewed, room.packages, None)


def finish(room: Room, user: User, *positions: int, at: datetime = END) -> None:
    points = tuple(("first", position) for position in positions)
    with write_session(room.engine) as session:
        reviews.finish(session, user, room.attempts[0].public_id, draft(points=points), 0, room.packages, at)


def told(answers: Iterable[EarlierAnswer]) -> list[tuple[str, str | None, str | None, str]]:
    return [(answer.id, answer.level, answer.question, answer.text) for answer in answers]


LEFT: Final = [
    ("second", "L3", "canary question two?", ANSWERS["second"]),
    ("pick", None, "canary question three?", "three"),
    ("nowhere", None, None, ANSWERS["nowhere"]),
]


def test_nothing_is_left_behind_before_judging_again(room: Room) -> None:
    found = page(room, room.lead)
    assert told(found.earlier_answers) == LEFT[2:]
    answers = [(one.id, one.answer.text if one.answer else None) for one in found.questions]
    assert answers == [("first", ANSWERS["first"]), ("second", ANSWERS["second"])]


def test_reviewers_read_answers_that_the_new_package_does_not_ask_for(room: Room) -> None:
    room.applied()
    found = page(room, room.lead)
    assert told(found.earlier_answers) == LEFT
    answers = [(one.id, one.answer.text if one.answer else None) for one in found.questions]
    assert answers == [("first", ANSWERS["first"]), ("third", None)]
    with read_session(room.engine) as session:
        place = session.get_one(Invitation, room.attempts[0].invitation_id)
        packet = packets.packet(session, room.lead, room.interview.public_id, place.public_id, room.packages, END)
    assert told(packet.attempts[0].page.earlier_answers) == LEFT


def test_the_candidate_reads_answers_that_are_not_asked_for_any_more(room: Room) -> None:
    room.applied()
    with read_session(room.engine) as session:
        attempt = queries.attempt_of(session, room.candidates[0], room.attempts[0].public_id)
        found = followups.follow_ups(session, attempt, room.packages, feedback.of(session, attempt, END))
    assert found is not None
    assert told(found.earlier) == LEFT
    assert ([one.own for one in found.questions], found.answered) == ([ANSWERS["first"], None], 1)
    assert [one.taken for one in found.choices] == [None]


def test_a_question_that_has_become_a_choice_takes_no_words_for_its_number(room: Room) -> None:
    text = (room.root / "new" / "twice" / "interview.yaml").read_text()
    room.corrected = room.version("swapped", **CORRECTED, interview=text.replace("id: choose", "id: second"))
    room.applied()
    with read_session(room.engine) as session:
        attempt = queries.attempt_of(session, room.candidates[0], room.attempts[0].public_id)
        found = followups.follow_ups(session, attempt, room.packages, feedback.of(session, attempt, END))
    assert found is not None
    assert (told(found.earlier), [one.taken for one in found.choices]) == (LEFT, [None])


def test_a_finished_review_is_told_by_its_rubric(room: Room) -> None:
    rita = make_member(room.engine, room.interview, "Rita")
    finish(room, rita, 0, 1, 2)
    room.applied()
    finish(room, room.lead, 0, 1, at=datetime.now(UTC))
    own = page(room, rita)
    assert (own.points_given, own.points_offered, own.earlier_points) == (3, 3, ("names the test", "names the axis"))
    assert [sorted(one.given) for one in own.questions] == [[0], []]  # the one sentence that both rubrics have
    (later,) = own.colleagues
    assert (len(later.points.points), later.points.offered, later.points.is_earlier) == (2, 2, False)
    (earlier,) = page(room, room.lead).colleagues
    assert (len(earlier.points.points), earlier.points.offered, earlier.points.is_earlier) == (3, 3, True)


def test_a_draft_keeps_the_points_that_both_rubrics_have(room: Room) -> None:
    with write_session(room.engine) as session:
        chosen = draft(None, points=(("first", 1), ("first", 2)))
        reviews.save(session, room.lead, room.attempts[0].public_id, chosen, 0, room.packages, END)
    room.applied()
    found = page(room, room.lead)
    assert (found.points_given, found.points_offered, found.points_stored) == (1, 2, ("first:0",))
    assert found.earlier_points == ("names the axis",)


def test_what_was_reviewed_before_an_undo_is_told_by_the_rubric_of_that_time(room: Room) -> None:
    rita = make_member(room.engine, room.interview, "Rita")
    applied = room.applied()
    finish(room, rita, 0, 1, at=datetime.now(UTC))
    room.undone(applied)
    found = page(room, rita)
    assert (found.points_given, found.points_offered, found.earlier_points) == (2, 2, ("says why",))
    assert told(found.earlier_answers) == LEFT[2:]


@pytest.mark.parametrize("name", ["new", "old"])
def test_a_preview_counts_the_answers_that_it_leaves_behind(room: Room, name: str) -> None:
    asked = (room.root / name / "twice" / "interview.yaml").read_text()
    room.corrected = room.version("other", **{**CORRECTED, "statement": "Other.\n"}, interview=asked)
    found = room.create()
    with read_session(room.engine) as session:
        rejudge = rejudge_queries.rejudge_of(session, room.lead, found.public_id)
        left = rejudge_versions.answers_left(session, rejudge, room.packages)
        assert left == AnswersLeft(gone={"new": 3, "old": 1}[name])


def test_an_earlier_version_that_cannot_be_read_leaves_the_questions_id(room: Room) -> None:
    room.applied()
    with write_session(room.engine) as session:
        session.execute(update(Package).where(Package.id == room.wrong.id).values(archive=b"damaged"))
    room.packages = Packages(room.root)
    assert told(page(room, room.lead).earlier_answers) == [
        ("second", None, None, ANSWERS["second"]),
        ("pick", None, None, "1"),
        LEFT[2],
    ]
