"""Compares a JSON value with the shape that programs rely on: exact keys, in order, and exact types."""

from __future__ import annotations

from types import NoneType
from typing import Any, Final

from grader.grading.verdict import Reason, Verdict

VERDICT: Final = {verdict.value for verdict in Verdict}
REASON: Final = {None, *(reason.value for reason in Reason)}
RESULT: Final[dict[str, Any]] = {
    "schema": {1},
    "problem": str,
    "package_sha256": str,
    "source_sha256": str,
    "verdict": VERDICT,
    "reason": REASON,
    "message": str,
    "score": (float, NoneType),
    "max_score": (float, NoneType),
    "groups": [{"name": str, "points": float, "max_points": float, "verdict": VERDICT | {None}}],
    "cases": [
        {
            "name": str,
            "group": str,
            "visibility": {"sample", "secret"},
            "verdict": VERDICT | {None},
            "reason": REASON,
        }
    ],
    "finding": {
        "sentence": str,
        "first_wrong_stage": (str, NoneType),
        "faults": [str],
        "method": {"fingerprint", "trace", "invariants", "none"},
        "stages": [{"name": str, "status": {"ok", "wrong", "inherited", "not_seen"}}],
    },
    "versions": {"grader": str, "python": str, "numpy": str},
    "sandbox": {"layers": [str], "weakened": bool},
    "timing": {"total_ms": float, "run_ms": float},
}


def deviations(value: Any, shape: Any, at: str = "") -> list[str]:
    """Return where a value is not of a shape.

    Args:
        shape: a type, a tuple of types (any of them), a set of the only values, a list whose one item is the shape of
            all items, or a mapping of every key to its shape.
    """
    match shape:
        case dict():
            if not isinstance(value, dict) or list(value) != list(shape):
                return [f"{at}: {value!r} has not the keys {list(shape)}"]
            return [text for key in shape for text in deviations(value[key], shape[key], f"{at}.{key}")]
        case list():
            if not isinstance(value, list):
                return [f"{at}: {value!r} is no list"]
            return [text for i, item in enumerate(value) for text in deviations(item, shape[0], f"{at}.{i}")]
        case set():
            return [] if value in shape else [f"{at}: {value!r} is none of {shape}"]
        case tuple():
            return [] if any(not deviations(value, option) for option in shape) else [f"{at}: {value!r} is not {shape}"]
    return [] if type(value) is shape else [f"{at}: {value!r} is no {shape.__name__}"]
