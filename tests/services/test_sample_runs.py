"""A source runs on the samples alone, from the queue of the submissions; it counts for nothing."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest
import yaml
from sqlalchemy import Engine, select

from grader.errors import NotFound, UserError
from grader.grading.verdict import Reason, Verdict
from grader.problems.cache import CaseCache
from grader.sandbox.pool import Lane, Pool
from grader.services import attempts, sample_runs
from grader.services.attempts import AttemptClosed, TooManyWaiting
from grader.services.judging import Judging
from grader.services.packages import Packages
from grader.services.sample_run_view import Difference, SampleRunView, view
from grader.services.sample_runs import RunResult
from grader.store import queries, sample_run_queries
from grader.store.models import Attempt, SampleRun, Submission, User
from grader.store.session import read_session, write_session
from tests.processes import wait_until
from tests.services.made import NOON, after, make_attempt, make_candidate, make_submission
from tests.services.tiny_package import HIDDEN, RIGHT, SLUG, WRONG, write_package

FAILING = yaml.safe_load((Path(__file__).parent / "sample_runs.yaml").read_text())
DONE = RunResult(Verdict.AC, None, None, '{"import_prints": "", "cases": []}')


@pytest.fixture
def ada(engine: Engine) -> User:
    return make_candidate(engine)


@pytest.fixture
def attempt(engine: Engine, packages: Packages, ada: User) -> Attempt:
    return make_attempt(engine, packages, ada)


def start(
    engine: Engine, packages: Packages, user: User, attempt: Attempt, source: bytes = WRONG, now: datetime = NOON
) -> SampleRun:
    with write_session(engine) as session:
        return sample_runs.start(session, user, attempt.public_id, source, packages, now)


def finish(engine: Engine, run: SampleRun) -> bool:
    return sample_runs.write_result(engine, run.id, DONE, after(1))


def shown(engine: Engine, user: User, attempt: Attempt, ordinal: int) -> SampleRunView:
    with read_session(engine) as session:
        return view(sample_run_queries.sample_run_of(session, user, attempt.public_id, ordinal))


def test_a_result_is_written_once(engine: Engine, packages: Packages, ada: User, attempt: Attempt) -> None:
    run = start(engine, packages, ada, attempt)
    assert finish(engine, run)
    assert not sample_runs.write_result(engine, run.id, RunResult(Verdict.WA, Reason.WRONG_VALUES, "no", "{}"), NOON)
    assert shown(engine, ada, attempt, 1).verdict is Verdict.AC


def test_the_last_five_are_kept(engine: Engine, packages: Packages, ada: User, attempt: Attempt) -> None:
    for _ in range(7):
        finish(engine, start(engine, packages, ada, attempt))
    with read_session(engine) as session:
        assert list(session.scalars(select(SampleRun.ordinal).order_by(SampleRun.id))) == [3, 4, 5, 6, 7]
        newest = sample_run_queries.newest_sample_run(session, attempt)
        assert newest is not None
        assert newest.ordinal == 7


def test_two_wait_at_a_time_over_all_attempts(engine: Engine, packages: Packages, ada: User, attempt: Attempt) -> None:
    first = start(engine, packages, ada, attempt)
    other = make_attempt(engine, packages, ada, "other")
    start(engine, packages, ada, other)
    with pytest.raises(TooManyWaiting, match="2 of your sample runs still wait"):
        start(engine, packages, ada, attempt)
    eve = make_candidate(engine, "Eve")
    start(engine, packages, eve, make_attempt(engine, packages, eve))
    finish(engine, first)
    assert start(engine, packages, ada, attempt).ordinal == 2


def test_another_candidates_run_is_not_found(engine: Engine, packages: Packages, ada: User, attempt: Attempt) -> None:
    start(engine, packages, ada, attempt)
    eve = make_candidate(engine, "Eve")
    mine = make_attempt(engine, packages, eve)
    with read_session(engine) as session:
        for user, address in ((eve, attempt), (eve, mine), (ada, mine)):
            with pytest.raises(NotFound):
                sample_run_queries.sample_run_of(session, user, address.public_id, 1)
    with pytest.raises(NotFound):
        start(engine, packages, eve, attempt)


def test_nothing_runs_after_giving_up(engine: Engine, packages: Packages, ada: User, attempt: Attempt) -> None:
    with write_session(engine) as session:
        attempts.give_up(session, ada, attempt.public_id, NOON)
    with pytest.raises(AttemptClosed):
        start(engine, packages, ada, attempt)


def test_a_problem_without_samples_has_nothing_to_run(engine: Engine, packages: Packages, ada: User) -> None:
    problem = packages.named(SLUG)
    text = problem.files.text("problem.yaml").replace("  - {name: samples, points: 0, cases: [sample_format]}\n", "")
    write_package(packages._root, problem=text)
    bare = Packages(packages._root)
    assert sample_runs.has_samples(problem)
    assert not sample_runs.has_samples(bare.named(SLUG))
    with pytest.raises(AttemptClosed, match="no samples"):
        start(engine, bare, ada, make_attempt(engine, bare, ada))


@pytest.fixture
def judging(engine: Engine, pool: Pool, packages: Packages) -> Iterator[Judging]:
    judging = Judging(engine, pool, CaseCache(None), packages)
    yield judging
    judging.close()


def are_judged(engine: Engine) -> bool:
    with read_session(engine) as session:
        return not queries.unjudged(session, SampleRun) and not queries.unjudged(session, Submission)


@pytest.mark.sandbox
def test_runs_are_judged_beside_submissions_and_count_for_nothing(
    engine: Engine, judging: Judging, packages: Packages, ada: User, attempt: Attempt
) -> None:
    left_over = start(engine, packages, ada, attempt, RIGHT)  # nobody was told of it: it is found at the start
    make_submission(engine, ada, attempt, WRONG)
    judging.start()
    with write_session(engine) as session:
        run = sample_runs.start(session, ada, attempt.public_id, WRONG, packages, NOON)
        judging.dispatch(session, run)
    assert wait_until(lambda: are_judged(engine))
    assert shown(engine, ada, attempt, left_over.ordinal).verdict is Verdict.AC
    assert shown(engine, ada, attempt, run.ordinal).verdict is Verdict.WA
    with read_session(engine) as session:
        found = queries.attempt_of(session, ada, attempt.public_id)
        assert (found.best_score, found.solved_at, found.points) == (0.0, None, 0.0)
        assert [row.ordinal for row in queries.submissions_in(session, attempt)] == [1]


@pytest.mark.sandbox
def test_a_run_that_is_rolled_back_is_never_queued(
    engine: Engine, judging: Judging, packages: Packages, ada: User, attempt: Attempt
) -> None:
    def fail() -> None:
        with write_session(engine) as session:
            judging.dispatch(session, sample_runs.start(session, ada, attempt.public_id, RIGHT, packages, NOON))
            raise UserError("no")

    with pytest.raises(UserError):
        fail()
    assert judging._queue.empty()


def judged(engine: Engine, packages: Packages, ada: User, attempt: Attempt, lane: Lane, source: bytes) -> SampleRunView:
    run = start(engine, packages, ada, attempt, source)
    result = sample_runs.judge_row(engine, run.id, lane, CaseCache(None), packages)
    assert result is not None
    assert sample_runs.write_result(engine, run.id, result, after(1))
    assert sample_runs.judge_row(engine, run.id, lane, CaseCache(None), packages) is None
    return shown(engine, ada, attempt, run.ordinal)


@pytest.mark.sandbox
def test_values_stand_in_full_beside_the_expected_ones(
    engine: Engine, packages: Packages, ada: User, attempt: Attempt, lane: Lane
) -> None:
    run = judged(engine, packages, ada, attempt, lane, b"def twice(x):\n    return x * 2 + [0, 1 / 3]\n")
    [sample] = run.samples
    [output] = sample.outputs
    assert (sample.name, sample.verdict, run.agreeing) == ("sample_format", Verdict.WA, 0)
    assert (output.name, output.shape, output.differing, output.size) == ("y", "(2,)", 1, 2)
    assert output.differences == (Difference("[1]", "4.333333333333333", "4.0"),)
    assert (output.returned, output.expected) == (
        "y = np.array([2.0, 4.333333333333333])",
        "y = np.array([2.0, 4.0])",
    )
    assert not [word for word in (*HIDDEN, "secret") if word in repr(run)]


@pytest.mark.sandbox
@pytest.mark.parametrize("case", FAILING, ids=[case["words"] for case in FAILING])
def test_what_goes_wrong_is_told(
    engine: Engine, packages: Packages, ada: User, attempt: Attempt, lane: Lane, case: dict[str, str]
) -> None:
    run = judged(engine, packages, ada, attempt, lane, case["source"].encode())
    assert (run.verdict, run.samples[0].verdict) == (case["verdict"], case["verdict"])
    assert case["words"] in run.message


@pytest.mark.sandbox
def test_a_source_that_is_too_large_is_told(
    engine: Engine, packages: Packages, ada: User, attempt: Attempt, lane: Lane
) -> None:
    run = judged(engine, packages, ada, attempt, lane, b"#" * ((1 << 20) + 1))
    assert (run.verdict, "larger than 1 MiB" in run.message) == (Verdict.CE, True)


@pytest.mark.sandbox
def test_prints_are_bounded_and_made_visible(
    engine: Engine, packages: Packages, ada: User, attempt: Attempt, lane: Lane
) -> None:
    source = b"print('imported\\x1b[31m')\ndef twice(x):\n    print('y' * 50000)\n    return x * 2\n"
    run = judged(engine, packages, ada, attempt, lane, source)
    assert run.import_prints == "imported\\x1b[31m\n"
    assert run.samples[0].prints == "y" * sample_runs.PRINTS_MAX


@pytest.mark.sandbox
def test_a_huge_answer_is_told_by_its_shape(
    engine: Engine, packages: Packages, ada: User, attempt: Attempt, lane: Lane
) -> None:
    source = b"import numpy as np\ndef twice(x):\n    return np.zeros((500, 500))\n"
    run = judged(engine, packages, ada, attempt, lane, source)
    assert run.samples[0].outputs[0].returned == "# y: float64, shape (500, 500), not written out"


@pytest.mark.sandbox
def test_a_package_that_cannot_be_read_is_our_fault(
    engine: Engine, packages: Packages, ada: User, attempt: Attempt, lane: Lane, caplog: pytest.LogCaptureFixture
) -> None:
    write_package(packages._root, cases="def sample_format(rng):\n    return 1\n")
    broken = Packages(packages._root)
    eve = make_candidate(engine, "Eve")
    run = judged(engine, broken, eve, make_attempt(engine, broken, eve), lane, RIGHT)
    assert (run.verdict, run.samples) == (Verdict.JE, ())
    assert "not your fault" in run.message
    assert "sample_format" in caplog.text
