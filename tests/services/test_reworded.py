"""Answers are told by the question as it was put, and choices by what they say, on SQLite and PostgreSQL."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from sqlalchemy import Engine, select, update

from grader.problems.cache import CaseCache
from grader.sandbox.pool import Pool
from grader.services import attempts, feedback, followups, own_data, packets, progress, rejudge_versions
from grader.services.followups import Reworded
from grader.services.packages import Packages
from grader.services.question_views import ChoiceView, QuestionView, digest_of
from grader.services.rejudge_versions import AnswersLeft
from grader.store import queries, rejudge_queries
from grader.store.interview_models import Invitation
from grader.store.models import Attempt, FollowUpAnswer
from grader.store.session import read_session, write_session
from tests.services.made import after, make_attempt, make_candidate
from tests.services.rejudging import CORRECTED, SOURCES, Room
from tests.services.reviewing import END
from tests.services.tiny_package import write_package

CASES: Final[list[dict[str, Any]]] = yaml.safe_load(Path(__file__).with_name("reworded.yaml").read_text())
OWN: Final = "own words on the first question"
ANSWERS: Final = {"first": OWN, "pick": "1"}
RELEASES: Final = ["this", "earlier"]


def changed(text: str, change: dict[str, str]) -> str:
    for old, new in change.items():
        assert text.count(old) == 1
        text = text.replace(old, new)
    return text


def forget(engine: Engine) -> None:
    """Leave answers as the release before stored them."""
    with write_session(engine) as session:
        session.execute(update(FollowUpAnswer).values(question=None, choice=None))


@pytest.fixture
def room(engine: Engine, pool: Pool, cache: CaseCache, packages: Packages, tmp_path: Path) -> Room:
    """Return an interview whose candidate has answered on the package that will be corrected."""
    room = Room(engine, pool, cache, packages, tmp_path)
    room.set_up()
    room.hand_in(room.attempts[0], *SOURCES)
    with write_session(engine) as session:
        for question, text in ANSWERS.items():
            args = room.candidates[0], room.attempts[0].public_id, question, text, packages, after(70)
            followups.answer(session, *args)
    return room


def correct(room: Room, change: dict[str, str]) -> None:
    text = (room.root / "wrong" / "twice" / "interview.yaml").read_text()
    room.corrected = room.version("reworded", **CORRECTED, interview=changed(text, change))


def views(room: Room) -> tuple[QuestionView, ChoiceView]:
    with read_session(room.engine) as session:
        attempt = queries.attempt_of(session, room.candidates[0], room.attempts[0].public_id)
        found = followups.follow_ups(session, attempt, room.packages, feedback.of(session, attempt, END))
    assert found is not None
    assert found.earlier == ()
    return found.questions[0], found.choices[0]


@pytest.mark.sandbox
@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_an_answer_is_told_as_it_was_given(room: Room, case: dict[str, Any], release: str) -> None:
    if release == "earlier":
        forget(room.engine)
    correct(room, case["change"])
    rejudge = room.previewed()
    with read_session(room.engine) as session:
        found = rejudge_queries.rejudge_of(session, room.lead, rejudge.public_id)
        left = rejudge_versions.answers_left(session, found, room.packages)
    assert left == AnswersLeft(**case.get("left", {}))
    room.applied()
    question, choice = views(room)
    assert (question.own, question.asked) == (OWN, case.get("first"))
    told = {"own": choice.own, "taken": choice.taken} | ({"asked": choice.asked} if choice.asked else {})
    assert told == case["pick"]
    told_to_interviewers(room, case)
    told_to_its_owner(room)


def told_to_interviewers(room: Room, case: dict[str, Any]) -> None:
    """Compare what review page and packet tell, which have no multiple choice but answers that lost their place."""
    with read_session(room.engine) as session:
        place = session.get_one(Invitation, room.attempts[0].invitation_id)
        packet = packets.packet(session, room.lead, room.interview.public_id, place.public_id, room.packages, END)
    page = packet.attempts[0].page
    assert page.questions[0].asked == case.get("first")
    gone = [("pick", "three", True)] if case["pick"]["taken"] is None else []
    assert [(one.id, one.text, one.is_asked) for one in page.earlier_answers] == gone


def told_to_its_owner(room: Room) -> None:
    document = json.loads("".join(own_data.export(room.engine, room.candidates[0], room.packages, END)))
    answers = document["attempts"][0]["answers"]
    assert [(one["question"], one["question_as_put"], one["answer"], one["choice"]) for one in answers] == [
        ("first", "canary question one?", OWN, None),
        ("pick", "canary question three?", "1", "three"),
    ]


@pytest.mark.sandbox
def test_an_undone_rejudge_leaves_answers_as_they_were(room: Room) -> None:
    correct(room, {"canary question one?": "What is one?", "[two, three]": "[three, two]", "correct: 0": "correct: 1"})
    applied = room.applied()
    assert views(room)[1].taken == 0
    room.undone(applied)
    question, choice = views(room)
    assert (question.asked, choice.taken) == (None, 1)


def opened(engine: Engine, packages: Packages) -> Attempt:
    ada = make_candidate(engine)
    attempt = make_attempt(engine, packages, ada)
    with write_session(engine) as session:
        return attempts.give_up(session, ada, attempt.public_id, after(5))


@pytest.mark.parametrize(
    ("question", "text", "change"),
    [
        ("first", OWN, {"canary question one?": "What is one?"}),
        ("pick", "1", {"[two, three]": "[three, two]"}),
        ("pick", "1", {"canary question three?": "Which one is it?"}),
    ],
)
def test_an_answer_to_other_words_than_were_read_is_not_taken(
    engine: Engine, packages: Packages, problems: Path, question: str, text: str, change: dict[str, str]
) -> None:
    attempt = opened(engine, packages)
    interview = changed((problems / "twice" / "interview.yaml").read_text(), change)
    write_package(problems.parent / "other", interview=interview)
    spec = Packages(problems.parent / "other").named("twice").interview
    read = {one.id: digest_of(one) for one in spec.follow_ups} | {
        one.id: digest_of(one) for one in spec.multiple_choice
    }
    with read_session(engine) as session:
        candidate = session.get_one(Attempt, attempt.id).candidate
    args = candidate, attempt.public_id, question, text, packages, after(6)
    with pytest.raises(Reworded), write_session(engine) as session:
        followups.answer(session, *args, digest=read[question])
    with read_session(engine) as session:
        assert session.scalars(select(FollowUpAnswer)).all() == []


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize(
    ("change", "counted"),
    [
        ({}, (1, 1)),
        ({"[two, three]": "[three, two]", "correct: 0": "correct: 1"}, (1, 1)),
        ({"correct: 0": "correct: 1"}, (1, 0)),
        ({"[two, three]": "[twice, three]"}, (0, 0)),
    ],
)
def test_progress_counts_a_choice_by_what_it_says(
    engine: Engine, packages: Packages, problems: Path, release: str, change: dict[str, str], counted: tuple[int, int]
) -> None:
    attempt = opened(engine, packages)
    with write_session(engine) as session:
        candidate = session.get_one(Attempt, attempt.id).candidate
        followups.answer(session, candidate, attempt.public_id, "pick", "0", packages, after(6))
    if release == "earlier":
        forget(engine)
    write_package(problems, interview=changed((problems / "twice" / "interview.yaml").read_text(), change))
    with read_session(engine) as session:
        answered = progress.overview(session, candidate, Packages(problems), after(10)).answered
    assert (answered.taken, answered.right) == counted
