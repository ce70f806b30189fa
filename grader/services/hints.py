"""Hints: what a candidate may read of a finding, level by level, and what the next level costs.

Level 0 is verdict and points, 1 the stage, 2 an invariant or symptom, 3 the fault. An attempt opens a level once, for
all its submissions; when it is over, every level is open and none costs anything.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, Literal

from sqlalchemy.orm import Session

from grader.attention.stage_invariants import STAGE_INVARIANTS
from grader.errors import UserError
from grader.grading.contract import is_compared
from grader.grading.verdict import Method, Verdict
from grader.problems.loader import Problem
from grader.problems.schema import HintSpec
from grader.report.stage_strip import why_no_stages
from grader.services import audit, practice_lock
from grader.services.attempts import AttemptClosed
from grader.services.packages import Packages
from grader.store import queries
from grader.store.models import Attempt, Submission, User

STAGE, SYMPTOM, FAULT = 1, 2, 3
LEVELS: Final = (STAGE, SYMPTOM, FAULT)
TEXTS_MAX: Final = 4  # of one level
RungState = Literal["open", "offered", "later", "nothing"]


@dataclass(frozen=True)
class Finding:
    """What judging found and a package says of it: everything that could be told, or as much as a level opens."""

    stage: str | None = None
    stages: tuple[tuple[str, str], ...] = ()
    method: Method = "none"
    symptoms: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    fault_texts: tuple[str, ...] = ()
    why_no_stages: str = ""  # a sentence, where something is wrong and no stage is named
    is_looked_up: bool | None = None  # whether no fault means that none is known; None: nothing could be compared
    is_due: bool = False  # known faults were not looked up yet; it is made again on its own, so more may be told later


@dataclass(frozen=True)
class Rung:
    """One level of the ladder; `nothing`: this submission has no text there, so it is not sold."""

    level: int
    state: RungState
    cost: float = 0.0


def level_of(attempt: Attempt) -> int:
    """Return up to which level the hints of an attempt in practice are open."""
    return FAULT if attempt.is_over else attempt.hint_level


def finding_of(submission: Submission, problem: Problem) -> Finding:
    """Return everything that could be told of a submission; nothing of an accepted one and of one not judged."""
    if submission.verdict in (None, Verdict.AC, Verdict.JE) or submission.judgement is None:
        return Finding(is_looked_up=True if submission.verdict is Verdict.AC else None)
    result = json.loads(submission.judgement)
    found = result["finding"]
    stage, faults = found["first_wrong_stage"], tuple(found["faults"])
    said = {fault.fault: fault.sentence for fault in submission.faults}
    hints = _hints(problem, faults)
    symptoms = [hint.symptom for hint in hints.values()]
    texts = [hint.fault for hint in hints.values()]
    texts += [said[fault] for fault in faults if said.get(fault) and not any(fault in known for known in hints)]
    if not symptoms and stage is not None and problem.spec.standard is not None:
        symptoms = [STAGE_INVARIANTS[stage]] if stage in STAGE_INVARIANTS else []
    elif not symptoms and stage is None and found["sentence"] != result["message"]:
        symptoms = [found["sentence"]]  # a contract that is broken, which no stage tells
    reasons = [case.reason for case in submission.cases]
    is_looked_up, is_due = found.get("looked_up", True), bool(submission.is_finding_due)
    why = why_no_stages(submission.verdict, reasons, is_looked_up=is_looked_up, is_due=is_due)
    return Finding(
        stage=stage,
        stages=tuple((item["name"], item["status"]) for item in found["stages"]),
        method=found["method"],
        symptoms=tuple(dict.fromkeys(symptoms))[:TEXTS_MAX],
        faults=faults[:TEXTS_MAX],
        fault_texts=tuple(dict.fromkeys(texts))[:TEXTS_MAX],
        why_no_stages="" if found["stages"] else why,
        is_looked_up=is_looked_up if is_compared(submission.verdict, reasons) else None,
        is_due=is_due,
    )


def _hints(problem: Problem, faults: Sequence[str]) -> dict[frozenset[str], HintSpec]:
    """Return the hints of faults.yaml for these faults together, otherwise for each that has some, by faults."""
    own: dict[frozenset[str], HintSpec] = {}
    for spec in problem.described.values():
        own.setdefault(frozenset(spec.fault.split("+")), spec.hints)
    wanted = [frozenset(faults)] if frozenset(faults) in own else [frozenset([fault]) for fault in faults]
    return {each: own[each] for each in wanted if each in own}


def visible_at(finding: Finding, level: int) -> Finding:
    """Return what a level opens of a finding: nothing that is not named here reaches a candidate."""
    shown = Finding()
    if level >= STAGE:
        shown = Finding(
            finding.stage,
            finding.stages,
            finding.method,
            why_no_stages=finding.why_no_stages,
            is_looked_up=finding.is_looked_up,
            is_due=finding.is_due,
        )
    if level >= SYMPTOM:
        shown = replace(shown, symptoms=finding.symptoms)
    if level >= FAULT:
        shown = replace(shown, faults=finding.faults, fault_texts=finding.fault_texts)
    return shown


def ladder(finding: Finding, level: int, costs: tuple[float, float]) -> tuple[Rung, ...]:
    """Return the levels in order: what is open, what is offered next and for how much; () where nothing is to tell."""
    has = {STAGE: finding.stage is not None, SYMPTOM: bool(finding.symptoms), FAULT: bool(finding.fault_texts)}
    if not any(has.values()):
        return ()
    price = {STAGE: 0.0, SYMPTOM: costs[0], FAULT: costs[1]}
    next_level = next((each for each in LEVELS if each > level and has[each]), None)
    rungs = []
    for each in LEVELS:
        beyond: RungState = "offered" if each == next_level else "later"
        state: RungState = "nothing" if not has[each] else "open" if each <= level else beyond
        rungs.append(Rung(each, state, price[each]))
    return tuple(rungs)


def open_rungs(finding: Finding, level: int) -> tuple[Rung, ...]:
    """Return the levels that an interview shows and this submission has a text for; there is nothing to open."""
    has = {STAGE: finding.stage is not None, SYMPTOM: bool(finding.symptoms), FAULT: bool(finding.fault_texts)}
    return tuple(Rung(each, "open") for each in LEVELS if each <= level and has[each])


def open_hint(
    session: Session, candidate: User, public_id: str, ordinal: int, level: int, packages: Packages, now: datetime
) -> Attempt:
    """Open the next level for a whole attempt, which costs points once; what is open already costs nothing.

    Raises:
        NotFound: there is no such submission of this candidate.
        AttemptClosed: the level before it is not open, or this submission has no hint there, or it is part of an
            interview; nothing is charged.
        ClosedMeanwhile: an interview that the candidate is taking has the problem.
    """
    attempt = queries.attempt_of(session, candidate, public_id, lock=True)
    submission = queries.submission_of(session, candidate, public_id, ordinal)
    if attempt.invitation_id is not None:
        raise AttemptClosed("An interview has no hints to open; its pages show what it allows. Nothing was charged.")
    practice_lock.require_readable(session, attempt, now)
    if level <= level_of(attempt):
        return attempt
    problem = packages.pinned(session, attempt.package)
    rungs = ladder(finding_of(submission, problem), level_of(attempt), problem.spec.hint_costs)
    offered = next((rung for rung in rungs if rung.state == "offered"), None)
    if offered is None:
        raise AttemptClosed("There is no further hint for this submission, and nothing was charged.")
    if offered.level != level:
        raise AttemptClosed(f"Hint {offered.level} comes before that one; open it first. Nothing was charged.")
    attempt.hint_level = level
    attempt.hint_cost += offered.cost
    audit.record(session, candidate, "attempt.hint", attempt, now, number=ordinal, level=level, cost=offered.cost)
    return attempt


def asked_level(text: str) -> int:
    """Return the level that a form asks for.

    Raises:
        UserError: it is none.
    """
    if text not in {str(level) for level in LEVELS}:
        raise UserError("There is no such hint; open the one that the page offers.")
    return int(text)
