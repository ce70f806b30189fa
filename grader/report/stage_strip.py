"""The stage strip: every stage in dependency order with its state, as shape and word; for reports, pages, terminals."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from types import MappingProxyType
from typing import Final

from markupsafe import Markup
from rich.text import Text

from grader.grading.contract import is_compared
from grader.grading.verdict import Judgement, Reason, Verdict
from grader.report.icons import state
from grader.report.visible import visible

Stages = Sequence[tuple[str, str]]  # name and status, as a finding holds them
_SYMBOLS: Final = {
    "queries": "Q",
    "keys": "K",
    "values": "V",
    "scores": "S",
    "masked_scores": "S+M",
    "weights": "A",
    "mixed_values": "H",
    "output": "Y",
}
_STATES: Final = {  # kind of the style sheet, word, symbol and style at a terminal
    "ok": ("ok", "ok", "✓", "green"),
    "wrong": ("bad", "wrong here", "✗", "bold red"),
    "inherited": ("inh", "inherited", "↳", "dim"),
    "not_seen": ("none", "not seen", "–", "dim"),
}
_NO_STAGES: Final = {  # of what was compared
    Verdict.WA: "No first wrong stage can be told from what it computes and returns.",
    Verdict.RTE: "It ends in an error, and no first wrong stage can be told from what it computes before.",
    Verdict.TLE: "It is stopped at a limit, and no first wrong stage can be told from what it computes before.",
}
_FAILED_BEFORE: Final = "It fails before its numbers can be compared, so no stage is called right or wrong."
_NOT_YET: Final = "Known faults were not looked up yet, so no stage is called right or wrong so far."
_NEVER: Final = "Known faults could not be looked up, and without them no first wrong stage can be told."


def stage_words(name: str) -> str:
    """Return a stage's name in words."""
    return visible(name, keep="").replace("_", " ")


def fault_words(name: str) -> str:
    """Return a fault's id in words."""
    return visible(name, keep="").replace("-", " ")


def said_in_words(sentence: str, faults: Iterable[str]) -> str:
    """Return a finding's sentence with its faults, and pairs of them (`one+other`), in words instead of ids."""
    ids = "|".join(re.escape(fault) for fault in sorted(faults, key=len, reverse=True))
    if not ids:
        return sentence
    found = re.compile(rf"(?<![\w-])(?:{ids})(?:\+(?:{ids}))*(?![\w-])")
    return found.sub(lambda match: " together with ".join(map(fault_words, match[0].split("+"))), sentence)


def stage_strip(stages: Stages, facts: Mapping[str, str] = MappingProxyType({})) -> Markup:
    """Return the strip as HTML: eight across, two rows of four or a list, as its container has room.

    Args:
        stages: in dependency order.
        facts: of some stages, what else is known of them in a few words.
    """
    items = Markup("").join(_stage(name, status, facts.get(name, "")) for name, status in stages)
    return Markup(
        '<div class="stagebox"><ol class="stages" aria-label="Stages in dependency order">{}</ol></div>'
    ).format(items)


def _stage(name: str, status: str, fact: str) -> Markup:
    kind, word, _, _ = _STATES[status]
    told = Markup('<span class="ext">{}</span>').format(fact) if fact else Markup("")
    return Markup(
        '<li class="stage {}"><span class="sym" aria-hidden="true">{}</span><span class="nm">{}</span>{}{}</li>'
    ).format(kind, _SYMBOLS.get(name, ""), stage_words(name), state(kind, word), told)


def why_no_stages(
    verdict: Verdict | None, reasons: Iterable[Reason | None], *, is_looked_up: bool, is_due: bool = False
) -> str:
    """Return one sentence that stands where a finding has no stages; empty where no stage is wrong or none is due.

    Args:
        verdict: None while it waits.
        reasons: why its cases fail; None for one that does not, or was not reached.
        is_looked_up: whether known faults were looked up, where they could be.
        is_due: whether they still are to be.
    """
    if verdict in (None, Verdict.AC, Verdict.CE, Verdict.JE):  # what is said of these says it all
        return ""
    if not is_compared(verdict, reasons):
        return _FAILED_BEFORE
    if not is_looked_up:
        return _NOT_YET if is_due else _NEVER
    return _NO_STAGES.get(verdict, _NO_STAGES[Verdict.TLE])


def why_judged_without_stages(judgement: Judgement) -> str:
    """Return the sentence of `why_no_stages` for a judgement, empty where its finding has stages."""
    if judgement.finding.stages:
        return ""
    reasons = [case.failure.reason if case.failure else None for case in judgement.cases]
    return why_no_stages(judgement.verdict, reasons, is_looked_up=judgement.finding.is_looked_up)


def stage_line(stages: Stages) -> Text:
    """Return the strip as one line for a terminal: neighbours of one state share its mark and word."""
    line = Text()
    for status, group in groupby(stages, key=lambda stage: stage[1]):
        _, word, symbol, style = _STATES[status]
        names = [_short(name) if status != "wrong" else stage_words(name) for name, _ in group]
        line.append("   " if line else "").append(f"{symbol} {word}", style=style).append(f" {' '.join(names)}")
    return line


def _short(name: str) -> str:
    return _SYMBOLS.get(name) or stage_words(name)
