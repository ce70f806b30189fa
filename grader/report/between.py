"""What changed from one judged submission to the next: what was repaired, what broke, and how the points moved.

It reads results as `grade --json` writes them and a database keeps them, whatever grader wrote them. Cases take no
part: nothing that is said here names one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from grader.errors import UserError
from grader.report.stage_strip import fault_words, stage_words
from grader.report.visible import visible
from grader.wording import counted, plural

NAMES_MAX: Final = 6  # that one sentence lists
# the hint levels that open them
STAGES_FROM: Final = 1
FAULTS_FROM: Final = 3
_OFF: Final = frozenset({"wrong", "inherited"})
Name = Annotated[str, Field(max_length=200)]
VerdictWord = Literal["AC", "WA", "TLE", "MLE", "OLE", "RTE", "CE", "JE"]
Names = tuple[str, ...]


@dataclass(frozen=True)
class Change:
    """Names that are right now and were not, and the reverse."""

    repaired: Names = ()
    broken: Names = ()


@dataclass(frozen=True)
class Between:
    """How a later submission differs from an earlier one, as far as their results tell.

    A stage or a fault that one of the two leaves untold is in neither list.
    """

    points: float | None  # later minus earlier; None: one of them was not judged, which is not the candidate's doing
    is_same_source: bool
    is_same_package: bool
    groups: Change
    stages: Change
    faults: Change  # repaired: it no longer behaves like them
    first_wrong: tuple[str | None, str | None]  # stages, before and now


class _Form(BaseModel):
    """The keys that are read here; others may be there."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True, allow_inf_nan=False)


class _Group(_Form):
    name: Name
    verdict: VerdictWord | None


class _Stage(_Form):
    name: Name
    status: Literal["ok", "wrong", "inherited", "not_seen"]


class _Finding(_Form):
    first_wrong_stage: Name | None
    faults: Annotated[list[Name], Field(max_length=1000)]
    stages: Annotated[list[_Stage], Field(max_length=1000)]


class _Result(_Form):
    schema_: Annotated[Literal[1], Field(alias="schema")]
    problem: Name
    package_sha256: Name
    source_sha256: Name
    verdict: VerdictWord
    score: float | None
    groups: Annotated[list[_Group], Field(max_length=1000)]
    finding: _Finding

    @property
    def is_accepted(self) -> bool:
        return self.verdict == "AC"


def compare_judgements(earlier: Mapping[str, Any], later: Mapping[str, Any]) -> Between:
    """Compare the results of two submissions for one problem.

    Raises:
        UserError: one of them is no result, or they are of different problems.
    """
    before, now = _read(earlier, "earlier"), _read(later, "later")
    if before.problem != now.problem:
        raise UserError(
            f"These are results for {visible(before.problem, keep='')} and {visible(now.problem, keep='')}; "
            "compare two submissions for the same problem."
        )
    points = None if before.score is None or now.score is None else now.score - before.score
    return Between(
        points=points,
        is_same_source=before.source_sha256 == now.source_sha256,
        is_same_package=before.package_sha256 == now.package_sha256,
        groups=_groups(before, now),
        stages=_stages(before, now),
        faults=_faults(before, now),
        first_wrong=(before.finding.first_wrong_stage, now.finding.first_wrong_stage),
    )


def _read(value: Mapping[str, Any], which: str) -> _Result:
    try:
        return _Result.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        key = ".".join(str(part)[:40] for part in first["loc"])[:120] or "it"
        what = first["msg"].partition(" or instance of ")[0]
        raise UserError(
            f"The {which} result is none of this grader's ({key}: {what[:1].lower()}{what[1:120]}); judge that "
            "submission again."
        ) from None


def _groups(before: _Result, now: _Result) -> Change:
    """A group that only one of the two has, of another version of the package, is not compared."""
    old = {group.name: group.verdict == "AC" for group in before.groups}
    new = {group.name: group.verdict == "AC" for group in now.groups}
    both = [name for name in new if name in old]
    return Change(
        tuple(name for name in both if new[name] and not old[name]),
        tuple(name for name in both if old[name] and not new[name]),
    )


def _stages(before: _Result, now: _Result) -> Change:
    """An accepted submission has no stages in its result, and all of them are right."""
    old = {stage.name: stage.status for stage in before.finding.stages}
    new = {stage.name: stage.status for stage in now.finding.stages}
    if before.is_accepted:
        old = dict.fromkeys(new, "ok")
    if now.is_accepted:
        new = dict.fromkeys(old, "ok")
    return Change(
        tuple(name for name in new if new[name] == "ok" and old.get(name) in _OFF),
        tuple(name for name in new if new[name] in _OFF and old.get(name) == "ok"),
    )


def _faults(before: _Result, now: _Result) -> Change:
    """Where a result names no fault and is not accepted, faults are unknown, not gone."""
    old, new = before.finding.faults, now.finding.faults
    if not (old or before.is_accepted) or not (new or now.is_accepted):
        return Change()
    return Change(
        tuple(fault for fault in dict.fromkeys(old) if fault not in new),
        tuple(fault for fault in dict.fromkeys(new) if fault not in old),
    )


def between_sentences(between: Between, level: int) -> tuple[str, ...]:
    """Return what a candidate may read of a comparison.

    Args:
        level: of hints: at 0 points and groups, from 1 stages as well, from 3 faults as well.
    """
    told = ["It is the same source as before."] if between.is_same_source else []
    told.append(_points(between))
    told += _listed("Won", between.groups.repaired, "group")
    told += _listed("Lost", between.groups.broken, "group")
    if level >= STAGES_FROM:
        told += _listed("Right now", between.stages.repaired, "stage")
        told += _listed("Right before and not now", between.stages.broken, "stage")
        told += _moved(*between.first_wrong)
    if level >= FAULTS_FROM:
        told += _listed("It no longer behaves like", between.faults.repaired, "fault")
        told += _listed("It behaves, as it did not before, like", between.faults.broken, "fault")
    if not between.is_same_package:
        told.append("The problem was changed between the two, which may be why they differ.")
    return tuple(told)


def _points(between: Between) -> str:
    if between.points is None:
        return "One of the two could not be judged, so points cannot be compared."
    if between.points == 0:
        return "The points are the same."
    count = abs(between.points)
    return f"{counted(count, 'point')} {'more' if between.points > 0 else 'fewer'} than before."


def _listed(what: str, names: Names, kind: str) -> list[str]:
    if not names:
        return []
    words = {"stage": stage_words, "fault": fault_words}.get(kind, _as_it_is)
    shown = [words(name) for name in names[:NAMES_MAX]]
    more = [f"{len(names) - NAMES_MAX} more"] if len(names) > NAMES_MAX else []
    *first, last = [*shown, *more]
    text = f"{', '.join(first)} and {last}" if first else last
    if kind == "fault":
        return [f"{what} {text}."]
    return [f"{what}: {plural(len(names), kind)} {text}."]


def _as_it_is(name: str) -> str:
    return visible(name, keep="")


def _moved(before: str | None, now: str | None) -> list[str]:
    if before is None or now is None:
        return []
    if before == now:
        return [f"The first wrong stage is {stage_words(now)}, as before."]
    return [f"The first wrong stage was {stage_words(before)} and is {stage_words(now)} now."]
