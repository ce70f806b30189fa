"""A candidate's results in the format that Gradescope shows to the candidate: groups and points, nothing of secret
cases, and no fault by name; stage and faults are in `extra_data`, which candidates do not see.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from grader.grading.verdict import Verdict
from grader.report.unusable import Unjudged
from grader.report.visible import visible
from grader.report.weakened import WEAKENED
from grader.wording import counted

_VISIBLE: Final = "visible"
_POINTS: Final = frozenset({"score", "max_score"})  # of a test; Gradescope adds them up where there is no whole


def gradescope_json(values: Sequence[dict[str, Any]], unjudged: Sequence[Unjudged] = ()) -> str:
    """Return results.json for one candidate's results, and for what of theirs has none.

    Where we failed, or cannot judge, there is no score: without any score at all Gradescope tells its instructor so.
    While something waits there is none at all, for a part of the points would pass as the whole.
    """
    waits = any(each.why is None for each in unjudged)
    tests = [test for value in values for test in _tests(value)]
    tests += [_test(each.name, None, None, False, each.sentence) for each in unjudged]
    if waits:
        tests = [{name: value for name, value in test.items() if name not in _POINTS} for test in tests]
    scores = [value["score"] for value in values if value["score"] is not None and not waits]
    data = {
        **({"score": sum(scores)} if scores else {}),
        "execution_time": round(sum(value["timing"]["total_ms"] for value in values) / 1000, 3),
        "output": "\n".join((*map(_summary, values), *(f"{each.name}: {each.sentence}" for each in unjudged))),
        "visibility": _VISIBLE,
        "extra_data": {
            value["problem"]: {
                "verdict": value["verdict"],
                "reason": value["reason"],
                "first_wrong_stage": value["finding"]["first_wrong_stage"],
                "faults": value["finding"]["faults"],
                "source_sha256": value["source_sha256"],
                "package_sha256": value["package_sha256"],
            }
            for value in values
        }
        | {each.name: {"verdict": None, "reason": visible(each.why or "not_judged_yet", keep="")} for each in unjudged},
        "tests": tests,
    }
    return json.dumps(data, indent=1) + "\n"


def _summary(value: dict[str, Any]) -> str:
    points = "no score" if value["score"] is None else f"{value['score']:g} of {counted(value['max_score'], 'point')}"
    shout = f" {WEAKENED}" if value["sandbox"]["weakened"] else ""
    return visible(
        f"{value['problem']}: {Verdict(value['verdict']).word}, {points}. {value['message']}{shout}", keep=""
    )


def _tests(value: dict[str, Any]) -> list[dict[str, Any]]:
    if value["groups"]:
        return [_group(value["problem"], group) for group in value["groups"]]
    name, is_right = value["problem"], value["verdict"] == "AC"  # not judged: there are no groups
    return [_test(name, value["score"], value["max_score"], is_right, value["message"])]


def _group(problem: str, group: dict[str, Any]) -> dict[str, Any]:
    verdict = group["verdict"]
    output = Verdict(verdict).word if verdict else "Not reached: an earlier failure ended the run"
    name = f"{problem}: {group['name']}"
    return _test(name, group["points"], group["max_points"], verdict == "AC", f"{output}.")


def _test(name: str, score: float | None, max_score: float | None, is_right: bool, output: str) -> dict[str, Any]:
    return {
        "name": visible(name, keep=""),
        **({"score": score, "max_score": max_score} if score is not None else {}),
        "status": "passed" if is_right else "failed",
        "output": visible(output, keep=""),
        "visibility": _VISIBLE,
        "extra_data": {},
    }
