"""What a candidate sees: each setting at each moment, and nothing more in any view of a submission."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from sqlalchemy import Engine, update

from grader.grading.verdict import Verdict
from grader.services import candidate_view, diagnoses, feedback, followups, own_data
from grader.services.attempts import AttemptClosed
from grader.services.feedback import Feedback
from grader.services.judged_rows import write_result
from grader.services.packages import Packages
from grader.store import queries
from grader.store.interview_models import Interview, Invitation, Shown
from grader.store.models import Attempt, Submission, User
from grader.store.session import read_session, write_session
from tests.services.interviewing import begin, make_interview, make_interviewer, make_invitations
from tests.services.made import NOON, after, make_candidate, make_judgement, make_submission
from tests.services.tiny_package import AFTER_THE_ANSWER, AFTER_THE_ATTEMPT, HIDDEN, HINTS, NEVER, SLUG, WRONG

TABLE: Final[dict[str, Any]] = yaml.safe_load((Path(__file__).parents[1] / "data" / "feedback.yaml").read_text())
MOMENTS: Final[list[str]] = TABLE["moments"]
NOW: Final = {"running": after(30), "ended": after(70), "closed": after(100), "released": after(120)}
CLOSES: Final = after(90)


def seen(moment: str, **settings: object) -> Feedback:
    """Return what is open for who started at noon and had an hour, in an interview that closes after 90 minutes."""
    now, chosen = NOW[moment], {"verdicts": Shown.NEVER, "points": Shown.NEVER, "answers": Shown.NEVER} | settings
    interview = Interview(hint_level=2, closes_at=CLOSES, **chosen)
    interview.released_at = now if moment == "released" else None
    return feedback.visible(Attempt(), interview, Invitation(started_at=NOON, ends_at=after(60)), now)


CASES: Final = [
    (what, shown, moment, expected)
    for what in ("verdicts", "points", "answers")
    for shown, row in TABLE[what].items()
    for moment, expected in zip(MOMENTS, row, strict=True)
]


@pytest.mark.parametrize(("what", "shown", "moment", "expected"), CASES)
def test_each_setting_at_each_moment(what: str, shown: str, moment: str, expected: bool) -> None:
    found = seen(moment, **{what: Shown(shown)})
    assert getattr(found, {"verdicts": "verdict"}.get(what, what)) is expected
    assert [found.verdict, found.points, found.answers].count(True) == expected


@pytest.mark.parametrize("what", ["content", "questions", "is_open"])
def test_what_no_setting_changes(what: str) -> None:
    assert [getattr(seen(moment), what) for moment in MOMENTS] == TABLE[what]


def test_hints_go_as_far_as_the_interview_says_and_never_beyond_the_verdict() -> None:
    assert seen("running").hint_level == 0
    assert seen("running", verdicts=Shown.AT_ONCE).hint_level == 2
    assert seen("closed", verdicts=Shown.AT_ONCE, answers=Shown.AFTER_END).hint_level == 3


def test_a_window_without_an_end_closes_with_the_release() -> None:
    interview = Interview(hint_level=0, verdicts=Shown.NEVER, points=Shown.NEVER, answers=Shown.AFTER_END)
    invitation = Invitation(started_at=NOON, ends_at=after(60))
    for released_at, expected in ((None, False), (after(99), True)):
        interview.released_at = released_at
        found = feedback.visible(Attempt(), interview, invitation, after(100))
        assert (found.answers, found.content) == (expected, expected)


def test_an_archived_interview_is_one_that_nobody_starts() -> None:
    interview = Interview(hint_level=0, verdicts=Shown.NEVER, points=Shown.NEVER, answers=Shown.AFTER_END)
    invitation = Invitation(started_at=NOON, ends_at=after(60))
    for archived_at, expected in ((None, False), (after(99), True)):
        interview.archived_at = archived_at
        found = feedback.visible(Attempt(), interview, invitation, after(100))
        assert (found.answers, found.content) == (expected, expected)


class Scene:
    """A candidate with one wrong submission in an interview of an hour that closes after 90 minutes."""

    def __init__(self, engine: Engine, packages: Packages, **settings: object) -> None:
        self.engine, self.packages = engine, packages
        lead = make_interviewer(engine, "Lea")
        closed = {"verdicts": Shown.NEVER, "points": Shown.NEVER, "answers": Shown.NEVER, "closes_at": CLOSES}
        self.interview = make_interview(engine, packages, lead, **(closed | settings))
        self.ada: User = make_candidate(engine, "Ada")
        (invited,) = make_invitations(engine, lead, self.interview, "Ada L.")
        self.attempt = begin(engine, invited.token, self.ada, NOON)
        submission = make_submission(engine, self.ada, self.attempt, WRONG)
        write_result(engine, submission.id, make_judgement(Verdict.WA, ("thrice",), "output"), after(2))

    def release(self, now: datetime) -> None:
        with write_session(self.engine) as session:
            session.execute(update(Interview).values(released_at=now))

    def told(self, now: datetime) -> str:
        """Return everything that pages, lists and exports may use, as one text."""
        with read_session(self.engine) as session:
            submission = queries.submission_of(session, self.ada, self.attempt.public_id, 1)
            attempt, problem = submission.attempt, self.packages.named(SLUG)
            shown = feedback.of(session, attempt, now)
            found = followups.follow_ups(session, attempt, self.packages, shown)
            parts = [
                repr(asdict(candidate_view.view(submission, problem, shown))),
                repr(candidate_view.handed_in([submission], shown)),
                repr(diagnoses.diagnosis(session, attempt, problem, shown)),
                repr(asdict(found)) if found else "",
            ]
        return "\n".join([*parts, *own_data.export(self.engine, self.ada, self.packages, now)])

    def answer(self, question: str, text: str, now: datetime) -> None:
        with write_session(self.engine) as session:
            followups.answer(session, self.ada, self.attempt.public_id, question, text, self.packages, now)


def test_where_nothing_is_shown_nothing_tells_a_verdict(engine: Engine, packages: Packages) -> None:
    scene = Scene(engine, packages)
    told = scene.told(after(30))
    for word in ("WA", "wrong_values", "40.0", "'stage': 'output'", "thrice", "printed", *HIDDEN, *HINTS, *NEVER):
        assert word not in told
    for word in (*AFTER_THE_ATTEMPT, *AFTER_THE_ANSWER):
        assert word not in told


def test_a_verdict_without_points_tells_no_group(engine: Engine, packages: Packages) -> None:
    scene = Scene(engine, packages, verdicts=Shown.AT_ONCE)
    told = scene.told(after(30))
    assert "wrong_values" in told
    for word in ("40.0", "GroupView", "'groups': ({", *HIDDEN, *HINTS):
        assert word not in told


def test_points_without_a_verdict_tell_no_case(engine: Engine, packages: Packages) -> None:
    scene = Scene(engine, packages, points=Shown.AT_ONCE)
    told = scene.told(after(30))
    assert "'score': 40.0" in told
    assert "Verdict.WA" not in told
    assert "wrong_values" not in told


def test_our_fault_is_told_even_where_verdicts_are_not(engine: Engine, packages: Packages) -> None:
    scene = Scene(engine, packages)
    submission = make_submission(engine, scene.ada, scene.attempt, WRONG, 3)
    write_result(engine, submission.id, make_judgement(Verdict.JE), after(4))
    with read_session(engine) as session:
        row = queries.submission_of(session, scene.ada, scene.attempt.public_id, 2)
        shown = feedback.of(session, row.attempt, after(5))
        assert candidate_view.view(row, packages.named(SLUG), shown).verdict is Verdict.JE


def test_solving_opens_nothing_in_an_interview(engine: Engine, packages: Packages) -> None:
    scene = Scene(engine, packages)
    submission: Submission = make_submission(engine, scene.ada, scene.attempt, WRONG, 3)
    write_result(engine, submission.id, make_judgement(Verdict.AC), after(4))
    told = scene.told(after(5))
    assert "AC" not in told
    assert "canary" not in told


def test_questions_open_at_the_end_and_answers_later(engine: Engine, packages: Packages) -> None:
    scene = Scene(engine, packages, answers=Shown.AFTER_END)
    with pytest.raises(AttemptClosed, match="when your time in the interview is over"):
        scene.answer("first", "x" * 30, after(30))
    scene.answer("first", "x" * 30, after(70))
    scene.answer("pick", "1", after(70))
    told = scene.told(after(71))
    assert "canary question one" in told
    for word in (*AFTER_THE_ANSWER, "canary short", "canary hint", "canary old tests", "'correct': 0"):
        assert word not in told
    told = scene.told(CLOSES)
    assert "canary expected one" in told
    assert "canary solution" in told
    assert "canary expected two" not in told  # not answered


def test_answers_that_are_released_wait_for_the_release(engine: Engine, packages: Packages) -> None:
    scene = Scene(engine, packages, answers=Shown.WHEN_RELEASED)
    scene.answer("first", "x" * 30, after(70))
    assert "canary expected" not in scene.told(after(100))
    scene.release(after(100))
    assert "canary expected one" in scene.told(after(101))


def test_an_expected_answer_is_not_rated_before_it_is_open(engine: Engine, packages: Packages) -> None:
    scene = Scene(engine, packages, answers=Shown.NEVER)
    scene.answer("first", "x" * 30, after(70))
    with write_session(engine) as session, pytest.raises(AttemptClosed):
        followups.rate(session, scene.ada, scene.attempt.public_id, "first", "3", packages, after(71))


def test_who_handed_nothing_in_is_asked_nothing(engine: Engine, packages: Packages) -> None:
    lead = make_interviewer(engine, "Lea")
    ada = make_candidate(engine, "Ada")
    (invited,) = make_invitations(engine, lead, make_interview(engine, packages, lead), "Ada L.")
    attempt = begin(engine, invited.token, ada, NOON)
    with read_session(engine) as session:
        row = queries.attempt_of(session, ada, attempt.public_id)
        shown = feedback.of(session, row, after(60) + timedelta(seconds=1))
        assert shown.questions
        assert followups.follow_ups(session, row, packages, shown) is None
