"""The index of a bank: each problem with its level, minutes and tags, and what its cases do to its faults."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from markupsafe import Markup

from grader.grading.check_report import Report
from grader.grading.kill_matrix import KillMatrix
from grader.problems.schema import ProblemSpec
from grader.report.page import goes_on
from grader.report.visible import visible
from grader.wording import counted

_UNKNOWN: Final = "–"


def bank_index(reports: Sequence[Report], specs: Mapping[str, ProblemSpec]) -> Markup:
    """Return a table with a row for each report, which leads to its part of the page.

    Args:
        reports: what checking found.
        specs: the contracts by slug, of those packages that can be read.
    """
    rows = Markup("").join(_row(report, specs.get(report.slug)) for report in reports)
    return goes_on() + Markup(
        '<div class="scroll panel" tabindex="0" role="region" aria-label="Problems">'
        '<table class="tbl"><caption class="small mut">{}</caption><thead><tr>'
        '<th scope="col">Problem</th><th scope="col">Level</th><th scope="col" class="n">Minutes</th>'
        '<th scope="col">Tags</th><th scope="col" class="n">Sources</th><th scope="col" class="n">Secret cases</th>'
        '<th scope="col" class="n">Faults killed</th><th scope="col" class="n">By one case alone</th>'
        '<th scope="col">State</th></tr></thead><tbody>{}</tbody></table></div>'
    ).format(_caption(reports), rows)


def _caption(reports: Sequence[Report]) -> str:
    in_order = sum(not report.findings for report in reports)
    sources = sum(len(report.sources) for report in reports)
    return f"{counted(len(reports), 'problem')}, {in_order} in order; {counted(sources, 'source')}."


def _row(report: Report, spec: ProblemSpec | None) -> Markup:
    count = len(report.findings)
    state = counted(count, "finding") if count else "in order"
    name = Markup('<a href="#{}">{}</a><br><span class="small mut">{}</span>').format(
        report.slug, visible(report.slug, keep=""), visible(spec.title, keep="") if spec else "cannot be read"
    )
    about = (spec.level, spec.minutes, ", ".join(spec.tags)) if spec else (_UNKNOWN, _UNKNOWN, _UNKNOWN)
    return Markup(
        '<tr><td>{}</td><td>{}</td><td class="n">{}</td><td class="small">{}</td><td class="n">{}</td>'
        '<td class="n">{}</td><td class="n">{}</td><td class="n">{}</td><td>{}</td></tr>'
    ).format(name, *about, len(report.sources), *_killed(report.matrix), state)


def _killed(matrix: KillMatrix | None) -> tuple[str, str, str]:
    """Return the number of secret cases, how many faults they kill, and how many of these one case kills alone."""
    if matrix is None:
        return _UNKNOWN, _UNKNOWN, _UNKNOWN
    secret = [position for position, name in enumerate(matrix.cases) if name.startswith("secret_")]
    killers = [sum(row.kills[position] for position in secret) for row in matrix.rows]
    killed = f"{sum(number > 0 for number in killers)} of {len(killers)}"
    return str(len(secret)), killed, str(killers.count(1))
