"""A batch as one page for interviewers: verdicts, who has which fault, how the points lie, who did what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from markupsafe import Markup

from grader.grading.verdict import Verdict
from grader.report.cohort_charts import bar, histogram
from grader.report.fault_map import MapRow, fault_map
from grader.report.icons import sprite, state, verdict_kind
from grader.report.page import goes_on, standalone
from grader.report.unusable import Reasons, unjudged_of
from grader.report.visible import visible
from grader.report.weakened import weakened_banner
from grader.wording import counted

BINS: Final = 10
FAULTS_DRAWN: Final = 40
COLUMNS_NARROW: Final = 4  # for so many a narrow screen has room
CANDIDATES_DRAWN: Final = 120
Row = Mapping[str, str]  # of results.csv


@dataclass(frozen=True)
class Cohort:
    """What the page is made of."""

    title: str
    rows: Sequence[Row]
    problems: Sequence[str]
    expected: Sequence[str]  # candidates of the roster; none without one
    pages: Mapping[str, str]  # address of each candidate's page
    unusable: Reasons = field(default_factory=dict)  # what cannot be judged
    waiting: Collection[tuple[str, str]] = ()  # candidate and problem of what is not judged yet
    weakened: int = 0  # how many of the rows were judged by a weakened sandbox

    @property
    def candidates(self) -> list[str]:
        """Who handed in, sorted."""
        return sorted({row["candidate"] for row in self.rows})


def cohort_page(cohort: Cohort) -> str:
    """Return the page. Names of candidates and files are not trusted; no value of a secret case is in it."""
    sections = [
        ("Verdicts", _verdicts(cohort)),
        ("Which fault, in whose submissions", _faults(cohort)),
        ("Points", _points(cohort)),
        ("Handed in, and not judged", _unjudged(cohort)),
        ("Not judged yet", _waiting(cohort)),
        ("Without a submission", _missing(cohort)),
        ("Candidates", _candidates(cohort)),
    ]
    parts = [
        Markup('<section class="sec"><h2>{}</h2>{}</section>').format(name, body) for name, body in sections if body
    ]
    title = visible(cohort.title, keep="")
    head = Markup('<div class="head"><div><h1>Results of {}</h1><p>{}, {}. For interviewers.</p></div></div>')
    size = counted(len(cohort.candidates), "candidate"), counted(len(cohort.rows), "result")
    banner = weakened_banner(cohort.weakened, len(cohort.rows))
    body = Markup('{}{}<div class="stack-l">{}{}</div>').format(
        sprite(), head.format(title, *size), banner, Markup("").join(parts)
    )
    return standalone(f"Results of {title}", body, "review.css")


def verdict_state(verdict: str) -> Markup:
    """Return a verdict as shape and word."""
    return state(verdict_kind(verdict), Verdict(verdict).word)


def table(
    caption: str, head: Iterable[tuple[str, bool]], rows: Iterable[Iterable[Markup | str]], *, is_wide: bool = False
) -> Markup:
    """Return a table; a column is given as its name and whether it holds numbers, the first one names the row.

    Args:
        is_wide: few columns are too wide for a narrow screen as well.
    """
    columns = list(head)
    names = Markup("").join(Markup('<th scope="col"{}>{}</th>').format(_number(is_n), name) for name, is_n in columns)
    lines = Markup("").join(_line(row, [is_n for _, is_n in columns]) for row in rows)
    hint = goes_on() if is_wide or len(columns) > COLUMNS_NARROW else Markup("")
    return hint + Markup(
        '<div class="panel scroll" tabindex="0" role="region" aria-label="{}"><table class="tbl tight"><thead><tr>{}'
        "</tr></thead><tbody>{}</tbody></table></div>"
    ).format(caption, names, lines)


def _line(row: Iterable[Markup | str], numbers: Sequence[bool]) -> Markup:
    first, *rest = row
    cells = Markup("").join(
        Markup("<td{}>{}</td>").format(_number(is_n), cell) for cell, is_n in zip(rest, numbers[1:], strict=True)
    )
    return Markup('<tr><th scope="row">{}</th>{}</tr>').format(first, cells)


def _number(is_number: bool) -> Markup:
    return Markup(' class="n"') if is_number else Markup("")


def _verdicts(cohort: Cohort) -> Markup:
    counts = Counter(row["verdict"] for row in cohort.rows)
    rows = [
        (verdict_state(verdict.value), str(counts[verdict.value]), bar(counts[verdict.value], len(cohort.rows)))
        for verdict in Verdict
        if counts[verdict.value]
    ]
    whole = table("Verdicts", [("Verdict", False), ("Results", True), ("Share", False)], rows)
    used = [verdict.value for verdict in Verdict if counts[verdict.value]]
    by_problem = {problem: Counter[str]() for problem in cohort.problems}
    for row in cohort.rows:
        by_problem.setdefault(row["problem"], Counter())[row["verdict"]] += 1
    lines = [
        (problem, *(str(by_problem[problem][verdict] or "·") for verdict in used), _mean(cohort.rows, problem))
        for problem in by_problem
    ]
    head = [("Problem", False), *((verdict, True) for verdict in used), ("Mean points", True)]
    return whole + table("Verdicts by problem", head, lines)


def _mean(rows: Iterable[Row], problem: str) -> str:
    points = [float(row["score"]) for row in rows if row["problem"] == problem and row["score"]]
    return f"{sum(points) / len(points):.1f}" if points else "–"


def _faults(cohort: Cohort) -> Markup:
    counts: dict[str, Counter[str]] = {}
    for row in cohort.rows:
        for fault in row["faults"].split():
            counts.setdefault(fault, Counter())[row["candidate"]] += 1
    if not counts:
        return Markup("")
    order = sorted(counts, key=lambda fault: (-len(counts[fault]), fault))
    rows = [(visible(fault, keep=""), str(counts[fault].total()), str(len(counts[fault]))) for fault in order]
    head = [("Fault", False), ("Submissions", True), ("Candidates", True)]
    return _fault_map(cohort, order, counts) + table("Faults by number of candidates", head, rows)


def _fault_map(cohort: Cohort, order: Sequence[str], counts: Mapping[str, Counter[str]]) -> Markup:
    """Draw the most common faults by the candidates who have one; a column bears the number of the last table."""
    shown = order[:FAULTS_DRAWN]
    guilty = {name for fault in shown for name in counts[fault]}
    columns = [(at, name) for at, name in enumerate(cohort.candidates, 1) if name in guilty][:CANDIDATES_DRAWN]
    rows = [
        MapRow(
            visible(fault, keep=""),
            counts[fault].total(),
            len(counts[fault]),
            [(counts[fault][name], False) for _, name in columns],
        )
        for fault in shown
    ]
    drawn = fault_map(rows, [(at, visible(name, keep="")) for at, name in columns])
    cut = len(shown) < len(order) or len(columns) < len(guilty)
    text = "A column is a candidate, by the number in the last table; a cell counts the submissions with that fault."
    of_all = counted(len(order), "fault"), counted(len(guilty), "candidate")
    text += f" Drawn: {len(shown)} of {of_all[0]}, {len(columns)} of {of_all[1]}." if cut else ""
    return goes_on("map") + Markup(
        '<div class="scroll panel pad" tabindex="0" role="region" aria-label="Fault by candidate">{}</div>'
        '<p class="small mut">{}</p>'
    ).format(drawn, text)


def _points(cohort: Cohort) -> Markup:
    shares = [
        float(row["score"]) / float(row["max_score"])
        for row in cohort.rows
        if row["score"] and float(row["max_score"] or 0) > 0
    ]
    if not shares:
        return Markup("")
    bins = [0] * (BINS + 1)  # the last one is all points, which is not the same as nearly all
    for share in shares:
        bins[min(BINS, int(share * BINS))] += 1
    step = 100 // BINS
    names = [f"{low * step} to {(low + 1) * step} %" for low in range(BINS)] + ["100 %"]
    rows = [(name, str(count)) for name, count in zip(names, bins, strict=True)]
    return histogram(names, bins) + table(
        "Results by points", [("Points, from to below", False), ("Results", True)], rows
    )


def _missing(cohort: Cohort) -> Markup:
    here = {*cohort.candidates, *(candidate for candidate, _ in (*cohort.unusable, *cohort.waiting))}
    names = [name for name in cohort.expected if name not in here]
    listed = Markup("").join(Markup("<li>{}</li>").format(visible(name, keep="")) for name in names)
    return Markup('<ul class="list">{}</ul>').format(listed) if names else Markup("")


def _waiting(cohort: Cohort) -> Markup:
    """List what a stopped batch has left."""
    if not cohort.waiting:
        return Markup("")
    rows = [(_link(cohort, candidate), it.name) for candidate, it in unjudged_of({}, cohort.waiting)]
    return Markup("<p>{}</p>{}").format(
        "The batch was stopped before these; it goes on with --resume.",
        table("Not judged yet", [("Candidate", False), ("Problem", False)], rows),
    )


def _unjudged(cohort: Cohort) -> Markup:
    if not cohort.unusable:
        return Markup("")
    rows = []
    for candidate, it in unjudged_of(cohort.unusable, ()):
        rows.append((_link(cohort, candidate), it.name, it.sentence))
    return table("Handed in, and not judged", [("Candidate", False), ("Problem", False), ("Why", False)], rows)


def _link(cohort: Cohort, candidate: str) -> Markup:
    return Markup('<a href="{}">{}</a>').format(cohort.pages[candidate], visible(candidate, keep=""))


def _candidates(cohort: Cohort) -> Markup:
    results: dict[str, dict[str, Row]] = {candidate: {} for candidate in cohort.candidates}
    for row in cohort.rows:
        results[row["candidate"]][row["problem"]] = row
    lines = []
    for number, (candidate, mine) in enumerate(results.items(), 1):
        cells = [_result(cohort, mine.get(problem), (candidate, problem)) for problem in cohort.problems]
        total = sum(float(row["score"]) for row in mine.values() if row["score"])
        lines.append((_link(cohort, candidate), str(number), *cells, f"{total:g}"))
    head = [("Candidate", False), ("No.", True), *((problem, False) for problem in cohort.problems), ("Points", True)]
    return table("Candidates", head, lines)


def _result(cohort: Cohort, row: Row | None, key: tuple[str, str]) -> Markup | str:
    if row is None and key in cohort.waiting:
        return state("none", "not judged yet")
    if row is None:
        return state("none", "not judged") if key in cohort.unusable else "–"
    points = Markup(' <span class="small mut">{}</span>').format(row["score"]) if row["score"] else ""
    return verdict_state(row["verdict"]) + points
