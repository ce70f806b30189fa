"""Kill matrices for people: text for a terminal, and a page with one picture and one table a package."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Final

from markupsafe import Markup

from grader.grading.check_report import Report
from grader.grading.kill_matrix import KillMatrix, KillRow
from grader.problems.schema import ProblemSpec
from grader.report.bank_index import bank_index
from grader.report.page import goes_on, standalone
from grader.report.visible import visible
from grader.wording import counted

_NAME_WIDTH: Final = 36
_MARKS: Final = "~ alternative, > starter"
_CELL, _LABELS, _HEAD = 14, 300, 34  # units of the picture
_WIDE: Final = 1100  # of these there is room for on a wide screen


def matrix_text(matrix: KillMatrix) -> str:
    """Return a matrix as lines: a row for each fault, a column for each case, x where it is killed."""
    numbers = [str(number) for number in range(1, len(matrix.cases) + 1)]
    head = [" " * _NAME_WIDTH + " " + "".join(number.rjust(2)[digit] for number in numbers) for digit in (0, 1)]
    rows = [_name(row).ljust(_NAME_WIDTH) + " " + "".join(".x"[kills] for kills in row.kills) for row in matrix.rows]
    counts = [sum(row.kills[position] for row in matrix.rows) for position in range(len(matrix.cases))]
    width = max(map(len, matrix.cases))
    legend = [
        f"{number.rjust(3)}  {visible(name, keep='').ljust(width)}  {count} of {len(matrix.rows)}"
        for number, name, count in zip(numbers, matrix.cases, counts, strict=True)
    ]
    return "\n".join([*head, *rows, "", _MARKS, "", "case, faults that it kills:", *legend, ""])


def _name(row: KillRow) -> str:
    text = visible(row.fault, keep="")
    mark = "~" if not row.origin.endswith(".py") else ">" if row.origin.startswith("starters/") else ""
    name = mark + text
    return name if len(name) <= _NAME_WIDTH else name[: _NAME_WIDTH - 1] + "…"


def matrix_page(reports: Sequence[Report], specs: Mapping[str, ProblemSpec]) -> str:
    """Return a page with an index, and the kill matrix and the rules of every report.

    Args:
        reports: what checking found.
        specs: the contracts by slug, of those packages that can be read.
    """
    return standalone("Kill matrices", Markup("\n").join([bank_index(reports, specs), *map(_section, reports)]))


def _section(report: Report) -> Markup:
    head = Markup('<h2 id="{}">{}</h2><p class="mut">{}</p>').format(
        report.slug, report.slug, counted(len(report.findings), "finding") if report.findings else "in order"
    )
    findings = Markup("").join(Markup("<li>{}</li>").format(visible(text)) for text in report.findings)
    listed = Markup('<ul class="list">{}</ul>').format(findings) if report.findings else Markup("")
    return head + listed + matrix_part(report)


def matrix_part(report: Report) -> Markup:
    """Return the picture of which case kills which fault, with its cases and rules; nothing where none was made."""
    if report.matrix is None:
        return Markup("")
    return _picture(report.matrix) + _cases(report.matrix) + _rules(report)


def _picture(matrix: KillMatrix) -> Markup:
    width = _LABELS + _CELL * len(matrix.cases) + 10
    parts = [_column_numbers(len(matrix.cases))]
    top = _HEAD
    for stage, rows in groupby(sorted(matrix.rows, key=lambda row: _stage_order(matrix, row)), lambda row: row.stage):
        parts.append(
            Markup('<text x="0" y="{}" font-weight="600">{}</text>').format(top + 11, stage or "contract, no stage")
        )
        top += _CELL + 2
        for row in rows:
            parts.append(_row(matrix, row, top))
            top += _CELL
        top += 6
    label = f"Kill matrix: {counted(len(matrix.rows), 'fault')} by {counted(len(matrix.cases), 'case')}"
    return goes_on("map", is_always_wide=width > _WIDE) + Markup(
        '<div class="scroll panel pad" tabindex="0" role="region" aria-label="Kill matrix">'
        '<svg role="img" aria-label="{}" width="{}" height="{}" font-size="10" '
        'fill="currentColor" font-family="var(--f-mono)">{}</svg></div><p class="small mut">{}</p>'
    ).format(label, width, top, Markup("").join(parts), _MARKS)


def _stage_order(matrix: KillMatrix, row: KillRow) -> int:
    stages = list(dict.fromkeys(each.stage for each in matrix.rows if not each.origin.endswith(".py")))
    known = [stage for stage in stages if stage is not None]
    return known.index(row.stage) if row.stage in known else len(known)


def _column_numbers(count: int) -> Markup:
    numbers = (
        Markup('<text x="{}" y="{}" text-anchor="middle">{}</text>').format(
            _LABELS + _CELL * position + _CELL / 2, _HEAD - 8, position + 1
        )
        for position in range(count)
    )
    return Markup("").join(numbers)


def _row(matrix: KillMatrix, row: KillRow, top: int) -> Markup:
    """Return a fault's row; a killed cell is filled and crossed, so that colour is not all there is."""
    cells = [Markup('<text x="8" y="{}">{}</text>').format(top + 11, _name(row))]
    for position, (case, kills) in enumerate(zip(matrix.cases, row.kills, strict=True)):
        x = _LABELS + _CELL * position
        title = f"{case} {'kills' if kills else 'does not kill'} {row.fault}"
        fill = "var(--accent)" if kills else "var(--sunken)"
        cells.append(
            Markup('<rect x="{}" y="{}" width="{}" height="{}" fill="{}"><title>{}</title></rect>').format(
                x, top + 1, _CELL - 2, _CELL - 2, fill, title
            )
        )
    return Markup("").join(cells)


def _cases(matrix: KillMatrix) -> Markup:
    rows = []
    for position, name in enumerate(matrix.cases):
        killed = [row for row in matrix.rows if row.kills[position]]
        alone = sum(sum(row.kills) == 1 for row in killed)
        cells = (position + 1, name, len(killed), alone)
        rows.append(
            Markup('<tr><td class="n">{}</td><td>{}</td><td class="n">{}</td><td class="n">{}</td></tr>').format(*cells)
        )
    return goes_on() + Markup(
        '<div class="scroll" tabindex="0" role="region" aria-label="Cases">'
        '<table class="tbl"><caption class="small mut">Cases in judging order</caption><thead><tr>'
        '<th scope="col" class="n">No.</th><th scope="col">Case</th><th scope="col" class="n">Kills</th>'
        '<th scope="col" class="n">Alone</th></tr></thead><tbody>{}</tbody></table></div>'
    ).format(Markup("").join(rows))


def _rules(report: Report) -> Markup:
    rows = Markup("").join(
        Markup('<tr><td>{}</td><td class="n">{}</td><td class="small">{}</td></tr>').format(
            f"{rule.name} ({rule.entry})",
            rule.minimum or "all",
            "exempt" if rule.is_exempt else ", ".join(rule.cases) or "no case",
        )
        for rule in report.rules
    )
    return goes_on() + Markup(
        '<div class="scroll" tabindex="0" role="region" aria-label="Rules">'
        '<table class="tbl"><caption class="small mut">Rules for hidden cases</caption><thead><tr>'
        '<th scope="col">Rule</th><th scope="col" class="n">At least</th><th scope="col">Cases</th></tr></thead>'
        "<tbody>{}</tbody></table></div>"
    ).format(rows)
