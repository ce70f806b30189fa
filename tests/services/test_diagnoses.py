"""A diagnosis is given once, before the first submission, and compared with what was planted when all is over."""

from __future__ import annotations

import threading

import pytest
from sqlalchemy import Engine

from grader.errors import NotFound, UserError
from grader.problems.loader import load_named
from grader.services import attempts, diagnoses, feedback
from grader.services.attempts import AttemptClosed
from grader.services.diagnoses import DiagnosisView, outcome_of, planted_stages
from grader.services.packages import Packages
from grader.store import queries
from grader.store.models import Attempt, User
from grader.store.session import read_session, write_session
from tests.packages import SHIPPED
from tests.services.made import NOON, after, make_attempt, make_candidate, make_submission
from tests.services.tiny_package import SLUG


@pytest.fixture
def ada(engine: Engine) -> User:
    return make_candidate(engine)


@pytest.fixture
def attempt(engine: Engine, packages: Packages, ada: User) -> Attempt:
    return make_attempt(engine, packages, ada)


def diagnose(engine: Engine, packages: Packages, user: User, attempt: Attempt, stage: str) -> None:
    with write_session(engine) as session:
        diagnoses.diagnose(session, user, attempt.public_id, stage, packages, NOON)


def seen(engine: Engine, packages: Packages, ada: User, attempt: Attempt) -> DiagnosisView:
    with read_session(engine) as session:
        row = queries.attempt_of(session, ada, attempt.public_id)
        return diagnoses.diagnosis(session, row, packages.named(SLUG), feedback.of(session, row, after(10)))


def give_up(engine: Engine, ada: User, attempt: Attempt) -> None:
    with write_session(engine) as session:
        attempts.give_up(session, ada, attempt.public_id, NOON)


def test_what_was_planted_is_told_when_the_attempt_is_over(
    engine: Engine, packages: Packages, ada: User, attempt: Attempt
) -> None:
    assert seen(engine, packages, ada, attempt) == DiagnosisView(True, ("output",), False, None, (), None)
    diagnose(engine, packages, ada, attempt, "output")
    assert seen(engine, packages, ada, attempt) == DiagnosisView(False, ("output",), True, "output", (), None)
    give_up(engine, ada, attempt)
    over = DiagnosisView(False, ("output",), True, "output", ("output",), "right")
    assert seen(engine, packages, ada, attempt) == over


def test_not_knowing_is_a_diagnosis(engine: Engine, packages: Packages, ada: User, attempt: Attempt) -> None:
    diagnose(engine, packages, ada, attempt, "unknown")
    give_up(engine, ada, attempt)
    assert seen(engine, packages, ada, attempt) == DiagnosisView(False, ("output",), True, None, ("output",), "unknown")


@pytest.mark.parametrize("before", ["diagnosed", "submitted", "given up"])
def test_it_is_closed_after(engine: Engine, packages: Packages, ada: User, attempt: Attempt, before: str) -> None:
    if before == "diagnosed":
        diagnose(engine, packages, ada, attempt, "unknown")
    elif before == "submitted":
        make_submission(engine, ada, attempt)
    else:
        give_up(engine, ada, attempt)
    assert not seen(engine, packages, ada, attempt).is_open
    with pytest.raises(AttemptClosed, match="given once, before the first submission"):
        diagnose(engine, packages, ada, attempt, "output")


def test_of_requests_at_one_time_one_counts(engine: Engine, packages: Packages, ada: User, attempt: Attempt) -> None:
    together = threading.Barrier(4)
    refused: list[str] = []

    def give(stage: str) -> None:
        together.wait()
        try:
            diagnose(engine, packages, ada, attempt, stage)
        except AttemptClosed:
            refused.append(stage)

    stages = ["output", "unknown"] * 2
    threads = [threading.Thread(target=give, args=(stage,)) for stage in stages]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(refused) == 3
    assert seen(engine, packages, ada, attempt).is_given


@pytest.mark.parametrize("stage", ["", "weights", "Output", "output ", "x" * 5000, "\0"])
def test_only_a_stage_of_the_problem_can_be_named(
    engine: Engine, packages: Packages, ada: User, attempt: Attempt, stage: str
) -> None:
    with pytest.raises(UserError, match="Choose one of the stages"):
        diagnose(engine, packages, ada, attempt, stage)
    assert seen(engine, packages, ada, attempt).is_open


def test_nobody_elses_attempt_is_diagnosed(engine: Engine, packages: Packages, attempt: Attempt) -> None:
    with pytest.raises(NotFound):
        diagnose(engine, packages, make_candidate(engine), attempt, "output")


@pytest.mark.parametrize(
    ("own", "outcome"), [("scores", "right"), ("weights", "one_of"), ("keys", "wrong"), (None, "unknown")]
)
def test_the_earliest_of_several_planted_stages_is_right(own: str | None, outcome: str) -> None:
    planted = planted_stages(load_named("heads-never-mix", SHIPPED), "practice")
    assert planted == ("scores", "weights", "output")
    assert outcome_of(own, planted) == outcome
