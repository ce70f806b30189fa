"""A judgement in the formats that other programs read: the JSON object of `grade --json` and batch, and CSV rows."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from grader.grading.verdict import CaseResult, Finding, GroupResult, Judgement
from grader.report.visible import visible

SCHEMA: Final = 1
CSV_COLUMNS: Final = (
    "candidate",
    "problem",
    "verdict",
    "reason",
    "score",
    "max_score",
    "first_wrong_stage",
    "faults",
    "source_sha256",
    "package_sha256",
)
# how formulas begin, in some spreadsheets in full width as well; a cell may begin after another country's separator,
# and a quote be taken off before it
_FORMULA: Final = re.compile(r"(^|[;,|])(?=[\s\"]*[=+\-@\uff1d\uff0b\uff0d\uff20])")


def result(judgement: Judgement) -> dict[str, Any]:
    """Return the result object, schema 1: names and verdicts of all cases, no value of a secret one.

    A finding has `looked_up`, which is false, only where known faults could have been looked up and were not: then that
    it names none says nothing.
    """
    sandbox = judgement.sandbox
    return {
        "schema": SCHEMA,
        "problem": judgement.problem,
        "package_sha256": judgement.package_sha256,
        "source_sha256": judgement.source_sha256,
        "verdict": judgement.verdict.value,
        "reason": judgement.reason.value if judgement.reason else None,
        "message": visible(judgement.message, keep=""),
        "score": judgement.score,
        "max_score": judgement.max_score,
        "groups": [_group(group) for group in judgement.groups],
        "cases": [_case(case) for case in judgement.cases],
        "finding": _finding(judgement.finding),
        "versions": dict(judgement.versions),
        "sandbox": {"layers": list(sandbox.layers), "weakened": sandbox.weakened},
        "timing": {"total_ms": round(judgement.total_ms, 3), "run_ms": round(judgement.run_ms, 3)},
    }


def _group(group: GroupResult) -> dict[str, Any]:
    return {
        "name": group.name,
        "points": group.points,
        "max_points": group.max_points,
        "verdict": group.verdict.value if group.verdict else None,
    }


def _case(case: CaseResult) -> dict[str, Any]:
    return {
        "name": case.name,
        "group": case.group,
        "visibility": case.visibility,
        "verdict": case.verdict.value if case.verdict else None,
        "reason": case.failure.reason.value if case.failure else None,
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "sentence": visible(finding.sentence, keep=""),
        "first_wrong_stage": finding.first_wrong_stage,
        "faults": list(finding.faults),
        "method": finding.method,
        "stages": [{"name": name, "status": status} for name, status in finding.stages],
        **({} if finding.is_looked_up else {"looked_up": False}),
    }


def json_line(value: Mapping[str, Any]) -> str:
    """Return a result as one line of JSON, ASCII only, so that no reader stumbles over an encoding."""
    return json.dumps(value, separators=(", ", ": "))


def csv_row(value: Mapping[str, Any]) -> dict[str, str]:
    """Return a result's CSV columns as text."""
    finding = value["finding"]
    return {
        "candidate": str(value["candidate"]),
        "problem": value["problem"],
        "verdict": value["verdict"],
        "reason": value["reason"] or "",
        "score": number(value["score"]),
        "max_score": number(value["max_score"]),
        "first_wrong_stage": finding["first_wrong_stage"] or "",
        "faults": " ".join(finding["faults"]),
        "source_sha256": value["source_sha256"],
        "package_sha256": value["package_sha256"],
    }


def number(value: float | None) -> str:
    """Return points as text, nothing for none."""
    return "" if value is None else f"{value:g}"


def csv_table(rows: Iterable[Mapping[str, str]]) -> str:
    """Return rows as CSV, sorted by candidate and problem; a spreadsheet takes no cell for a formula."""
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, CSV_COLUMNS, lineterminator="\n")
    writer.writeheader()
    for row in sorted(rows, key=lambda row: (row["candidate"], row["problem"])):
        writer.writerow({column: safe_cell(text) for column, text in row.items()})
    return buffer.getvalue()


def safe_cell(text: str) -> str:
    """Return a text that no spreadsheet takes for a formula."""
    return _FORMULA.sub(r"\1'", visible(text, keep=""))


def csv_line(cells: Iterable[str]) -> str:
    """Return a line of CSV in which every cell is quoted and none is a formula."""
    buffer = io.StringIO()
    csv.writer(buffer, quoting=csv.QUOTE_ALL, lineterminator="\n").writerow(map(safe_cell, cells))
    return buffer.getvalue()
