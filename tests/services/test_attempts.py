"""Attempts: started once, sources kept byte for byte, numbered without a race, closed by giving up."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import pytest
from sqlalchemy import Engine

from grader.errors import NotFound
from grader.grading.verdict import Verdict
from grader.services import attempts
from grader.services.attempts import AttemptClosed, TooManyWaiting
from grader.services.judged_rows import write_result
from grader.services.packages import Packages
from grader.store import queries
from grader.store.held import held
from grader.store.models import User
from grader.store.session import read_session, write_session
from tests.processes import wait_until
from tests.services.beside import is_held_up
from tests.services.made import NOON, after, make_attempt, make_candidate, make_judgement, make_submission
from tests.services.tiny_package import SLUG

STARTS: Final = 16  # of one candidate at once


def test_starting_again_continues_the_running_attempt(engine: Engine, packages: Packages) -> None:
    ada, bob = make_candidate(engine), make_candidate(engine)
    first = make_attempt(engine, packages, ada)
    assert make_attempt(engine, packages, ada).id == first.id
    assert make_attempt(engine, packages, ada, "other").id != first.id
    assert make_attempt(engine, packages, bob).id != first.id
    with write_session(engine) as session:
        attempts.give_up(session, ada, first.public_id, after(1))
    assert make_attempt(engine, packages, ada).id != first.id


def test_who_starts_many_times_at_once_has_one_attempt(engine: Engine, packages: Packages) -> None:
    make_attempt(engine, packages, make_candidate(engine))  # stores the package, which nobody waits for then
    ada = make_candidate(engine)
    with ThreadPoolExecutor(STARTS) as pool:
        with write_session(engine) as session:
            held(session, User, User.id == ada.id, for_removal=True)  # they all go on at one moment, when this ends
            asked = [pool.submit(make_attempt, engine, packages, ada) for _ in range(STARTS)]
            assert wait_until(lambda: is_held_up(engine), 30)
        led_to = [one.result().public_id for one in asked]
    with read_session(engine) as session:
        begun = [attempt.public_id for attempt, _ in queries.attempts_of(session, ada)]
    assert begun * STARTS == led_to


def test_an_unknown_variant_is_not_found(engine: Engine, packages: Packages) -> None:
    with pytest.raises(NotFound):
        make_attempt(engine, packages, make_candidate(engine), "nosuch")


@pytest.mark.parametrize("source", [b"\0\xff\xfe", b"x = 1\r\n", "naïve".encode("latin-1"), b"#" * (1 << 20)])
def test_sources_are_stored_as_they_are(engine: Engine, packages: Packages, source: bytes) -> None:
    ada = make_candidate(engine)
    attempt = make_attempt(engine, packages, ada)
    make_submission(engine, ada, attempt, source)
    with read_session(engine) as session:
        found = queries.newest_submission(session, attempt)
    assert found is not None
    assert found.source == source


@pytest.mark.parametrize("source", [b"", b" \r\n\t\n", b"\xef\xbb\xbf \n"])
def test_nothing_but_white_space_is_not_counted(engine: Engine, packages: Packages, source: bytes) -> None:
    ada = make_candidate(engine)
    attempt = make_attempt(engine, packages, ada)
    with pytest.raises(attempts.NothingHandedIn, match="nothing was counted: write or choose"):
        make_submission(engine, ada, attempt, source)
    with read_session(engine) as session:
        assert queries.newest_submission(session, attempt) is None


def test_ordinals_have_no_gap_when_threads_submit_at_once(
    engine: Engine, packages: Packages, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attempts, "WAITING_MAX", 1000)
    ada = make_candidate(engine)
    attempt = make_attempt(engine, packages, ada)
    threads = [threading.Thread(target=make_submission, args=(engine, ada, attempt)) for _ in range(24)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with read_session(engine) as session:
        assert [row.ordinal for row in queries.submissions_in(session, attempt)] == list(range(1, 25))


def test_exactly_as_many_wait_as_are_allowed(engine: Engine, packages: Packages) -> None:
    ada = make_candidate(engine)
    attempt = make_attempt(engine, packages, ada)
    refused: list[TooManyWaiting] = []

    def submit() -> None:
        try:
            make_submission(engine, ada, attempt)
        except TooManyWaiting as error:
            refused.append(error)

    threads = [threading.Thread(target=submit) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(refused) == 16 - attempts.WAITING_MAX
    other = make_candidate(engine)
    make_submission(engine, other, make_attempt(engine, packages, other))


def test_nothing_is_handed_in_after_giving_up(engine: Engine, packages: Packages) -> None:
    ada = make_candidate(engine)
    attempt = make_attempt(engine, packages, ada)
    for minutes in (1, 2):
        with write_session(engine) as session:
            attempts.give_up(session, ada, attempt.public_id, after(minutes))
    with read_session(engine) as session:
        assert queries.attempt_of(session, ada, attempt.public_id).given_up_at == after(1)
    with pytest.raises(AttemptClosed):
        make_submission(engine, ada, attempt)


def test_a_solved_attempt_is_not_given_up(engine: Engine, packages: Packages) -> None:
    ada = make_candidate(engine)
    attempt = make_attempt(engine, packages, ada)
    write_result(engine, make_submission(engine, ada, attempt).id, make_judgement(), after(2))
    with write_session(engine) as session:
        assert attempts.give_up(session, ada, attempt.public_id, after(3)).given_up_at is None


def test_another_candidates_attempt_is_not_found(engine: Engine, packages: Packages) -> None:
    ada, eve = make_candidate(engine), make_candidate(engine)
    attempt = make_attempt(engine, packages, ada)
    with write_session(engine) as session:
        with pytest.raises(NotFound):
            attempts.submit(session, eve, attempt.public_id, b"", NOON)
        with pytest.raises(NotFound):
            attempts.give_up(session, eve, attempt.public_id, NOON)


def test_progress_is_per_problem_over_all_attempts(engine: Engine, packages: Packages) -> None:
    ada = make_candidate(engine)
    with read_session(engine) as session:
        assert attempts.progress(session, ada) == {}
    first, second = (make_attempt(engine, packages, ada, variant) for variant in ("only", "other"))
    write_result(engine, make_submission(engine, ada, first).id, make_judgement(Verdict.AC), after(2))
    write_result(engine, make_submission(engine, ada, second).id, make_judgement(Verdict.WA), after(3))
    make_submission(engine, ada, second)
    with read_session(engine) as session:
        found = attempts.progress(session, ada)[SLUG]
    assert (found.status, found.submissions, found.points) == ("solved", 3, 100.0)
    assert [attempt.id for attempt in found.attempts] == [second.id, first.id]
    assert [attempts.variant_status(found, name) for name in ("only", "other", "third")] == [
        "solved",
        "in progress",
        "new",
    ]


def test_points_are_less_what_hints_cost(engine: Engine, packages: Packages) -> None:
    ada = make_candidate(engine)
    attempt = make_attempt(engine, packages, ada)
    write_result(engine, make_submission(engine, ada, attempt).id, make_judgement(Verdict.AC), after(2))
    with write_session(engine) as session:
        queries.attempt_of(session, ada, attempt.public_id).hint_cost = 15.0
    with read_session(engine) as session:
        assert attempts.progress(session, ada)[SLUG].points == 85.0
