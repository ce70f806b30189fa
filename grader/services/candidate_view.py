"""What a candidate sees of a submission: only the fields below, so a secret case cannot slip onto a page.

Secret cases are numbers within their group. Their names, prints, details and times stay in the database.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from grader.errors import UserError
from grader.grading.minimal_fix import change_in_words
from grader.grading.syntax_tree import NotComparable
from grader.grading.verdict import Reason, Verdict
from grader.problems.loader import Problem
from grader.report.between import between_sentences, compare_judgements
from grader.report.observed import observed
from grader.report.sample_outputs import SampleOutputs, from_json
from grader.report.visible import visible
from grader.services.feedback import Feedback
from grader.services.hints import STAGE, Finding, Rung, finding_of, ladder, open_rungs, visible_at
from grader.store.models import CaseResult, GroupResult, Submission


@dataclass(frozen=True)
class CaseView:
    """A case within its group; verdict None: not reached, or not judged yet."""

    label: str  # a sample's name, or a number within the group
    verdict: Verdict | None


@dataclass(frozen=True)
class GroupView:
    """A group's points; None: not judged yet. It has cases from the first hint level on."""

    name: str
    points: float | None
    max_points: float
    cases: tuple[CaseView, ...]

    @property
    def reached(self) -> bool:
        """Whether the run came to its first case."""
        return any(case.verdict is not None for case in self.cases)

    @property
    def passed(self) -> int:
        """How many of its cases are accepted."""
        return sum(case.verdict is Verdict.AC for case in self.cases)


@dataclass(frozen=True)
class PrintsView:
    """What the source printed, and when."""

    label: str
    text: str


@dataclass(frozen=True)
class HandedIn:
    """A submission as lists show it."""

    ordinal: int
    created_at: datetime
    is_by_clock: bool
    is_told: bool  # whether its verdict is shown, once there is one
    verdict: Verdict | None  # None: not judged yet, or not told
    score: float | None


@dataclass(frozen=True)
class SubmissionView:
    """One submission; verdict None: it is still being graded, or not told; groups are then those of the problem."""

    ordinal: int
    created_at: datetime
    is_by_clock: bool
    is_told: bool
    verdict: Verdict | None
    reason: Reason | None
    message: str
    where: tuple[str, ...]  # the groups that the message speaks of, unless it is said of all of them
    score: float | None
    max_score: float
    groups: tuple[GroupView, ...]
    sentences: tuple[tuple[tuple[str, ...], str], ...]  # groups that failed otherwise than the message says, and how
    prints: tuple[PrintsView, ...]
    finding: Finding  # as far as the hints that are open go
    hints: tuple[Rung, ...]
    samples: tuple[SampleOutputs, ...]
    observed: tuple[str, ...]
    between: tuple[str, ...]  # what changed from the submission judged before it
    fix: str | None  # how much of the starter it changes; None while answers are closed


def handed_in(submissions: Sequence[Submission], shown: Feedback) -> tuple[HandedIn, ...]:
    """Return a candidate's list of submissions."""
    return tuple(
        HandedIn(
            ordinal=submission.ordinal,
            created_at=submission.created_at,
            is_by_clock=submission.is_by_clock,
            is_told=_is_told(submission, shown),
            verdict=submission.verdict if _is_told(submission, shown) else None,
            score=submission.score if shown.points else None,
        )
        for submission in submissions
    )


def view(submission: Submission, problem: Problem, shown: Feedback, before: str | None = None) -> SubmissionView:
    """Return a candidate's view of a submission.

    Args:
        submission: with its results.
        problem: of its attempt.
        shown: what the candidate sees of the attempt now.
        before: the judgement (JSON) of the submission that was judged before it in the same attempt.
    """
    is_told, level = _is_told(submission, shown), shown.hint_level
    finding = visible_at(finding_of(submission, problem), level)
    samples = _samples(submission) if is_told and level >= STAGE else ()
    message = visible(submission.message or "", keep="") if is_told else ""
    has_all = is_told and shown.points and level >= STAGE
    return SubmissionView(
        ordinal=submission.ordinal,
        created_at=submission.created_at,
        is_by_clock=submission.is_by_clock,
        is_told=is_told,
        verdict=submission.verdict if is_told else None,
        reason=submission.reason if is_told else None,
        message=message,
        where=_where(submission, message) if has_all else (),
        score=submission.score if shown.points else None,
        max_score=problem.max_score if submission.max_score is None else submission.max_score,
        groups=_groups(submission, problem, has_cases=level >= STAGE) if shown.points else (),
        sentences=tuple(_sentences(submission, message)) if has_all else (),
        prints=_prints(submission) if is_told else (),
        finding=finding,
        hints=_hints(submission, problem, shown),
        samples=samples,
        observed=observed(samples),
        between=_between(before, submission, level) if has_all else (),
        fix=_fix(submission, problem) if shown.answers else None,
    )


