"""What checking a package found, as one value and as plain data: for the terminal, for JSON and for the cache."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from grader.grading.kill_matrix import KillMatrix, KillRow
from grader.grading.lint import RuleResult
from grader.grading.verdict import Judgement, Verdict
from grader.sandbox.wire import Buffer, WireError


@dataclass(frozen=True)
class SourceVerdict:
    """What one of the package's sources got; `expected` None: WA or RTE (a starter)."""

    path: str
    expected: Verdict | None
    verdict: Verdict
    reason: str | None
    cases: tuple[Verdict | None, ...]
    where: str = ""  # the first failing case and what was wrong there

    @classmethod
    def of(cls, path: str, expected: Verdict | None, judgement: Judgement) -> SourceVerdict:
        """Return what a judgement says of a source."""
        first = next((case for case in judgement.cases if case.failure), None)
        where = f" at {first.name}: {first.failure.detail or first.failure.message}" if first and first.failure else ""
        reason = judgement.reason.value if judgement.reason else None
        cases = tuple(case.verdict for case in judgement.cases)
        return cls(path, expected, judgement.verdict, reason, cases, where)

    @property
    def is_right(self) -> bool:
        """Whether the verdict is the one that the folder names."""
        return self.verdict is self.expected if self.expected else self.verdict in (Verdict.WA, Verdict.RTE)


@dataclass(frozen=True)
class RuleCases:
    """A rule for hidden cases that applies to an entry, and the secret cases that satisfy it."""

    name: str
    entry: str
    minimum: int | None  # None: every one
    cases: tuple[str, ...]
    is_exempt: bool

    @classmethod
    def of(cls, result: RuleResult) -> RuleCases:
        """Return what a report keeps of how a rule stands."""
        return cls(result.rule.name, result.entry, result.rule.minimum, result.cases, result.is_exempt)


@dataclass(frozen=True)
class Report:
    """All that checking found in a package."""

    slug: str
    findings: tuple[str, ...]
    sources: tuple[SourceVerdict, ...] = ()
    matrix: KillMatrix | None = None
    rules: tuple[RuleCases, ...] = ()
    waiting: int | None = None  # rules that are not looked at until the stages compose; None where they do
    notices: tuple[str, ...] = ()  # what is no finding, and worth a look

    def as_object(self) -> dict[str, Any]:
        """Return the report as plain data."""
        return {
            "slug": self.slug,
            "ok": not self.findings,
            "findings": list(self.findings),
            "sources": [
                {
                    "path": source.path,
                    "expected": source.expected,
                    "verdict": source.verdict,
                    "reason": source.reason,
                    "cases": list(source.cases),
                }
                for source in self.sources
            ],
            "matrix": _matrix_object(self.matrix) if self.matrix else None,
            "rules": [
                {
                    "name": rule.name,
                    "entry": rule.entry,
                    "minimum": rule.minimum,
                    "cases": list(rule.cases),
                    "exempt": rule.is_exempt,
                }
                for rule in self.rules
            ],
            "waiting": self.waiting,
            "notices": list(self.notices),
        }


def _matrix_object(matrix: KillMatrix) -> dict[str, Any]:
    return {
        "cases": list(matrix.cases),
        "faults": [
            {
                "fault": row.fault,
                "stage": row.stage,
                "origin": row.origin,
                "killed_by": [name for name, kills in zip(matrix.cases, row.kills, strict=True) if kills],
            }
            for row in matrix.rows
        ],
    }


def pack(report: Report) -> bytes:
    """Return a report as bytes, for the cache."""
    return json.dumps(report.as_object()).encode()


def unpack(data: Buffer) -> Report:
    """Return what `pack` wrote; `where` of the sources is left out, the findings hold it.

    Raises:
        WireError: something else is in the bytes.
    """
    try:
        found = json.loads(data[:])
        return Report(
            slug=found["slug"],
            findings=tuple(found["findings"]),
            sources=tuple(map(_source, found["sources"])),
            matrix=_matrix(found["matrix"]) if found["matrix"] else None,
            rules=tuple(
                RuleCases(rule["name"], rule["entry"], rule["minimum"], tuple(rule["cases"]), rule["exempt"])
                for rule in found["rules"]
            ),
            waiting=found["waiting"],
            notices=tuple(found["notices"]),
        )
    except (KeyError, TypeError, ValueError):
        raise WireError("no report of a check") from None


def _source(found: dict[str, Any]) -> SourceVerdict:
    return SourceVerdict(
        found["path"],
        Verdict(found["expected"]) if found["expected"] else None,
        Verdict(found["verdict"]),
        found["reason"],
        tuple(Verdict(case) if case else None for case in found["cases"]),
    )


def _matrix(found: dict[str, Any]) -> KillMatrix:
    cases = tuple(found["cases"])
    rows = (
        KillRow(row["fault"], row["stage"], row["origin"], tuple(case in row["killed_by"] for case in cases))
        for row in found["faults"]
    )
    return KillMatrix(cases, tuple(rows))
