"""Judgements made by hand, one for each kind of view; their sentences are not those of the table of reasons."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from grader.grading.verdict import CaseResult, Failure, Finding, GroupResult, Judgement, Reason, Sandbox, Verdict

POINTS: Final = {"samples": 0.0, "values": 60.0, "mask": 40.0}
CASES: Final = (
    ("sample_format", "samples"),
    ("secret_sizes", "values"),
    ("secret_square", "values"),
    ("secret_mask", "mask"),
)


def judgement(
    failures: dict[str, Failure], reached: int = len(CASES), import_prints: str = "", prints: str = ""
) -> Judgement:
    """Return a judgement in which the first `reached` cases have these failures, or none.

    Args:
        prints: what the submission printed in every case.
    """
    cases = tuple(_case(i, failures, reached, prints) for i in range(len(CASES)))
    first = next((case.failure for case in cases if case.failure), None)
    groups = tuple(_group(name, [case for case in cases if case.group == name]) for name in POINTS)
    return Judgement(
        problem="heads-never-mix",
        package_sha256="a" * 64,
        source_sha256="b" * 64,
        verdict=first.verdict if first else Verdict.AC,
        failure=first,
        score=sum(group.points for group in groups),
        max_score=sum(POINTS.values()),
        groups=groups,
        cases=cases,
        finding=Finding(first.message if first else "Every case agrees with the reference."),
        sandbox=Sandbox(("seccomp", "landlock", "rlimits")),
        import_prints=import_prints,
    )


def _case(position: int, failures: dict[str, Failure], reached: int, prints: str) -> CaseResult:
    name, group = CASES[position]
    visibility: Final = "sample" if name.startswith("sample_") else "secret"
    if position >= reached:
        return CaseResult(name, group, visibility, None)
    failure = failures.get(name)
    return CaseResult(name, group, visibility, failure.verdict if failure else Verdict.AC, failure, prints)


def _group(name: str, cases: list[CaseResult]) -> GroupResult:
    first = next((case.verdict for case in cases if case.verdict is not Verdict.AC), Verdict.AC)
    return GroupResult(name, POINTS[name] if first is Verdict.AC else 0.0, POINTS[name], first)


def not_judged(reason: Reason) -> Judgement:
    """Return a JE, which has neither groups nor a score."""
    failure = Failure(reason, "It is not your fault.", "the operator's detail")
    return Judgement(
        problem="heads-never-mix",
        package_sha256="",
        source_sha256="b" * 64,
        verdict=failure.verdict,
        failure=failure,
        score=None,
        max_score=None,
        groups=(),
        cases=(),
        finding=Finding(failure.message),
        sandbox=Sandbox(),
    )


EXCEPTION: Final = Failure(Reason.EXCEPTION, "KeyError ('x') was raised in line 7.", "KeyError in line 7: 'x'")
WRONG: Final = Failure(Reason.WRONG_VALUES, "y has wrong numbers.", "y[0, 1] is 3.5")
LATE: Final = Failure(Reason.TIME_LIMIT, f"It took too long: {'look for an endless loop, or ' * 4}wait.")
SYNTAX: Final = Failure(Reason.SYNTAX_ERROR, "The source does not compile in line 3: it's \x1b[31mred.")
FOUND: Final = Finding(
    sentence="First wrong stage: weights (line 21). The softmax runs over \x1b[31mqueries.",
    first_wrong_stage="weights",
    faults=("softmax-over-queries",),
    method="fingerprint",
    stages=(
        ("queries", "ok"),
        ("keys", "ok"),
        ("values", "not_seen"),
        ("scores", "ok"),
        ("masked_scores", "ok"),
        ("weights", "wrong"),
        ("mixed_values", "inherited"),
        ("output", "inherited"),
    ),
)
VIEWS: Final[dict[str, Judgement]] = {
    "accepted": judgement({}),
    "wrong_answer": judgement({"secret_square": WRONG, "secret_mask": WRONG}, prints="(2, 4, 3)\n"),
    "first_wrong_stage": replace(judgement({"secret_square": WRONG}), finding=FOUND),
    "wrong_in_the_sample": judgement({"sample_format": WRONG, "secret_sizes": WRONG, "secret_mask": WRONG}),
    "run_time_error": judgement(
        {"sample_format": EXCEPTION},
        import_prints="\x1b[2Jhello\n",
        prints="".join(f"row {i}\n" for i in range(30)),
    ),
    "cannot_be_run": judgement({"sample_format": SYNTAX}, reached=1),
    "time_limit_exceeded": judgement({"secret_sizes": LATE}, reached=2),
    "judging_failed": not_judged(Reason.JUDGE_ERROR),
    "package_broken": not_judged(Reason.INVALID_PACKAGE),
}
