"""Makes the evidence record of an examination: what went in, what came out, what was measured, what may follow."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any, Final

from grader.errors import InvalidPackage
from grader.grading import evidence_form as form
from grader.grading import observe
from grader.grading.case_run import SOURCE_BYTES_MAX
from grader.grading.evidence_file import digest
from grader.grading.evidence_form import NOTICE, SCHEMA, Interpretation, Observation
from grader.grading.extra_runs import ExtraRuns
from grader.grading.judge import Examination
from grader.grading.looks import Look
from grader.grading.minimal_fix import minimal_fix
from grader.grading.reference import Reference, reference_of, worth_tracing
from grader.grading.stage_errors import traced_array
from grader.grading.syntax_change import Change
from grader.grading.syntax_tree import NotComparable
from grader.grading.verdict import Judgement, Verdict
from grader.grading.weight_facts import hidden_keys
from grader.problems.cache import CaseCache
from grader.problems.cases import Array, Case, seed_of
from grader.problems.loader import Problem
from grader.sandbox.exchange import SandboxLost
from grader.sandbox.pool import Lane

_STATES: Final = {
    "ok": "It is as the reference's, or what is as the reference's was made from it.",
    "wrong": "The first stage that is not as the reference's.",
    "inherited": "It follows from the wrong stage; for what it is given it may be right.",
    "not_seen": "Nothing was seen that tells.",
}


def record(
    problem: Problem,
    source: bytes,
    examination: Examination,
    lane: Lane,
    cache: CaseCache,
    extra: ExtraRuns | None = None,
) -> dict[str, Any]:
    """Return the evidence record of an examination as plain JSON data.

    It names secret cases and holds values of theirs: it is for interviewers and authors.

    Args:
        extra: what `extra_runs` has observed of the same submission, where it was asked.
    """
    judgement = examination.judgement
    is_judged = judgement.verdict is not Verdict.JE
    data = {
        **_went_in(problem, source, examination),
        "judgement": _judgement(judgement),
        "observations": [
            each.model_dump(mode="json")
            for each in (_observations(problem, examination, lane, cache) if is_judged else ())
        ],
        "change": _change(problem, source) if judgement.verdict not in (Verdict.CE, Verdict.JE) else None,
        "extra_runs": _extra(extra) if extra else None,
        "interpretations": [each.model_dump(mode="json") for each in _interpretations(judgement)],
        "timing": {"total_ms": round(judgement.total_ms, 3), "run_ms": round(judgement.run_ms, 3)},
    }
    return data | {"record_sha256": digest(data)}


def _went_in(problem: Problem, source: bytes, examination: Examination) -> dict[str, Any]:
    judgement = examination.judgement
    return {
        "schema": SCHEMA,
        "notice": NOTICE,
        "package": {"slug": problem.slug, "sha256": judgement.package_sha256},
        "source": _source(source, judgement.source_sha256),
        "versions": dict(judgement.versions),
        "seeds": {"cases": {case.name: seed_of(case.name) for case in judgement.cases}},
        "limits": {
            "case_s": float(problem.spec.limits.case_s),
            "total_s": float(problem.spec.limits.total_s),
            "memory_mib": problem.spec.limits.memory_mib,
        },
        "depth": examination.depth,
        "sandbox": {"layers": list(judgement.sandbox.layers), "weakened": judgement.sandbox.weakened},
    }


def _source(source: bytes, sha256: str) -> dict[str, Any]:
    facts = {"sha256": sha256, "size": len(source)}
    if len(source) > SOURCE_BYTES_MAX:
        return facts | {"encoding": "omitted", "text": ""}
    try:
        return facts | {"encoding": "utf-8", "text": source.decode()}
    except UnicodeDecodeError:
        return facts | {"encoding": "base64", "text": base64.b64encode(source).decode()}


def _judgement(judgement: Judgement) -> dict[str, Any]:
    cases = [
        {
            "name": case.name,
            "group": case.group,
            "visibility": case.visibility,
            "verdict": case.verdict.value if case.verdict else None,
            "reason": case.failure.reason.value if case.failure else None,
            "message": _clean(case.failure.message) if case.failure else "",
            "detail": _clean(case.failure.detail) if case.failure else "",
            "prints": _clean(case.prints),
        }
        for case in judgement.cases
    ]
    groups = [
        form.Group(
            name=group.name,
            points=float(group.points),
            max_points=float(group.max_points),
            verdict=group.verdict.value if group.verdict else None,
        ).model_dump(mode="json")
        for group in judgement.groups
    ]
    return {
        "verdict": judgement.verdict.value,
        "reason": judgement.reason.value if judgement.reason else None,
        "message": _clean(judgement.message),
        "score": None if judgement.score is None else float(judgement.score),
        "max_score": None if judgement.max_score is None else float(judgement.max_score),
        "groups": groups,
        "cases": cases,
        "import_prints": _clean(judgement.import_prints),
    }


def _change(problem: Problem, source: bytes) -> dict[str, Any] | None:
    try:
        found = minimal_fix(problem, source)
    except NotComparable:
        return None
    smallest = found.smallest and {"path": found.smallest.path, "change": _nodes(found.smallest.change)}
    return {"variant": found.variant, "change": _nodes(found.change), "smallest": smallest}


def _nodes(change: Change) -> dict[str, Any]:
    share = round(change.share, 4)
    facts = {"nodes": change.nodes, "of": change.of, "share": share}
    return facts | {"is_at_most": change.is_at_most, "is_rewrite": change.is_rewrite}


def _extra(extra: ExtraRuns) -> dict[str, Any]:
    """Return extra runs as data; a move may be infinite."""
    data: dict[str, Any] = json.loads(json.dumps(asdict(extra)))
    for output in (data["perturbation"] or {}).get("outputs", ()):
        output["largest"] = observe.number(output["largest"])
    return data


def _clean(text: str) -> str:
    """Return text without half characters, which JSON readers refuse."""
    return text.encode("utf-8", "backslashreplace").decode()


def _observations(problem: Problem, examination: Examination, lane: Lane, cache: CaseCache) -> Iterator[Observation]:
    """Yield what was measured: outputs of samples, of the first failing case, of traced cases; stages of the latter."""
    cases = cache.cases(problem, lane)
    try:
        reference = reference_of(problem, cases, lane, cache)
    except (InvalidPackage, SandboxLost):  # as for the finding: without stages there is less to tell
        reference = Reference({}, {})
    outcomes = dict(zip((case.name for case in cases), examination.judged.outcomes, strict=False))
    for case in _worth_recording(cases, examination, reference):
        outcome, names = outcomes.get(case.name), list(problem.spec.entries[case.entry].outputs)
        returned: tuple[Array, ...] = outcome if isinstance(outcome, tuple) else ()
        for output, (name, array) in enumerate(zip(names, returned, strict=False)):
            yield observe.returned(case, output, name, array)
        for output, name in enumerate(names[: len(case.expected)]):
            yield observe.reference_output(case, output, name)
    for look in examination.looks:
        yield from _stages(look, reference)


def _worth_recording(cases: tuple[Case, ...], examination: Examination, reference: Reference) -> list[Case]:
    failing = [case.name for case in examination.judgement.cases if case.failure]
    wanted = {case.name for case in cases if case.is_sample} | set(failing[:1])
    wanted |= {look.case.name for look in examination.looks}
    if not failing:
        usable = [case for case in cases if case.name in reference.stages]
        wanted |= {case.name for case in worth_tracing(usable, 1)}
    return [case for case in cases if case.name in wanted]


def _stages(look: Look, reference: Reference) -> Iterator[Observation]:
    """Yield the stages of one traced case, the submission's where they were found, beside the reference's."""
    right = reference.stages.get(look.case.name, {})
    hidden = hidden_keys(right["masked_scores"]) if "masked_scores" in right else None
    for name, array in right.items():
        if found := traced_array(look, name, array):
            traced, line = found
            yield observe.stage(look.case, name, traced, hidden, (look.seen.matches[name].form, line))
        yield observe.stage(look.case, name, array, hidden)


def _interpretations(judgement: Judgement) -> Iterator[Interpretation]:
    finding = judgement.finding
    yield Interpretation(
        kind="finding",
        about=finding.first_wrong_stage or "",
        state="wrong" if finding.first_wrong_stage else None,
        says=_clean(finding.sentence),
        rests_on=finding.method,
    )
    for name, state in finding.stages:
        yield Interpretation.model_validate(
            {"kind": "stage", "about": name, "state": state, "says": _STATES[state], "rests_on": finding.method}
        )
    for fault in finding.faults:
        yield Interpretation(
            kind="fault",
            about=fault,
            state=None,
            says="On the secret cases it returns what this fault returns, alone or together with the others named.",
            rests_on=finding.method,
        )
