"""Verdicts and reasons, the one table of sentences, and the values that a judgement is made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, Literal


class Verdict(StrEnum):
    """The field's verdicts; JE is our own fault, has no score and never counts."""

    AC = "AC"
    WA = "WA"
    TLE = "TLE"
    MLE = "MLE"
    OLE = "OLE"
    RTE = "RTE"
    CE = "CE"
    JE = "JE"

    @property
    def word(self) -> str:
        """The verdict in words."""
        return _WORDS[self]


_WORDS: Final = {
    Verdict.AC: "Accepted",
    Verdict.WA: "Wrong answer",
    Verdict.TLE: "Time limit exceeded",
    Verdict.MLE: "Memory limit exceeded",
    Verdict.OLE: "Output limit exceeded",
    Verdict.RTE: "Run-time error",
    Verdict.CE: "Cannot be run",
    Verdict.JE: "Judging failed",
}


class Reason(StrEnum):
    """Why a verdict is not AC; a closed table."""

    WRONG_CONTAINER = "wrong_container"
    WRONG_COUNT = "wrong_count"
    WRONG_TYPE = "wrong_type"
    WRONG_DTYPE = "wrong_dtype"
    WRONG_SHAPE = "wrong_shape"
    NONFINITE = "nonfinite"
    WRONG_VALUES = "wrong_values"
    NOT_EXACTLY_ZERO = "not_exactly_zero"
    MUTATED_INPUT = "mutated_input"
    NOT_REPEATABLE = "not_repeatable"
    RESULT_CHANGED = "result_changed"
    EXPECTED_ERROR = "expected_error"
    EXCEPTION = "exception"
    IMPORT_ERROR = "import_error"
    REFUSED_CALL = "refused_call"
    CRASHED = "crashed"
    BAD_ANSWER = "bad_answer"
    WRONG_ARITY = "wrong_arity"
    TIME_LIMIT = "time_limit"
    MEMORY_LIMIT = "memory_limit"
    OUTPUT_LIMIT = "output_limit"
    EMPTY_SOURCE = "empty_source"
    NOT_PYTHON = "not_python"
    TOO_LARGE = "too_large"
    SYNTAX_ERROR = "syntax_error"
    MISSING_ENTRY = "missing_entry"
    INVALID_PACKAGE = "invalid_package"
    JUDGE_ERROR = "judge_error"


# each reason's verdict and sentence; names in braces are filled in, never with a value of a secret case
REASONS: Final[dict[Reason, tuple[Verdict, str]]] = {
    Reason.WRONG_CONTAINER: (Verdict.WA, "{entry} must return {wanted}; yours returns {got}."),
    Reason.WRONG_COUNT: (Verdict.WA, "{entry} must return {wanted}; yours returns {got}."),
    Reason.WRONG_TYPE: (Verdict.WA, "{output} must be a plain NumPy array of numbers; yours is {got}."),
    Reason.WRONG_DTYPE: (Verdict.WA, "{output} must be an array of {wanted}; yours is of {got}."),
    Reason.WRONG_SHAPE: (Verdict.WA, "{output} must have the shape {wanted}; yours {got}."),
    Reason.NONFINITE: (
        Verdict.WA,
        "{output} holds NaN or infinity: go to the first intermediate that is not finite; it is where that starts.",
    ),
    Reason.WRONG_VALUES: (
        Verdict.WA,
        "{output} the right shape and wrong numbers{right}: compare the intermediates with the contract one by one.",
    ),
    Reason.NOT_EXACTLY_ZERO: (
        Verdict.WA,
        "{output} must be exactly 0 above the diagonal; yours is close to it, so a future position still takes part.",
    ),
    Reason.MUTATED_INPUT: (
        Verdict.WA,
        "{entry} changes its arguments: the caller needs them unchanged, so work on copies (x = x / 2, not x /= 2).",
    ),
    Reason.NOT_REPEATABLE: (
        Verdict.WA,
        "{entry} answers differently when it is called again with equal arguments: keep no state between calls.",
    ),
    Reason.RESULT_CHANGED: (
        Verdict.WA,
        "An array that {entry} had returned changed during later calls: return new arrays, not a buffer used again.",
    ),
    Reason.EXPECTED_ERROR: (Verdict.WA, "{entry} must raise {wanted} for these arguments; yours {got}."),
    Reason.EXCEPTION: (
        Verdict.RTE,
        "{got} was raised{line}: {remedy}",
    ),
    Reason.IMPORT_ERROR: (
        Verdict.RTE,
        "{got}{line}: there are NumPy (with linalg, fft, random, ma, testing, typing) and math, itertools, functools, "
        "collections, operator, dataclasses, typing, decimal, fractions, statistics and the like.",
    ),
    Reason.REFUSED_CALL: (
        Verdict.RTE,
        "The sandbox refused a call{line}: files, network, processes, threads and signals are not there; "
        "compute with NumPy alone.",
    ),
    Reason.CRASHED: (
        Verdict.RTE,
        "The process crashed: look for endless recursion, raised recursion limits and wild memory access (as_strided).",
    ),
    Reason.BAD_ANSWER: (
        Verdict.RTE,
        "The process ended, or wrote into the grader's channel, before it had answered: "
        "return the result and do not exit.",
    ),
    Reason.WRONG_ARITY: (
        Verdict.RTE,
        "{entry} is called as {wanted}; yours takes other arguments. Restore its signature.",
    ),
    Reason.TIME_LIMIT: (
        Verdict.TLE,
        "It took longer than {case_s} s for one call or {total_s} s for all: look for an endless loop or "
        "work that grows too fast with T.",
    ),
    Reason.MEMORY_LIMIT: (
        Verdict.MLE,
        "It needed more than {memory_mib} MiB: look for an array with an axis too many, or a list that grows.",
    ),
    Reason.OUTPUT_LIMIT: (
        Verdict.OLE,
        "It printed more than 1 MiB: remove the prints, or print shapes in place of arrays.",
    ),
    Reason.EMPTY_SOURCE: (Verdict.CE, "The source is empty: hand in the whole repaired file."),
    Reason.NOT_PYTHON: (Verdict.CE, "The source is no Python text ({got}): hand in a UTF-8 file."),
    Reason.TOO_LARGE: (Verdict.CE, "The source is larger than 1 MiB: hand in the repaired file alone."),
    Reason.SYNTAX_ERROR: (Verdict.CE, "The source does not compile{line}: {got}."),
    Reason.MISSING_ENTRY: (Verdict.CE, "The source defines no function {wanted}: keep the name that the starter has."),
    Reason.INVALID_PACKAGE: (
        Verdict.JE,
        "The problem's package is broken, which is not your fault and costs you nothing: tell who runs this service.",
    ),
    Reason.JUDGE_ERROR: (
        Verdict.JE,
        "The grader failed, which is not your fault and costs you nothing: hand the same source in again.",
    ),
}

