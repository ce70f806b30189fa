"""Why a finding has no stages is said in one sentence, wherever stages would stand."""

from __future__ import annotations

import io
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest
from flask import Flask
from rich.console import Console, RenderableType
from sqlalchemy import Engine, update

from grader.grading.judge import Examination
from grader.grading.judge_run import Judged
from grader.grading.stage_errors import StageError
from grader.grading.verdict import Failure, Finding, Judgement, Reason, Verdict
from grader.problems.loader import Problem
from grader.report.report import report
from grader.report.review_pictures import Pictures, to_json
from grader.report.terminal import judgement_view, result_view
from grader.store.interview_models import Shown
from grader.store.models import EvidenceRecord
from grader.store.session import write_session
from tests.services.made import NOON, make_judgement
from tests.web.browsing import Browser, judge_last
from tests.web.calling import Program
from tests.web.room import Room, words
from tests.web.test_looked_up import broken, keep_finding

FAILED_BEFORE: Final = "It fails before its numbers can be compared, so no stage is called right or wrong."
NOT_YET: Final = "Known faults were not looked up yet, so no stage is called right or wrong so far."
NEVER: Final = "Known faults could not be looked up, and without them no first wrong stage can be told."
ERROR: Final = "It ends in an error, and no first wrong stage can be told from what it computes before."
STOPPED: Final = "It is stopped at a limit, and no first wrong stage can be told from what it computes before."
NOTHING: Final = "No first wrong stage can be told from what it computes and returns."
SENTENCES: Final = (FAILED_BEFORE, NOT_YET, NEVER, ERROR, STOPPED, NOTHING)
WRONG: Final = make_judgement(Verdict.WA)
NOT_LOOKED_UP: Final = replace(WRONG, finding=replace(WRONG.finding, is_looked_up=False))
FAILING: Final[dict[str, tuple[Judgement, str]]] = {
    "another type": (broken(Failure.of(Reason.WRONG_TYPE, output="y", got="a matrix"), True), FAILED_BEFORE),
    "an import": (broken(Failure.of(Reason.IMPORT_ERROR, got="ImportError", line=""), False), FAILED_BEFORE),
    "a refused call": (broken(Failure.of(Reason.REFUSED_CALL, got="", line=""), True), FAILED_BEFORE),
    "an exception": (broken(Failure(Reason.EXCEPTION, "KeyError was raised."), True), ERROR),
    "too slow": (broken(Failure(Reason.TIME_LIMIT, "It took too long."), True), STOPPED),
    "nothing found": (WRONG, NOTHING),
    "kept": (NOT_LOOKED_UP, NEVER),
}
WITHOUT: Final = {
    Verdict.AC: make_judgement(),
    Verdict.CE: broken(Failure.of(Reason.EMPTY_SOURCE), False),
    Verdict.JE: make_judgement(Verdict.JE),
}


def text(view: RenderableType) -> str:
    buffer = io.StringIO()
    Console(file=buffer, width=200).print(view)
    return buffer.getvalue()


def told(page: str) -> list[str]:
    return [sentence for sentence in SENTENCES if sentence in page]


def draw_stages(room: Room, engine: Engine) -> None:
    """Let the newest submission have evidence in which stages were measured."""
    stages = (StageError("output", (2,), None, 1.0, (0,), 2.0, 1.0, "returned"),)
    room.lena.post(f"{room.review}/submissions/1/evidence")
    drawn = to_json(Pictures("secret_canary_name", stages, (), None))
    with write_session(engine) as session:
        session.execute(update(EvidenceRecord).values(made_at=NOON, record=zlib.compress(b"{}"), pictures=drawn))


@pytest.mark.parametrize("kind", [*FAILING, "due"])
def test_pages_and_programs_say_why(
    app: Flask, engine: Engine, problems: Path, ada: Browser, ada_program: Program, kind: str
) -> None:
    judgement, sentence = (NOT_LOOKED_UP, NOT_YET) if kind == "due" else FAILING[kind]
    room = Room(app, engine, problems, ada, verdicts=Shown.AT_ONCE, hint_level=1)
    ada.submit()
    judge_last(engine, judgement)
    if kind == "kept":
        keep_finding(engine)
    draw_stages(room, engine)
    assert words(ada.text(f"{ada.attempt}/submissions/1"), 'id="where"') == f"Where it goes wrong {sentence}"
    review = room.lena.text(room.review)
    assert told(review) == [sentence]
    assert "[0]" in words(review, 'id="h_worst"')  # measured all the same
    assert "not seen" not in review
    result = ada_program.told(f"{ada.attempt}/submissions/1")
    assert (result["finding"]["stages"], result["finding"]["why_no_stages"]) == ([], sentence)
    assert told(text(result_view(result, "mine"))) == [sentence]


@pytest.mark.parametrize("kind", FAILING)
def test_reports_and_terminals_say_why(tiny: Problem, kind: str) -> None:
    judgement, sentence = FAILING[kind]
    page = report(tiny, b"", "fix.py", Examination(judgement, Judged(judgement, ())), ())
    assert told(page) == [sentence]
    assert 'class="stage ' not in page
    assert told(text(judgement_view(judgement, "fix.py"))) == [sentence]


@pytest.mark.parametrize("verdict", WITHOUT)
def test_where_no_stage_is_wrong_nothing_is_said(
    app: Flask, engine: Engine, problems: Path, ada: Browser, ada_program: Program, verdict: Verdict
) -> None:
    room = Room(app, engine, problems, ada, verdicts=Shown.AT_ONCE, hint_level=1)
    ada.submit()
    judge_last(engine, WITHOUT[verdict])
    pages = [ada.text(f"{ada.attempt}/submissions/1"), room.lena.text(room.review)]
    pages.append(text(judgement_view(WITHOUT[verdict], "fix.py")))
    assert [told(page) for page in pages] == [[], [], []]
    assert ada_program.told(f"{ada.attempt}/submissions/1")["finding"]["why_no_stages"] == ""


def test_what_hints_leave_closed_stays_closed(
    app: Flask, engine: Engine, problems: Path, ada: Browser, ada_program: Program
) -> None:
    Room(app, engine, problems, ada, verdicts=Shown.AT_ONCE, hint_level=0)
    ada.submit()
    judge_last(engine, WRONG)
    assert told(ada.text(f"{ada.attempt}/submissions/1")) == []
    finding: dict[str, Any] = ada_program.told(f"{ada.attempt}/submissions/1")["finding"]
    assert finding["why_no_stages"] == ""


def test_stages_stand_where_there_are_some() -> None:
    judgement = replace(WRONG, finding=Finding("It is wrong.", "output", (), "trace", (("output", "wrong"),)))
    assert told(text(judgement_view(judgement, "fix.py"))) == []
