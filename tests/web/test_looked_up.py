"""What pages say of a finding that was made before known faults could be looked up."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import Engine, select

from grader.grading.verdict import Failure, Finding, Judgement, Reason, Verdict
from grader.services import findings
from grader.services.findings import Found
from grader.store.interview_models import Shown
from grader.store.models import Submission
from grader.store.session import read_session
from tests.services.made import make_judgement
from tests.web.browsing import Browser, judge_last
from tests.web.calling import Program
from tests.web.room import Room, words

NOT_YET = "Known faults were not looked up yet"
NO_FAULT = "No known fault returns the same"
UNTOLD = {
    None: "It waits for its verdict.",
    Verdict.JE: "It failed through our fault, so nothing was compared.",
    Verdict.CE: "It could not be run, so nothing was compared.",
}
FAILURES = {Verdict.JE: Failure.of(Reason.JUDGE_ERROR), Verdict.CE: Failure.of(Reason.EMPTY_SOURCE)}


def judged(is_looked_up: bool, **finding: Any) -> Judgement:
    """Return a judgement whose finding names a stage and no fault."""
    found = {"first_wrong_stage": "output", "method": "trace", "stages": (("output", "wrong"),), **finding}
    judgement = make_judgement(Verdict.WA)
    return replace(judgement, finding=Finding("First wrong stage: output.", is_looked_up=is_looked_up, **found))


def keep_finding(engine: Engine) -> None:
    """Let the newest submission keep its finding, as one whose package can no longer be read."""
    with read_session(engine) as session:
        row = session.scalars(select(Submission).order_by(Submission.id.desc()).limit(1)).one()
        assert row.judged_at is not None
        found = Found(row.judged_at, row.judgement or "", None)
    assert findings.write(engine, row.id, found)


@pytest.mark.parametrize("method", ["trace", "none"])
def test_the_review_says_whether_anybody_looked(
    app: Flask, engine: Engine, problems: Path, ada: Browser, method: str
) -> None:
    room = Room(app, engine, problems, ada, verdicts=Shown.AT_ONCE, hint_level=1)
    for is_looked_up in (False, True):
        ada.submit(f"x = {is_looked_up}\n")
        judge_last(engine, judged(is_looked_up, method=method))
        page = room.lena.text(room.review)
        assert (NOT_YET in page, NO_FAULT in page) == (not is_looked_up, is_looked_up)
        assert (NOT_YET in ada.text(f"{ada.attempt}/submissions/{1 + is_looked_up}")) is not is_looked_up


@pytest.mark.parametrize("method", ["trace", "none"])
def test_what_is_not_looked_up_again_is_not_promised(
    app: Flask, engine: Engine, problems: Path, ada: Browser, method: str
) -> None:
    room = Room(app, engine, problems, ada, verdicts=Shown.AT_ONCE, hint_level=1)
    ada.submit()
    judge_last(engine, judged(is_looked_up=False, method=method))
    keep_finding(engine)
    page = room.lena.text(room.review)
    assert "Known faults could not be looked up for this submission, so nothing is said of them." in page
    assert (NOT_YET in page, NO_FAULT in page) == (False, False)
    assert NOT_YET not in ada.text(f"{ada.attempt}/submissions/1")


@pytest.mark.parametrize(("verdict", "sentence"), UNTOLD.items())
def test_the_review_of_what_was_not_compared_says_why(
    app: Flask, engine: Engine, problems: Path, ada: Browser, verdict: Verdict | None, sentence: str
) -> None:
    room = Room(app, engine, problems, ada)
    ada.submit()
    if verdict is not None:
        judge_last(engine, replace(make_judgement(Verdict.JE), failure=FAILURES[verdict], verdict=verdict))
    page = room.lena.text(room.review)
    assert words(page, 'id="h_observed"') == f"Observed {sentence}"
    assert words(page, 'id="h_suggested"') == f"Interpretation {sentence}"


NOT_COMPARED = {
    "failed at import": (Failure.of(Reason.IMPORT_ERROR, got="ImportError", line=""), False),
    "another type in every case": (Failure.of(Reason.WRONG_TYPE, output="y", got="a matrix"), True),
}


def broken(failure: Failure, is_in_cases: bool) -> Judgement:
    """Return a judgement of a submission that breaks the contract, in each case or before the first."""
    made = make_judgement(Verdict.WA)
    of_case = {"verdict": failure.verdict, "failure": failure} if is_in_cases else {"verdict": None, "failure": None}
    cases = tuple(replace(case, **of_case) for case in made.cases)
    return replace(made, verdict=failure.verdict, failure=failure, cases=cases, finding=Finding(failure.message))


@pytest.mark.parametrize(("failure", "is_in_cases"), NOT_COMPARED.values(), ids=NOT_COMPARED)
def test_the_review_claims_nothing_of_faults_where_nothing_could_be_compared(
    app: Flask, engine: Engine, problems: Path, ada: Browser, failure: Failure, is_in_cases: bool
) -> None:
    room = Room(app, engine, problems, ada)
    ada.submit()
    judge_last(engine, broken(failure, is_in_cases))
    page = room.lena.text(room.review)
    assert words(page, 'id="h_suggested"') == "Interpretation Nothing of it could be compared with known faults."


NO_OTHER = "No other submission behaves like a fault that is known."
COHORTS = {
    "looked up": "No submission behaves like a fault that is known.",
    "due due": "Known faults were not looked up yet for 2 submissions; this is done again on its own, and verdict and "
    f"points stay. {NO_OTHER}",
    "kept": f"Nothing is said of 1 submission for which known faults could not be looked up. {NO_OTHER}",
    "kept due kept known": "Known faults were not looked up yet for 1 submission; this is done again on its own, and "
    "verdict and points stay. Nothing is said of 2 submissions for which known faults could not be looked up.",
}


@pytest.mark.parametrize(("findings", "sentence"), COHORTS.items())
def test_the_cohort_says_whether_anybody_looked(
    app: Flask, engine: Engine, problems: Path, ada: Browser, findings: str, sentence: str
) -> None:
    room = Room(app, engine, problems, ada)
    for number, kind in enumerate(findings.replace("looked up", "none").split()):
        ada.submit(f"x = {number}\n")
        faults = {"faults": ("thrice",)} if kind == "known" else {}
        judge_last(engine, judged(kind in ("none", "known"), **faults))
        if kind == "kept":
            keep_finding(engine)
    page = room.lena.text(f"/interviews/{room.interview.public_id}/cohort")
    assert words(page, 'id="h_faults"').endswith(sentence)


def test_practice_promises_nothing_where_the_finding_stays(engine: Engine, ada: Browser) -> None:
    ada.start()
    ada.submit()
    judgement = make_judgement(Verdict.WA)
    judge_last(engine, replace(judgement, finding=replace(judgement.finding, is_looked_up=False)))
    keep_finding(engine)
    page = ada.text(f"{ada.attempt}/submissions/1")
    assert "so no hint is offered" in page
    assert "not looked up yet" not in page


def test_practice_says_that_more_may_be_told_later(engine: Engine, ada: Browser) -> None:
    ada.start()
    ada.submit()
    judgement = make_judgement(Verdict.WA)
    judge_last(engine, replace(judgement, finding=replace(judgement.finding, is_looked_up=False)))
    page = ada.text(f"{ada.attempt}/submissions/1")
    assert "None so far: known faults were not looked up yet." in page
    assert "so no hint is offered" not in page


UNJUDGED = replace(make_judgement(Verdict.JE), failure=FAILURES[Verdict.CE], verdict=Verdict.CE)
NOT_LOOKED_UP = judged(is_looked_up=False, method="none")
TOLD: dict[str, tuple[Judgement | None, bool | None, bool]] = {  # is_looked_up, is_due
    "waiting": (None, None, False),
    "AC": (make_judgement(), True, False),
    "CE": (UNJUDGED, None, False),
    "JE": (make_judgement(Verdict.JE), None, False),
    "contract, before the first case": (broken(*NOT_COMPARED["failed at import"]), None, False),
    "contract, in every case": (broken(*NOT_COMPARED["another type in every case"]), None, False),
    "an exception": (broken(Failure(Reason.EXCEPTION, "KeyError was raised."), True), True, False),
    "known fault": (judged(True, faults=("thrice",), method="fingerprint"), True, False),
    "fast, no known fault": (replace(make_judgement(Verdict.WA), finding=Finding("It is wrong.")), True, False),
    "still to be looked up": (judged(is_looked_up=False), False, True),
    "the look failed": (NOT_LOOKED_UP, False, True),
    "the look failed again": (NOT_LOOKED_UP, False, False),
}


@pytest.mark.parametrize("kind", TOLD)
def test_programs_are_told_what_no_fault_means_and_whether_to_ask_again(
    engine: Engine, ada: Browser, ada_program: Program, kind: str
) -> None:
    judgement, *wanted = TOLD[kind]
    ada.start()
    ada.submit()
    if judgement is not None:
        judge_last(engine, judgement)
    if kind == "the look failed again":
        keep_finding(engine)
    finding = ada_program.told(f"{ada.attempt}/submissions/1")["finding"]
    assert [finding["is_looked_up"], finding["is_due"]] == wanted


def test_programs_are_not_told_what_hints_leave_closed(
    app: Flask, engine: Engine, problems: Path, ada: Browser, ada_program: Program
) -> None:
    Room(app, engine, problems, ada, verdicts=Shown.AT_ONCE, hint_level=0)
    ada.submit()
    judge_last(engine, NOT_LOOKED_UP)
    finding = ada_program.told(f"{ada.attempt}/submissions/1")["finding"]
    assert (finding["is_looked_up"], finding["is_due"]) == (None, False)
