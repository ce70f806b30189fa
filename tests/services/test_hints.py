"""Hints are told level by level, paid for once, and never before."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest
from sqlalchemy import Engine

from grader.attention.stage_invariants import STAGE_INVARIANTS
from grader.errors import NotFound, UserError
from grader.grading.verdict import Finding as JudgedFinding
from grader.grading.verdict import Verdict
from grader.problems.loader import Problem, load_named
from grader.services import attempts, candidate_view, feedback, hints
from grader.services.attempts import AttemptClosed
from grader.services.hints import Finding, ladder, visible_at
from grader.services.judged_rows import write_result
from grader.services.packages import Packages
from grader.store import queries
from grader.store.models import Attempt, User
from grader.store.session import read_session, write_session
from tests.packages import SHIPPED
from tests.services.made import NOON, after, make_attempt, make_candidate, make_judgement, make_submission
from tests.services.tiny_package import HINTS, NEVER, SLUG

ALL = Finding("weights", (("weights", "wrong"),), "trace", ("look here",), ("mask-late",), ("it is late",))
COSTS = (5.0, 10.0)


@pytest.fixture
def ada(engine: Engine) -> User:
    return make_candidate(engine)


@pytest.fixture
def attempt(engine: Engine, packages: Packages, ada: User) -> Attempt:
    return make_attempt(engine, packages, ada)


def judged(
    engine: Engine,
    ada: User,
    attempt: Attempt,
    faults: tuple[str, ...] = ("thrice",),
    stage: str | None = "output",
    verdict: Verdict = Verdict.WA,
) -> None:
    write_result(engine, make_submission(engine, ada, attempt).id, make_judgement(verdict, faults, stage), NOON)


def open_hint(engine: Engine, packages: Packages, user: User, attempt: Attempt, level: int, ordinal: int = 1) -> None:
    with write_session(engine) as session:
        hints.open_hint(session, user, attempt.public_id, ordinal, level, packages, NOON)


def paid(engine: Engine, ada: User, attempt: Attempt) -> tuple[int, float, float | None]:
    with read_session(engine) as session:
        row = queries.attempt_of(session, ada, attempt.public_id)
        return row.hint_level, row.hint_cost, row.points


@pytest.mark.parametrize(
    ("level", "shown"),
    [
        (0, Finding()),
        (1, Finding("weights", (("weights", "wrong"),), "trace")),
        (2, Finding("weights", (("weights", "wrong"),), "trace", ("look here",))),
        (3, ALL),
    ],
)
def test_each_level_opens_its_own_part(level: int, shown: Finding) -> None:
    assert visible_at(ALL, level) == shown


@pytest.mark.parametrize(
    ("finding", "level", "states"),
    [
        (ALL, 1, "open offered later"),
        (ALL, 2, "open open offered"),
        (ALL, 3, "open open open"),
        (ALL, 0, "offered later later"),
        (replace(ALL, symptoms=()), 1, "open nothing offered"),
        (replace(ALL, fault_texts=()), 1, "open offered nothing"),
        (replace(ALL, symptoms=(), fault_texts=()), 1, "open nothing nothing"),
        (Finding(symptoms=("look",)), 1, "nothing offered nothing"),
        (Finding(), 1, ""),
    ],
)
def test_only_what_there_is_is_offered(finding: Finding, level: int, states: str) -> None:
    assert " ".join(rung.state for rung in ladder(finding, level, COSTS)) == states
    assert [rung.cost for rung in ladder(finding, level, COSTS)] in ([], [0.0, 5.0, 10.0])


def test_a_level_costs_once_for_the_attempt(engine: Engine, packages: Packages, ada: User, attempt: Attempt) -> None:
    judged(engine, ada, attempt)
    judged(engine, ada, attempt)
    assert paid(engine, ada, attempt) == (1, 0.0, 40.0)
    open_hint(engine, packages, ada, attempt, 2)
    open_hint(engine, packages, ada, attempt, 2, ordinal=2)
    assert paid(engine, ada, attempt) == (2, 5.0, 35.0)
    open_hint(engine, packages, ada, attempt, 3, ordinal=2)
    assert paid(engine, ada, attempt) == (3, 15.0, 25.0)


def test_requests_at_one_time_pay_once(engine: Engine, packages: Packages, ada: User, attempt: Attempt) -> None:
    judged(engine, ada, attempt)
    together = threading.Barrier(4)
    failed: list[BaseException] = []

    def ask() -> None:
        try:
            together.wait()
            open_hint(engine, packages, ada, attempt, 2)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert paid(engine, ada, attempt) == (2, 5.0, 35.0)


def test_points_never_fall_below_nothing(engine: Engine, packages: Packages, ada: User, attempt: Attempt) -> None:
    judged(engine, ada, attempt)
    with write_session(engine) as session:
        queries.attempt_of(session, ada, attempt.public_id).best_score = 3.0
    open_hint(engine, packages, ada, attempt, 2)
    assert paid(engine, ada, attempt) == (2, 5.0, 0.0)


def test_the_hint_before_comes_first(engine: Engine, packages: Packages, ada: User, attempt: Attempt) -> None:
    judged(engine, ada, attempt)
    with pytest.raises(AttemptClosed, match=r"^Hint 2 comes before that one; open it first\. Nothing was charged\.$"):
        open_hint(engine, packages, ada, attempt, 3)
    assert paid(engine, ada, attempt) == (1, 0.0, 40.0)


@pytest.mark.parametrize(
    ("verdict", "faults", "stage"),
    [
        (Verdict.WA, (), None),
        (Verdict.WA, ("unheard-of",), "output"),  # the package has no text for it, and its layer is no standard one
        (Verdict.JE, (), None),
        (None, (), None),
    ],
)
def test_what_is_not_there_is_not_sold(
    engine: Engine,
    packages: Packages,
    ada: User,
    attempt: Attempt,
    verdict: Verdict | None,
    faults: tuple[str, ...],
    stage: str | None,
) -> None:
    if verdict is None:
        make_submission(engine, ada, attempt)
    else:
        judged(engine, ada, attempt, faults, stage, verdict)
    with pytest.raises(
        AttemptClosed, match=r"^There is no further hint for this submission, and nothing was charged\.$"
    ):
        open_hint(engine, packages, ada, attempt, 2)
    assert paid(engine, ada, attempt)[:2] == (1, 0.0)


def test_after_the_end_everything_is_open_and_free(
    engine: Engine, packages: Packages, ada: User, attempt: Attempt
) -> None:
    judged(engine, ada, attempt)
    with write_session(engine) as session:
        attempts.give_up(session, ada, attempt.public_id, NOON)
    open_hint(engine, packages, ada, attempt, 3)
    assert paid(engine, ada, attempt) == (1, 0.0, 40.0)
    assert shown(engine, packages, ada, attempt).finding.fault_texts == ("canary fault",)


def test_nobody_else_opens_a_hint(engine: Engine, packages: Packages, ada: User, attempt: Attempt) -> None:
    judged(engine, ada, attempt)
    with pytest.raises(NotFound):
        open_hint(engine, packages, make_candidate(engine), attempt, 2)
    with pytest.raises(NotFound):
        open_hint(engine, packages, ada, attempt, 2, ordinal=2)


@pytest.mark.parametrize("text", ["", "0", "4", "-1", "2.0", "٢", "x" * 5000])
def test_no_other_level_can_be_asked_for(text: str) -> None:
    with pytest.raises(UserError, match="There is no such hint"):
        hints.asked_level(text)


def shown(engine: Engine, packages: Packages, ada: User, attempt: Attempt) -> candidate_view.SubmissionView:
    with read_session(engine) as session:
        submission = queries.submission_of(session, ada, attempt.public_id, 1)
        shown = feedback.of(session, submission.attempt, after(10))
        return candidate_view.view(submission, packages.named(SLUG), shown)


@pytest.mark.parametrize(("level", "known"), [(0, 0), (1, 0), (2, 1), (3, 2)])
def test_the_view_holds_no_text_of_a_closed_level(
    engine: Engine, packages: Packages, ada: User, attempt: Attempt, level: int, known: int
) -> None:
    judged(engine, ada, attempt)
    with write_session(engine) as session:
        queries.attempt_of(session, ada, attempt.public_id).hint_level = level
    view = repr(shown(engine, packages, ada, attempt))
    assert [word in view for word in HINTS] == [number < known for number in range(2)]
    assert ("thrice" in view, "stage='output'" in view) == (level == 3, level >= 1)
    assert not [word for word in NEVER if word in view]


@pytest.fixture(scope="module")
def heads() -> Problem:
    return load_named("heads-never-mix", SHIPPED)


@pytest.mark.parametrize(
    ("found", "symptom", "fault"),
    [
        # an entry of faults.yaml; one of just this pair; one for each of two
        (JudgedFinding("…", "weights", ("softmax-over-queries",)), "Print the row sums", "runs over the query axis;"),
        (
            JudgedFinding("…", "weights", ("no-output-projection", "softmax-over-queries")),
            "Check the row sums of the weights first",
            "and the output projection is missing",
        ),
        # an alternative without an entry: what its stage must hold, and what the package says of it
        (
            JudgedFinding("…", "scores", ("odd",), fault_sentences=("It is odd.",)),
            STAGE_INVARIANTS["scores"],
            "It is odd.",
        ),
        (JudgedFinding("…", "weights", ()), STAGE_INVARIANTS["weights"], None),
        # a broken contract, which has a sentence and no stage
        (JudgedFinding("The outputs are swapped."), "The outputs are swapped.", None),
    ],
)
def test_texts_come_from_the_package(
    engine: Engine,
    ada: User,
    attempt: Attempt,
    heads: Problem,
    found: JudgedFinding,
    symptom: str,
    fault: str | None,
) -> None:
    judgement = replace(make_judgement(Verdict.WA), finding=found)
    write_result(engine, make_submission(engine, ada, attempt).id, judgement, NOON)
    with read_session(engine) as session:
        told = hints.finding_of(queries.submission_of(session, ada, attempt.public_id, 1), heads)
    assert [symptom in text for text in told.symptoms] == [True]
    assert [fault is not None and fault in text for text in told.fault_texts] == [True] * (fault is not None)


def test_every_standard_stage_has_an_invariant(heads: Problem) -> None:
    assert list(STAGE_INVARIANTS) == heads.spec.stages
