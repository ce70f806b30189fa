"""Judges a source that nobody waits for at a page: whatever fails on our side is JE, a record is made if asked for."""

from __future__ import annotations

from dataclasses import dataclass

from grader.grading.evidence import record
from grader.grading.evidence_file import text_of
from grader.grading.extra_runs import extra_runs
from grader.grading.judge import Depth, Examination, examine
from grader.grading.judge_run import not_judged
from grader.grading.verdict import Judgement, Reason, Verdict
from grader.problems.cache import CaseCache
from grader.problems.loader import Problem
from grader.sandbox.pool import Lane, SandboxUnavailable


@dataclass(frozen=True)
class Recorded:
    """A judgement, and the text of its evidence record.

    `trouble` says for the operator why it is JE, or why it has no record.
    """

    judgement: Judgement
    evidence: str | None = None
    trouble: str = ""

    @classmethod
    def of(cls, judgement: Judgement) -> Recorded:
        """Return a judgement without a record."""
        failure = judgement.failure
        return cls(judgement, trouble=failure.detail if failure and judgement.verdict is Verdict.JE else "")


def judge_and_record(
    problem: Problem, source: bytes, lane: Lane, cache: CaseCache, depth: Depth, evidence: bool
) -> Recorded:
    """Judge a source; nothing is raised.

    Args:
        evidence: make an evidence record unless it is accepted.
    """
    try:
        examination = examine(problem, source, lane, cache, depth)
    except SandboxUnavailable as error:
        return Recorded.of(not_judged(problem.slug, source, Reason.JUDGE_ERROR, str(error), problem.sha256))
    except Exception as error:  # a fault of ours stops no other submission
        lane.close()
        detail = f"{type(error).__name__}: {error}"
        return Recorded.of(not_judged(problem.slug, source, Reason.JUDGE_ERROR, detail, problem.sha256))
    recorded = Recorded.of(examination.judgement)
    if not evidence or examination.judgement.verdict in (Verdict.AC, Verdict.JE):
        return recorded
    return _with_evidence(recorded, problem, source, examination, lane, cache)


def _with_evidence(
    recorded: Recorded, problem: Problem, source: bytes, examination: Examination, lane: Lane, cache: CaseCache
) -> Recorded:
    try:
        extra = extra_runs(problem, source, recorded.judgement, lane, cache)
        data = record(problem, source, examination, lane, cache, extra)
    except Exception as error:  # a fault of ours costs the record, never the verdict
        lane.close()
        trouble = f"its evidence record cannot be made ({type(error).__name__}: {error})"
        return Recorded(recorded.judgement, trouble=trouble)
    return Recorded(recorded.judgement, text_of(data))
