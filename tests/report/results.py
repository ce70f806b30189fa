"""Result objects as batch writes them, made by hand."""

from __future__ import annotations

from typing import Any


def result(candidate: str, problem: str = "p", verdict: str = "AC", score: float | None = 100.0, **changes: Any) -> Any:
    """Return a result; what is not AC is wrong in its second group."""
    is_right, is_ours = verdict == "AC", verdict == "JE"
    groups = [("samples", 0.0, 0.0, "AC"), ("values", score, 100.0, verdict)]
    cases = [("sample_one", "samples", "sample", "AC"), ("secret_one", "values", "secret", verdict)]
    keys = ("name", "points", "max_points", "verdict")
    return {
        "schema": 1,
        "candidate": candidate,
        "problem": problem,
        "package_sha256": "h" * 64,
        "source_sha256": "s" * 64,
        "verdict": verdict,
        "reason": None if is_right else "wrong_values",
        "message": "Every case agrees with the reference." if is_right else "It is wrong.",
        "score": score,
        "max_score": None if is_ours else 100.0,
        "groups": [] if is_ours else [dict(zip(keys, group, strict=True)) for group in groups],
        "cases": []
        if is_ours
        else [dict(zip(("name", "group", "visibility", "verdict"), case, strict=True), reason=None) for case in cases],
        "finding": {
            "sentence": "It behaves like a fault.",
            "first_wrong_stage": None if is_right or is_ours else "weights",
            "faults": [] if is_right or is_ours else ["softmax-over-queries"],
            "method": "none" if is_right else "fingerprint",
            "stages": [],
        },
        "versions": {"grader": "0", "python": "3", "numpy": "2"},
        "sandbox": {"layers": ["seccomp"], "weakened": False},
        "timing": {"total_ms": 12.5, "run_ms": 10.0},
        **changes,
    }
