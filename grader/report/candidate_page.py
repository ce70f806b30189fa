"""One candidate's results of a batch as a page for interviewers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from markupsafe import Markup

from grader.grading.verdict import Verdict
from grader.report.cohort import table, verdict_state
from grader.report.icons import icon, sprite, state, verdict_kind
from grader.report.page import standalone
from grader.report.unusable import Unjudged
from grader.report.visible import visible
from grader.report.weakened import weakened_banner
from grader.wording import counted

BACK: Final = "../report.html"
Value = Mapping[str, Any]  # a result object


def candidate_page(candidate: str, values: Sequence[Value], unjudged: Sequence[Unjudged] = ()) -> str:
    """Return the page: for each problem verdict, finding, groups and cases. It names secret cases and has no value.

    Args:
        unjudged: what of theirs has no result.
    """
    name = visible(candidate, keep="")
    notice = Markup(
        '<p class="callout none">{}<span>For interviewers: this page names secret cases. It shows no value of theirs.'
        "</span></p>"
    ).format(icon("warn"))
    head = Markup(
        '<nav aria-label="Breadcrumb"><ol class="crumbs"><li><a href="{}">All results</a></li></ol></nav>'
        '<div class="head"><h1>{}</h1></div>{}{}'
    ).format(BACK, name, weakened_banner(sum(value["sandbox"]["weakened"] for value in values), len(values)), notice)
    body = Markup("").join((*map(_problem, values), *map(_unjudged, unjudged)))
    return standalone(
        f"Results of {name}", Markup('{}<div class="stack-l"><div>{}</div>{}</div>').format(sprite(), head, body)
    )


def _problem(value: Value) -> Markup:
    verdict = Verdict(value["verdict"])
    kind = verdict_kind(verdict)
    reason = f" · {value['reason']}" if value["reason"] else ""
    points = "–" if value["score"] is None else f"{value['score']:g}"
    of = "not counted" if value["score"] is None else f"of {counted(value['max_score'] or 0.0, 'point')}"
    box = Markup(
        '<div class="verdict {}"><span class="badge">{}</span><div><h2>{}: {}</h2><p class="small">{}{}</p></div>'
        '<p class="pts">{}<small> {}</small></p></div>'
    ).format(kind, icon(kind), value["problem"], verdict.word, verdict.value, reason, points, of)
    return Markup('<section class="sec">{}{}{}{}</section>').format(box, _finding(value), _groups(value), _facts(value))


def _unjudged(it: Unjudged) -> Markup:
    box = Markup(
        '<div class="verdict none"><span class="badge">{}</span><div><h2>{}: {}</h2><p class="small">{}</p>'
        '</div><p class="pts">–<small> not counted</small></p></div>'
    ).format(icon("none"), it.name, it.state.capitalize(), it.sentence)
    return Markup('<section class="sec">{}</section>').format(box)


def _finding(value: Value) -> Markup:
    finding = value["finding"]
    parts = [Markup('<p class="finding">{}</p>').format(visible(finding["sentence"], keep=""))]
    if finding["sentence"] != value["message"]:
        parts.append(Markup('<p class="small mut">{}</p>').format(visible(value["message"], keep="")))
    return Markup("").join(parts)


def _groups(value: Value) -> Markup:
    if not value["groups"]:
        return Markup("")
    rows = []
    for group in value["groups"]:
        cases = [case for case in value["cases"] if case["group"] == group["name"]]
        listed = Markup("").join(Markup("<li>{}</li>").format(_case(case)) for case in cases)
        points = f"{group['points']:g} of {group['max_points']:g}"
        verdict = verdict_state(group["verdict"]) if group["verdict"] else state("none", "not reached")
        rows.append((group["name"], verdict, Markup('<ul class="cases">{}</ul>').format(listed), points))
    head = [("Group", False), ("Verdict", False), ("Cases", False), ("Points", True)]
    return table(f"Groups and cases of {value['problem']}", head, rows, is_wide=True)


def _case(case: Value) -> Markup:
    verdict = case["verdict"]
    return state(verdict_kind(verdict), f"{case['name']} {verdict or 'not reached'}")


def _facts(value: Value) -> Markup:
    facts = [
        ("Faults", ", ".join(value["finding"]["faults"]) or "–"),
        ("First wrong stage", value["finding"]["first_wrong_stage"] or "–"),
        ("Source SHA-256", value["source_sha256"]),
        ("Package SHA-256", value["package_sha256"] or "–"),
        ("Sandbox", ", ".join(value["sandbox"]["layers"]) + (" (weakened)" if value["sandbox"]["weakened"] else "")),
    ]
    items = Markup("").join(Markup("<dt>{}</dt><dd>{}</dd>").format(term, fact or "–") for term, fact in facts)
    return Markup('<div class="panel pad"><dl class="kv">{}</dl></div>').format(items)
