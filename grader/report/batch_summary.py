"""What a terminal shows of a finished batch, and of results that would change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rich.table import Table
from rich.text import Text

from grader.grading.verdict import Verdict
from grader.report.terminal import verdict_text
from grader.report.visible import visible


def summary_table(rows: Iterable[Mapping[str, str]]) -> Table:
    """Return verdicts by problem, with the mean of the points; the rows are those of results.csv."""
    counts: dict[str, Counter[str]] = {}
    points: dict[str, list[float]] = {}
    for row in rows:
        counts.setdefault(row["problem"], Counter())[row["verdict"]] += 1
        if row["score"]:
            points.setdefault(row["problem"], []).append(float(row["score"]))
    used = [verdict for verdict in Verdict if any(count[verdict.value] for count in counts.values())]
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("problem", no_wrap=True)
    for name in ("results", *used, "mean points"):
        table.add_column(name, justify="right")
    for problem in sorted(counts):
        numbers = [str(counts[problem][verdict.value] or "·") for verdict in used]
        mean = points.get(problem)
        shown = f"{sum(mean) / len(mean):.1f}" if mean else "–"
        table.add_row(problem, str(counts[problem].total()), *numbers, shown)
    return table


@dataclass(frozen=True)
class Changed:
    """A result that comes out otherwise: verdict and points, before and after."""

    candidate: str
    problem: str
    before: tuple[Verdict, float | None]
    after: tuple[Verdict, float | None]


def changes_table(changes: Sequence[Changed]) -> Table:
    """Return the results that change, one a line."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("candidate", overflow="fold")  # a long name gives way, nothing else is cut
    for name in ("problem", "before", "after"):
        table.add_column(name, no_wrap=True)
    for change in changes:
        before, after = (_judged(*each) for each in (change.before, change.after))
        table.add_row(visible(change.candidate, keep=""), change.problem, before, after)
    return table


def _judged(verdict: Verdict, score: float | None) -> Text:
    text = verdict_text(verdict)
    return text.append(f" {'–' if score is None else f'{score:g}'}", style="default")