Visibility = Literal["sample", "secret"]
Method = Literal["fingerprint", "trace", "invariants", "none"]


@dataclass(frozen=True, eq=False)
class Failure:
    """A reason with its sentence, safe for a candidate, and a detail for the interviewer alone.

    The detail, as text or what makes it: most are never asked for.
    """

    reason: Reason
    message: str
    told: str | Callable[[], str] = field(default="", repr=False)

    def __eq__(self, other: object) -> bool:
        """Two failures are equal that say the same, whether it is text already or not."""
        if not isinstance(other, Failure):
            return NotImplemented
        return (self.reason, self.message, self.detail) == (other.reason, other.message, other.detail)

    def __hash__(self) -> int:
        """Of what needs no making."""
        return hash((self.reason, self.message))

    @property
    def detail(self) -> str:
        """What an interviewer may know."""
        return self.told if isinstance(self.told, str) else self.told()

    @property
    def verdict(self) -> Verdict:
        """The verdict that the reason has in the table."""
        return REASONS[self.reason][0]

    @classmethod
    def of(cls, reason: Reason, detail: str | Callable[[], str] = "", **facts: object) -> Failure:
        """Fill in a reason's sentence."""
        return cls(reason, REASONS[reason][1].format(**facts), detail)


@dataclass(frozen=True)
class CaseResult:
    """What one case came to; verdict None: not reached. Prints and detail of secret cases are the interviewer's."""

    name: str
    group: str
    visibility: Visibility
    verdict: Verdict | None
    failure: Failure | None = None
    prints: str = ""


@dataclass(frozen=True)
class GroupResult:
    """A group's points, all or nothing; its verdict is its first failing case's, None when that was not reached."""

    name: str
    points: float
    max_points: float
    verdict: Verdict | None


@dataclass(frozen=True)
class Finding:
    """The first wrong stage and the faults that the submission behaves like."""

    sentence: str
    first_wrong_stage: str | None = None
    faults: tuple[str, ...] = ()
    method: Method = "none"
    stages: tuple[tuple[str, str], ...] = ()
    fault_sentences: tuple[str, ...] = ()  # what each of the faults does, as the package says it
    is_looked_up: bool = True  # False: it could be compared, and nobody looked whether a known fault returns the same


@dataclass(frozen=True)
class Sandbox:
    """The walls around the run, and whether one was left out."""

    layers: tuple[str, ...] = ()
    weakened: bool = False


@dataclass(frozen=True)
class Judgement:
    """All that judging says of one submission."""

    problem: str
    package_sha256: str
    source_sha256: str
    verdict: Verdict
    failure: Failure | None
    score: float | None  # None for JE
    max_score: float | None  # None where the package could not be read
    groups: tuple[GroupResult, ...]
    cases: tuple[CaseResult, ...]
    finding: Finding
    sandbox: Sandbox
    import_prints: str = ""
    total_ms: float = 0.0
    run_ms: float = 0.0
    versions: dict[str, str] = field(default_factory=dict)

    @property
    def reason(self) -> Reason | None:
        """The first failing case's reason."""
        return self.failure.reason if self.failure else None

    @property
    def message(self) -> str:
        """One sentence for the candidate."""
        return self.failure.message if self.failure else "Every case agrees with the reference."
