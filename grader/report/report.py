"""The report of one judged submission: one self-contained page for the interviewer or author who ran `grade`.

It names secret cases and counts over them, and shows no value of theirs: those are in the evidence record.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Final

from markupsafe import Markup

from grader.grading.extra_runs import ExtraRuns
from grader.grading.judge import Examination
from grader.grading.verdict import CaseResult, GroupResult, Judgement, Verdict
from grader.problems.cases import Case
from grader.problems.loader import Problem
from grader.report.extra_observed import extra_observed
from grader.report.icons import icon, sprite, state, verdict_kind
from grader.report.page import goes_on, standalone
from grader.report.report_weights import sample_weights, secret_weights
from grader.report.sample_outputs import sample_outputs
from grader.report.source_diff import source_diff
from grader.report.stage_strip import said_in_words, stage_strip, why_judged_without_stages
from grader.report.terminal import points_text
from grader.report.visible import visible
from grader.report.weakened import weakened_banner
from grader.wording import counted

PRINTS_SHOWN: Final = 8000  # characters
LINE_NARROW: Final = 36  # characters of a line for which a narrow screen has room
_METHODS: Final = {
    "fingerprint": "It returns what this fault returns on every secret case that tells it from others.",
    "trace": "Concluded from what it computes on failing cases. That is its own process's claim: it may be forged, and "
    "neither verdict nor points rest on it.",
    "invariants": "Concluded from what it returns alone.",
    "none": "",
}


def report(
    problem: Problem,
    source: bytes,
    name: str,
    examination: Examination,
    cases: Sequence[Case],
    extra: ExtraRuns | None = None,
) -> str:
    """Return the page.

    Args:
        name: the submission's file name.
        cases: the problem's cases; none where they could not be made.
        extra: what `extra_runs` has observed of the same submission, where it was asked.
    """
    judgement = examination.judgement
    judged = examination.judged.outcomes
    outcomes = {case.name: outcome for case, outcome in zip(cases, judged, strict=False)}
    sections = [
        ("Weights on the sample", sample_weights(sample_outputs(problem, cases, judged))),
        ("Weights on the secret cases", secret_weights(problem, cases, outcomes)),
        ("Perturbation and stability", extra_observed(extra) if extra else Markup("")),
        ("Groups and cases", _groups(judgement)),
        ("Changes", _changes(problem, source)),
        ("Prints", _prints(judgement)),
        ("How it was judged", _facts(problem, judgement)),
    ]
    body = Markup("").join(_section(title, content) for title, content in sections if content)
    head = Markup('{}<div class="stack-l">{}{}</div>').format(sprite(), _head(problem, name, judgement), body)
    return standalone(f"{problem.spec.title}: {judgement.verdict.word}", head)


def _section(title: str, content: Markup) -> Markup:
    return Markup('<section class="sec"><h2>{}</h2>{}</section>').format(title, content)


def _head(problem: Problem, name: str, judgement: Judgement) -> Markup:
    notice = Markup(
        '<p class="callout none">{}<span>For interviewers and authors: this page names secret cases. It shows no value '
        "of theirs.</span></p>"
    ).format(icon("warn"))
    file = "standard input" if name == "-" else visible(PurePath(name).name, keep="")
    title = Markup('<p class="small mut typed">{} · <code>{}</code></p>').format(problem.spec.title, file)
    banner = weakened_banner(int(judgement.sandbox.weakened), 1)
    parts = (banner, notice, title, _verdict(judgement), _finding(judgement))
    return Markup('<div class="stack">{}</div>').format(Markup("").join(parts))


def _verdict(judgement: Judgement) -> Markup:
    kind = verdict_kind(judgement.verdict)
    reason = f" · {judgement.reason.value}" if judgement.reason else ""
    points = "–" if judgement.score is None else f"{judgement.score:g}"
    of = "not counted" if judgement.score is None else f"of {counted(judgement.max_score or 0.0, 'point')}"
    return Markup(
        '<div class="verdict {}"><span class="badge">{}</span><div><h1>{}</h1><p class="small">{}{}</p></div>'
        '<p class="pts">{}<small> {}</small></p></div>'
    ).format(kind, icon(kind), judgement.verdict.word, judgement.verdict.value, reason, points, of)


def _finding(judgement: Judgement) -> Markup:
    finding = judgement.finding
    parts = [
        Markup('<p class="finding">{}</p>').format(visible(said_in_words(finding.sentence, finding.faults), keep=""))
    ]
    if finding.sentence != judgement.message:
        parts.append(Markup('<p class="small mut">{}</p>').format(visible(judgement.message, keep="")))
    if finding.stages:
        parts.append(stage_strip(finding.stages))
    elif why := why_judged_without_stages(judgement):
        parts.append(Markup('<p class="small mut">{}</p>').format(why))
    if method := _METHODS[finding.method]:
        parts.append(Markup('<p class="tiny dim">{}</p>').format(method))
    return Markup("").join(parts)


def _groups(judgement: Judgement) -> Markup:
    if not judgement.groups:
        return Markup("")
    rows = Markup("").join(
        _group(group, [case for case in judgement.cases if case.group == group.name]) for group in judgement.groups
    )
    return Markup(
        '<div class="panel scroll" tabindex="0" role="region" aria-label="Groups and cases">'
        '<table class="tbl tight"><thead><tr><th scope="col">Group</th><th scope="col">Cases</th>'
        '<th scope="col" class="n">Points</th></tr></thead><tbody>{}</tbody></table></div>'
    ).format(rows)


def _group(group: GroupResult, cases: list[CaseResult]) -> Markup:
    right = sum(case.verdict is Verdict.AC for case in cases)
    listed = Markup("").join(Markup("<li>{}</li>").format(_case(case)) for case in cases)
    sentences = dict.fromkeys(case.failure.message for case in cases if case.failure)
    told = Markup("").join(Markup('<p class="sub">{}</p>').format(visible(text, keep="")) for text in sentences)
    return Markup(
        '<tr><th scope="row">{}<span class="sub">{} of {} right</span></th><td><ul class="cases">{}</ul>{}</td>'
        '<td class="n b">{}</td></tr>'
    ).format(group.name, right, len(cases), listed, told, points_text(group.points, group.max_points))


def _case(case: CaseResult) -> Markup:
    word = case.verdict.value if case.verdict else "not reached"
    return state(verdict_kind(case.verdict), f"{case.name} {word}")


def _changes(problem: Problem, source: bytes) -> Markup:
    drawn = source_diff(problem, source)
    is_wide = '<table class="diff">' in drawn and max(map(len, source.splitlines()), default=0) > LINE_NARROW
    return goes_on() + drawn if is_wide else drawn


def _prints(judgement: Judgement) -> Markup:
    """Return prints of the import and of samples: those of secret cases may hold values."""
    shown = [("While it was imported", judgement.import_prints)]
    shown += [(case.name, case.prints) for case in judgement.cases if case.visibility == "sample"]
    parts = [
        Markup('<p class="lab">{}</p><pre class="code" tabindex="0">{}</pre>').format(where, _bounded(visible(text)))
        for where, text in shown
        if text
    ]
    hidden = sum(bool(case.prints) for case in judgement.cases if case.visibility == "secret")
    if hidden:
        text = f"It prints in {counted(hidden, 'secret case')} as well; the evidence record has those prints."
        parts.append(Markup('<p class="small mut">{}</p>').format(text))
    return Markup("").join(parts)


def _bounded(text: str) -> str:
    more = len(text) - PRINTS_SHOWN
    return text if more <= 0 else f"{text[:PRINTS_SHOWN]}\n… {counted(more, 'character')} more"


def _facts(problem: Problem, judgement: Judgement) -> Markup:
    items = Markup("").join(
        Markup("<dt>{}</dt><dd>{}</dd>").format(term, fact) for term, fact in _fact_list(problem, judgement)
    )
    return Markup('<div class="panel pad"><dl class="kv">{}</dl></div>').format(items)


def _fact_list(problem: Problem, judgement: Judgement) -> Iterator[tuple[str, str]]:
    limits, walls = problem.spec.limits, judgement.sandbox
    yield "Problem", problem.slug
    yield "Package SHA-256", judgement.package_sha256 or "–"
    yield "Source SHA-256", judgement.source_sha256
    yield "Versions", ", ".join(f"{name} {version}" for name, version in judgement.versions.items()) or "–"
    yield "Sandbox", ", ".join(walls.layers) + (" (weakened)" if walls.weakened else "") or "–"
    yield "Limits", f"{limits.case_s:g} s a call, {limits.total_s:g} s in all, {limits.memory_mib} MiB"
    yield "Time", f"{judgement.total_ms:.0f} ms, of which its own {judgement.run_ms:.0f} ms"
