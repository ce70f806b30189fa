"""The cohort of an interview: exact numbers of few candidates, bounded work for many."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, update

from grader.grading.verdict import Verdict
from grader.services import cohort, reviews
from grader.services.cohort import Cohort
from grader.services.packages import Packages
from grader.store import interview_queries
from grader.store.interview_models import Interview, ScoreOverride
from grader.store.models import Attempt, Package, Submission, User
from grader.store.session import read_session, write_session
from tests.services.made import after, make_judgement
from tests.services.reviewing import END, make_judged, make_led, queries_of
from tests.services.tiny_package import RIGHT, write_package

WA = make_judgement(Verdict.WA, ("thrice",), "output")
OTHER = make_judgement(Verdict.WA, ("halved", "thrice"), "output")
AC = make_judgement()
JE = make_judgement(Verdict.JE)
OWN = b"""
def twice(x):
    total, rest = [], list(x)
    while rest:
        first, *rest = rest
        for step in range(2):
            if step and total:
                total[-1] = total[-1] + first
            else:
                total.append(first)
    return type(x)(len(total)) if not total else (x * 0 + total if len(total) > 1 else x + x)
"""


@pytest.fixture
def led(engine: Engine, packages: Packages) -> tuple[User, Interview]:
    return make_led(engine, packages)


def shown(engine: Engine, packages: Packages, led: tuple[User, Interview], page: int = 1, **words: Any) -> Cohort:
    with read_session(engine) as session:
        interview = interview_queries.interview_of(session, led[0], led[1].public_id)
        problem = interview.problems[0] if words.get("first") else None
        return cohort.cohort(session, interview, problem, packages, page)


def test_nobody(engine: Engine, packages: Packages, led: tuple[User, Interview]) -> None:
    found = shown(engine, packages, led)
    assert (found.all_candidates, found.attempts, found.faults, found.median_score) == (0, 0, (), None)


@pytest.mark.parametrize("first", [True, False])
def test_three_candidates(engine: Engine, packages: Packages, led: tuple[User, Interview], first: bool) -> None:
    solver = make_judged(engine, *led, "Ines", WA, OTHER, JE, AC)
    make_judged(engine, *led, "Tomasz", OTHER)
    make_judged(engine, *led, "Leila", AC)
    with write_session(engine) as session:
        session.execute(update(Attempt).where(Attempt.id == solver.id).values(solved_at=after(11)))
    found = shown(engine, packages, led, first=first)
    assert [(one.number, one.label) for one in found.candidates] == [(1, "Ines"), (2, "Tomasz"), (3, "Leila")]
    assert (found.attempts, found.submissions, found.ours) == (3, 5, 1)
    rows = [(row.fault, row.submissions, row.people, row.cells) for row in found.faults]
    assert rows == [
        ("thrice", 3, 2, ((2, False), (1, True), (0, False))),
        ("halved", 2, 2, ((1, False), (1, True), (0, False))),
    ]
    assert found.scores == (0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 2)
    assert found.median_score == 100.0
    (solved,) = found.solved
    assert (solved.attempts, solved.solved, solved.submissions) == (3, 2, 2.5)
    assert solved.minutes == 5.5  # 10 and 1
    assert found.looked_at == 5
    dull = [(one.name, one.runs, one.is_passed) for one in found.dull]
    assert dull == [("sample_format", 5, True), ("secret_b", 5, True), ("secret_c", 5, True)]


def test_problems_that_were_only_given_are_not_counted(
    engine: Engine, packages: Packages, led: tuple[User, Interview]
) -> None:
    make_judged(engine, *led, "Ines", AC)
    drafted, _ = make_judged(engine, *led, "Tomasz"), make_judged(engine, *led, "Leila")
    with write_session(engine) as session:
        session.execute(update(Attempt).where(Attempt.id == drafted.id).values(draft_saved_at=after(2)))
    found = shown(engine, packages, led)
    (solved,) = found.solved
    assert [one.label for one in found.candidates] == ["Ines", "Tomasz"]
    assert (found.all_candidates, found.attempts, solved.solved, solved.attempts) == (2, 2, 1, 2)


def test_submissions_that_are_not_compared_yet_are_counted(
    engine: Engine, packages: Packages, led: tuple[User, Interview]
) -> None:
    untold = replace(WA, finding=replace(WA.finding, faults=(), is_looked_up=False))
    make_judged(engine, *led, "Ines", WA, untold, JE, None)
    make_judged(engine, *led, "Tomasz", untold)
    found = shown(engine, packages, led)
    assert (found.not_looked_up, found.never_looked_up) == (2, 0)


def test_submissions_that_are_never_compared_are_counted(
    engine: Engine, packages: Packages, led: tuple[User, Interview]
) -> None:
    quoted = replace(WA, finding=replace(WA.finding, faults=(), sentence='quoted: {"looked_up": false}'))
    untold = replace(WA, finding=replace(WA.finding, faults=(), is_looked_up=False))
    make_judged(engine, *led, "Ines", WA, untold, AC, JE, None, quoted)
    with write_session(engine) as session:  # its package could not be read when it came to that
        session.execute(update(Submission).values(is_finding_due=None))
    found = shown(engine, packages, led)
    assert (found.not_looked_up, found.never_looked_up) == (0, 1)


def test_scores_are_left_out_where_the_package_cannot_be_read(
    engine: Engine, packages: Packages, problems: Path, led: tuple[User, Interview]
) -> None:
    make_judged(engine, *led, "Ines", WA, AC)
    write_package(problems, statement="Changed.\n")
    with write_session(engine) as session:
        session.execute(update(Package).values(archive=b"damaged"))
    found = shown(engine, Packages(problems), led)
    (problem,) = found.solved
    assert found.unread == (problem.problem.package.title,)
    assert (sum(found.scores), found.median_score) == (0, None)
    assert (found.attempts, found.submissions, problem.attempts) == (1, 2, 1)


def test_a_score_by_hand_counts(engine: Engine, packages: Packages, led: tuple[User, Interview]) -> None:
    attempt = make_judged(engine, *led, "Ines", WA)
    with write_session(engine) as session:
        reviews.override(session, led[0], attempt.public_id, 72.0, "Most of it was right.", 0, END)
    assert shown(engine, packages, led).scores[7] == 1
    with write_session(engine) as session:
        session.add(
            ScoreOverride(attempt_id=attempt.id, user_id=led[0].id, score=None, reason="taken back", created_at=END)
        )
    assert shown(engine, packages, led).scores[4] == 1


def test_always_failed_is_told_apart_from_always_passed(
    engine: Engine, packages: Packages, led: tuple[User, Interview]
) -> None:
    for number in range(5):
        make_judged(engine, *led, f"C{number}", WA)
    found = shown(engine, packages, led)
    assert [(one.name, one.is_passed) for one in found.dull][1] == ("secret_canary_name", False)


def test_candidates_are_paged(
    engine: Engine, packages: Packages, led: tuple[User, Interview], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cohort, "CANDIDATES_SHOWN", 2)
    for number in range(3):
        make_judged(engine, *led, f"C{number}", WA)
    last = shown(engine, packages, led, 2)
    assert ([one.label for one in last.candidates], last.pages, last.all_candidates) == (["C2"], 2, 3)
    assert [row.cells for row in last.faults] == [((1, True),)]
    assert shown(engine, packages, led, 3).candidates == ()


def test_the_number_of_queries_does_not_grow(engine: Engine, packages: Packages, led: tuple[User, Interview]) -> None:
    def asked() -> int:
        with queries_of(engine) as found:
            shown(engine, packages, led)
        return len(found)

    make_judged(engine, *led, "Ines", WA)
    before = asked()
    for number in range(5):
        make_judged(engine, *led, f"C{number}", WA, OTHER, AC)
    assert asked() == before
    assert before <= 12


def test_sources_that_are_alike(engine: Engine, packages: Packages, led: tuple[User, Interview]) -> None:
    renamed = OWN.replace(b"total", b"sums").replace(b"first", b"head")
    one = make_judged(engine, *led, "Ines", WA, source=OWN)
    other = make_judged(engine, *led, "Tomasz", WA, replace(WA), source=renamed)
    make_judged(engine, *led, "Leila", AC, source=RIGHT)
    with read_session(engine) as session:
        interview = interview_queries.interview_of(session, led[0], led[1].public_id)
        alike = cohort.similar(session, interview, interview.problems[0], packages)
    assert alike is not None
    (pair,), found = alike
    sides = {(side[0].label, side[1], side[2]) for side in (pair.first, pair.second)}
    assert sides == {("Ines", one.public_id, 1), ("Tomasz", other.public_id, 2)}
    assert pair.share == 1.0
    assert (found.compared, found.too_short) == (2, 1)
