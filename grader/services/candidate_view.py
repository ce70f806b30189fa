"""What a candidate sees of a submission: only the fields below, so a secret case cannot slip onto a page.

Secret cases are numbers within their group. Their names, prints, details and times stay in the database.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from grader.errors import UserError
from grader.grading.minimal_fix import minimal_fix
from grader.grading.syntax_tree import NotComparable
from grader.grading.verdict import Reason, Verdict
from grader.problems.loader import Problem
from grader.report.between import between_sentences, compare_judgements
from grader.report.observed import observed
from grader.report.sample_outputs import SampleOutputs, from_json
from grader.report.visible import visible
from grader.services.hints import STAGE, Finding, Rung, finding_of, ladder, level_of, visible_at
from grader.store.models import CaseResult, GroupResult, Submission


@dataclass(frozen=True)
class CaseView:
    """A case within its group; verdict None: not reached, or not judged yet."""

    label: str  # a sample's name, or a number within the group
    verdict: Verdict | None


@dataclass(frozen=True)
class GroupView:
    """A group's points; None: not judged yet."""

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
class SubmissionView:
    """One submission; verdict None: it is still being graded, and its groups are those of the problem."""

    ordinal: int
    created_at: datetime
    verdict: Verdict | None
    reason: Reason | None
    message: str
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
    fix: str | None  # how much of the starter it changes; None before the attempt is over


def view(submission: Submission, problem: Problem, before: str | None = None) -> SubmissionView:
    """Return a candidate's view of a submission.

    Args:
        before: the judgement (JSON) of the submission that was judged before it in the same attempt.
    """
    level, finding = level_of(submission.attempt), finding_of(submission, problem)
    samples = _samples(submission) if level >= STAGE else ()
    message = visible(submission.message or "", keep="")
    return SubmissionView(
        ordinal=submission.ordinal,
        created_at=submission.created_at,
        verdict=submission.verdict,
        reason=submission.reason,
        message=message,
        score=submission.score,
        max_score=problem.max_score if submission.max_score is None else submission.max_score,
        groups=_groups(submission, problem),
        sentences=tuple(_sentences(submission, message)),
        prints=_prints(submission),
        finding=visible_at(finding, level),
        hints=ladder(finding, level, problem.spec.hint_costs),
        samples=samples,
        observed=observed(samples),
        between=_between(before, submission, level),
        fix=_fix(submission, problem),
    )


def _groups(submission: Submission, problem: Problem) -> tuple[GroupView, ...]:
    if submission.verdict is not None:
        return tuple(_group(group, submission.cases) for group in submission.groups)
    return tuple(
        GroupView(
            group.name,
            None,
            group.points,
            tuple(CaseView(_label(name, number), None) for number, name in enumerate(group.cases, 1)),
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


def _sentences(submission: Submission, message: str) -> list[tuple[tuple[str, ...], str]]:
    """Return the sentences of groups' first failing cases that say something new, each with its groups."""
    found: dict[str, str] = {}
    for case in submission.cases:
        if case.message and case.group not in found:
            found[case.group] = visible(case.message, keep="")
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
    """Return the size of the change beside the smallest accepted one, which would be a hint before the end."""
    if not submission.attempt.is_over or submission.verdict in (None, Verdict.CE, Verdict.JE):
        return None
    try:
        return _size_of_change(problem, submission.source, submission.attempt.variant)
    except NotComparable:
        return None


@lru_cache(maxsize=64)
def _size_of_change(problem: Problem, source: bytes, variant: str) -> str:
    """Return it in words; the comparison takes as long as judging does, and a page is looked at more than once."""
    return minimal_fix(problem, source, variant).sentence
