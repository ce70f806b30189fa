"""What the review page draws of a submission's evidence, kept as JSON beside the record so that a page needs no run.

It holds values of secret cases: it is for interviewers.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import zip_longest
from typing import Any, Final

from grader.grading.extra_runs import ExtraRuns, Moved, Perturbation, Rung, Stability
from grader.grading.judge import Examination
from grader.grading.reference import Reference
from grader.grading.stage_errors import StageError, stage_errors
from grader.problems.cases import Array, Case
from grader.problems.composition import Outcome
from grader.problems.loader import Problem
from grader.problems.stages import output_stages
from grader.report import sample_outputs
from grader.report.sample_outputs import SampleOutputs, case_outputs

CASES_MAX: Final = 3  # whose outputs are kept whole


@dataclass(frozen=True)
class Pictures:
    """Stages of one traced case beside the reference's, outputs of a few secret cases, extra runs."""

    traced: str | None  # the case that the stages are of
    stages: tuple[StageError, ...]
    outputs: tuple[SampleOutputs, ...]
    extra: ExtraRuns | None
    sentence: str = ""  # of the finding, which may tell more than judging had the time for
    faults: tuple[tuple[str, str], ...] = ()  # each with what it does


def pictures(
    problem: Problem, examination: Examination, cases: Sequence[Case], reference: Reference, extra: ExtraRuns | None
) -> Pictures:
    """Return what is worth drawing: the traced cases, and where there is none the first that failed."""
    look = next((look for look in examination.looks if look.case.name in reference.stages), None)
    wanted = [look.case.name for look in examination.looks]
    wanted += [case.name for case in examination.judgement.cases if case.failure and case.visibility == "secret"][:1]
    finding = examination.judgement.finding
    kept = list(dict.fromkeys(wanted))[:CASES_MAX]
    outcomes = dict(zip((case.name for case in cases), examination.judged.outcomes, strict=False))
    return Pictures(
        traced=look.case.name if look else None,
        stages=stage_errors(look, reference.stages[look.case.name], _returned(problem, look.case, outcomes))
        if look
        else (),
        outputs=tuple(case_outputs(problem, case, outcomes.get(case.name)) for case in cases if case.name in kept),
        extra=extra,
        sentence=finding.sentence,
        faults=tuple(zip_longest(finding.faults, finding.fault_sentences, fillvalue="")),
    )


def _returned(problem: Problem, case: Case, outcomes: Mapping[str, Outcome | None]) -> dict[str, Array]:
    """Return the stages that a submission returned for a case."""
    outcome = outcomes.get(case.name)
    names = output_stages(problem.spec.entries[case.entry], problem.spec.stages)
    return dict(zip(names, outcome, strict=False)) if isinstance(outcome, tuple) else {}


def to_json(found: Pictures) -> str:
    """Return pictures as JSON; a number that is not finite is a word of Python's reader."""
    extra = asdict(found.extra) if found.extra else None
    fields = {"traced": found.traced, "stages": [asdict(stage) for stage in found.stages], "extra": extra}
    told = {"sentence": found.sentence, "faults": found.faults, "outputs": sample_outputs.to_json(found.outputs)}
    return json.dumps(fields | told, separators=(",", ":"))


def from_json(text: str) -> Pictures:
    """Return the pictures that `to_json` wrote."""
    data = json.loads(text)
    return Pictures(
        data["traced"],
        tuple(_stage(stage) for stage in data["stages"]),
        sample_outputs.from_json(data["outputs"]),
        _extra(data["extra"]),
        data["sentence"],
        tuple((fault, said) for fault, said in data["faults"]),
    )


def _stage(data: dict[str, Any]) -> StageError:
    """Return a stage; what a record of before the forms measured of one that was not returned is no error."""
    if "form" not in data:
        is_told = data["line"] is not None
        form = "other_form" if is_told else "none" if data["error"] is None else "returned"
        data = {**data, "form": form, "error": None if is_told else data["error"]}
    return StageError(**{**data, "shape": tuple(data["shape"]), "index": tuple(data["index"])})


def _extra(data: dict[str, Any] | None) -> ExtraRuns | None:
    if data is None:
        return None
    moved, rungs = data["perturbation"], data["stability"]
    return ExtraRuns(
        Perturbation(
            moved["case"],
            tuple(moved["arguments"]),
            moved["token"],
            moved["state"],
            moved["detail"],
            tuple(Moved(**output) for output in moved["outputs"]),
        )
        if moved
        else None,
        Stability(rungs["case"], rungs["argument"], tuple(Rung(**rung) for rung in rungs["rungs"])) if rungs else None,
        tuple(data["left_out"]),
    )