def _is_told(submission: Submission, shown: Feedback) -> bool:
    """Whether its verdict is shown; that something was our fault is always told, for it may be handed in again."""
    return shown.verdict or submission.verdict is Verdict.JE


def _hints(submission: Submission, problem: Problem, shown: Feedback) -> tuple[Rung, ...]:
    finding = finding_of(submission, problem)
    if shown.is_practice:
        return ladder(finding, shown.hint_level, problem.spec.hint_costs)
    return open_rungs(finding, shown.hint_level)


def _groups(submission: Submission, problem: Problem, *, has_cases: bool) -> tuple[GroupView, ...]:
    """Return the groups, without cases where points are all that may be known: each verdict of a case tells where."""
    if submission.verdict is not None:
        return tuple(_group(group, submission.cases if has_cases else ()) for group in submission.groups)
    return tuple(
        GroupView(
            group.name,
            None,
            group.points,
            tuple(CaseView(_label(name, number), None) for number, name in enumerate(group.cases, 1) if has_cases),
        )
        for group in problem.spec.groups
    )


def _group(group: GroupResult, cases: Sequence[CaseResult]) -> GroupView:
    own = [case for case in cases if case.group == group.name]
    return GroupView(
        name=group.name,
        points=group.points,
        max_points=group.max_points,
        cases=tuple(CaseView(_label(case.name, number), case.verdict) for number, case in enumerate(own, 1)),
    )


def _label(name: str, number: int) -> str:
    return name if name.startswith("sample_") else str(number)


def _first_said(submission: Submission) -> dict[str, str]:
    """Return the sentence of each failing group's first failing case."""
    found: dict[str, str] = {}
    for case in submission.cases:
        if case.message and case.group not in found:
            found[case.group] = visible(case.message, keep="")
    return found


def _where(submission: Submission, message: str) -> tuple[str, ...]:
    """Return the groups whose first failing case says what the message says, none where all groups do."""
    groups = tuple(group for group, said in _first_said(submission).items() if said == message)
    return groups if len(groups) < len(submission.groups) else ()


def _sentences(submission: Submission, message: str) -> list[tuple[tuple[str, ...], str]]:
    """Return the sentences of groups' first failing cases that say something new, each with its groups."""
    found = _first_said(submission)
    others = [sentence for sentence in dict.fromkeys(found.values()) if sentence != message]
    return [(tuple(group for group, said in found.items() if said == sentence), sentence) for sentence in others]


def _prints(submission: Submission) -> tuple[PrintsView, ...]:
    found = [("while it was imported", submission.import_prints or "")]
    found += [(case.name, case.prints) for case in submission.cases if case.visibility == "sample"]
    return tuple(PrintsView(label, visible(text)) for label, text in found if text)


def _samples(submission: Submission) -> tuple[SampleOutputs, ...]:
    """Return what came back for the samples; an accepted submission returned what was expected."""
    if submission.sample_outputs is None or submission.verdict in (Verdict.AC, Verdict.JE):
        return ()
    return from_json(submission.sample_outputs)


def _between(before: str | None, submission: Submission, level: int) -> tuple[str, ...]:
    if before is None or submission.judgement is None or submission.verdict is Verdict.JE:
        return ()
    try:
        found = compare_judgements(json.loads(before), json.loads(submission.judgement))
    except UserError:  # another release wrote one of them in another form
        return ()
    return between_sentences(found, level)


def _fix(submission: Submission, problem: Problem) -> str | None:
    """Return the size of the change beside the smallest accepted one, which is a hint."""
    if submission.verdict in (None, Verdict.CE, Verdict.JE):
        return None
    try:
        return change_in_words(problem, submission.source, submission.attempt.variant)[0]
    except NotComparable:
        return None
