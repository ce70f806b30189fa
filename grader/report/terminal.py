"""A judgement for a person at a terminal: verdict as colour, symbol and word, groups, sentence, next step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from grader.grading.verdict import CaseResult, Judgement, Verdict
from grader.report.stage_strip import stage_line, why_judged_without_stages
from grader.report.visible import visible
from grader.report.weakened import WEAKENED
from grader.wording import counted, plural

PRINTS_SHOWN: Final = 20  # lines
PIPE_WIDTH: Final = 1 << 16  # columns where no terminal is: one line stays one line


def verdict_text(verdict: Verdict | None, word: str | None = None) -> Text:
    """Return a verdict as symbol and word in its colour; None is a case or group that was not reached."""
    if verdict is None:
        return Text(f"– {word or 'not run'}", style="dim")
    symbol, style = {Verdict.AC: ("✓", "green"), Verdict.JE: ("!", "magenta")}.get(verdict, ("✗", "red"))
    return Text(f"{symbol} {word or verdict.value}", style=style)


def points_text(points: float | None, max_points: float | None) -> str:
    """Return points in words; a dash for none."""
    if points is None or not max_points:
        return "–"
    return f"{points:g} of {max_points:g}"


def judgement_view(judgement: Judgement, name: str) -> Group:
    """Return what `grade` prints for one submission."""
    title = Text.assemble((judgement.problem, "bold"), " · ", visible(name, keep=""))
    headline = verdict_text(judgement.verdict, judgement.verdict.word)
    headline.stylize("bold")
    if judgement.score is not None:
        points = points_text(judgement.score, judgement.max_score)
        headline.append(f"   {points} {plural(judgement.max_score or 0, 'point')}", style="not bold")
    if judgement.reason:
        headline.append(f"   {judgement.verdict.value} {judgement.reason.value}", style="not bold dim")
    shout = [Text(f"! {WEAKENED}\n", style="bold red")] if judgement.sandbox.weakened else []
    parts: list[RenderableType] = [*shout, title, "", headline, Text(visible(judgement.message)), *_finding(judgement)]
    if judgement.groups:
        parts += ["", _groups_table(judgement)]
    parts += _prints(judgement)
    parts += ["", Text.assemble(("Next: ", "bold"), next_step(judgement))]
    return Group(*parts)


def result_view(result: Mapping[str, Any], title: str) -> Group:
    """Return what `submit` prints of a submission as a server tells it: what its candidate may see, and no more."""
    verdict = None if result["verdict"] is None else Verdict(result["verdict"])
    if verdict is None:
        headline = Text("Not judged yet." if result["is_told"] else "Handed in; its verdict is not shown now.")
    else:
        headline = verdict_text(verdict, verdict.word)
    headline.stylize("bold")
    if result["score"] is not None:
        points = points_text(result["score"], result["max_score"])
        headline.append(f"   {points} {plural(result['max_score'] or 0, 'point')}", style="not bold")
    parts: list[RenderableType] = [Text(visible(title, keep=""), style="bold"), "", headline]
    parts += [Text(visible(str(text))) for text in (result["message"], *result["sentences"]) if text]
    finding = result["finding"]
    if finding["stages"]:
        parts += ["", stage_line([(str(stage["name"]), str(stage["status"])) for stage in finding["stages"]])]
    elif why := finding.get("why_no_stages"):  # an older server does not say
        parts += ["", Text(visible(str(why)), style="dim")]
    parts += [Text(visible(str(text))) for text in (*finding["symptoms"], *finding["fault_texts"])]
    shown = [group for group in result["groups"] if group["points"] is not None]
    if shown:
        parts += ["", _told_groups(shown)]
    for prints in result["prints"]:
        parts += _printed(str(prints["label"]), str(prints["text"]))
    return Group(*parts)


def _told_groups(groups: Sequence[Mapping[str, Any]]) -> Table:
    table = Table(box=None, pad_edge=False, show_header=True, header_style="dim")
    for column, justify in (("group", "left"), ("cases", "right"), ("points", "right")):
        table.add_column(column, justify=justify)  # type: ignore[arg-type]
    for group in groups:
        cases = group["cases"]  # none where points are all that is told
        right = f"{sum(case['verdict'] == 'AC' for case in cases)} of {len(cases)}" if cases else "–"
        points = points_text(group["points"], group["max_points"])
        table.add_row(visible(str(group["name"]), keep=""), right, points)
    return table


def _finding(judgement: Judgement) -> list[RenderableType]:
    """Return the stages in one line, or why there are none, and the sentence, where it says more than the message."""
    finding, why = judgement.finding, why_judged_without_stages(judgement)
    parts: list[RenderableType] = [stage_line(finding.stages)] if finding.stages else []
    parts += [Text(visible(finding.sentence))] if finding.sentence != judgement.message else []
    parts += [Text(why, style="dim")] if why else []
    return ["", *parts] if parts else []


def _groups_table(judgement: Judgement) -> Table:
    table = Table(box=None, pad_edge=False, show_header=True, header_style="dim")
    for column, justify in (("group", "left"), ("verdict", "left"), ("cases", "right"), ("points", "right")):
        table.add_column(column, justify=justify)  # type: ignore[arg-type]
    for group in judgement.groups:
        cases = [case for case in judgement.cases if case.group == group.name]
        right = sum(case.verdict is Verdict.AC for case in cases)
        points = points_text(group.points, group.max_points)
        table.add_row(group.name, verdict_text(group.verdict), f"{right} of {len(cases)}", points)
    return table


def _prints(judgement: Judgement) -> list[RenderableType]:
    """Return what the submission printed where nothing is secret: while it was imported, and in samples."""
    shown = [("while it was imported", judgement.import_prints)]
    shown += [(case.name, case.prints) for case in judgement.cases if case.visibility == "sample"]
    return [part for where, text in shown for part in _printed(where, text)]


def _printed(where: str, text: str) -> list[RenderableType]:
    lines = visible(text).splitlines()
    if not lines:
        return []
    more = [f"… {counted(len(lines) - PRINTS_SHOWN, 'more line')}"] if len(lines) > PRINTS_SHOWN else []
    shown = "\n".join(f"  {line}" for line in lines[:PRINTS_SHOWN] + more)
    return ["", Text(visible(f"Prints, {where}", keep=""), style="dim"), Text(shown)]


def next_step(judgement: Judgement) -> str:
    """Return one sentence on what to do now."""
    first = next((case for case in judgement.cases if case.failure), None)
    match judgement.verdict:
        case Verdict.AC:
            return "answer the follow-up questions on the problem's page (grader serve)."
        case Verdict.JE:
            return "run grader doctor, and grader check on the package."
        case Verdict.CE:
            return f"compare with the starter: grader show {judgement.problem}"
    if first is not None:
        return f"{_where(first)}; read the contract again: grader show {judgement.problem}"
    return f"read the contract again: grader show {judgement.problem}"


def _where(case: CaseResult) -> str:
    if case.visibility == "sample":
        return f"the sample {case.name} fails first, so start there"
    return f"a secret case of the group {case.group} fails first"


def make_console(stderr: bool = False) -> Console:
    """Return a console that honours NO_COLOR, pipes and narrow terminals; piped text is not wrapped."""
    console = Console(stderr=stderr, highlight=False, markup=False, emoji=False, soft_wrap=False)
    if not console.is_terminal:
        console.width = PIPE_WIDTH
    return console


def print_view(view: RenderableType) -> None:
    """Print to stdout; in a pipe or file no line ends in the spaces that fill a table's last column."""
    console = make_console()
    if console.is_terminal:
        console.print(view)
        return
    with console.capture() as capture:
        console.print(view)
    console.file.write("".join(f"{line.rstrip(' ')}\n" for line in capture.get().splitlines()))
