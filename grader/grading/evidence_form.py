"""The form of an evidence record, schema 3; evidence.schema.json is this form for other programs.

Records of earlier schemas are read as well: those of schema 2 have no `depth`, those of schema 1 neither that nor
`change` nor `extra_runs`.

A record holds what went in (package, source, versions, seeds, limits, walls), what came out (judgement), and what that
rests on: observations, which are numbers that were measured, apart from interpretations, which may be wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

SCHEMA = 3
READABLE = (1, 2, 3)
ADDED: Final[Mapping[int, tuple[str, ...]]] = {2: ("change", "extra_runs"), 3: ("depth",)}  # keys, by their schema
WRITERS: Final[Mapping[int, tuple[str, ...]]] = {1: ("0.1.0",), 2: ("0.1.0",)}  # of earlier schemas: graders
NOTICE = (
    "For interviewers and authors: this record names secret cases and holds values of theirs. Do not give it to a "
    "candidate."
)
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=80)]
Number = float | Literal["nan", "inf", "-inf"]
VerdictWord = Literal["AC", "WA", "TLE", "MLE", "OLE", "RTE", "CE", "JE"]
VisibilityWord = Literal["sample", "secret"]
StateWord = Literal["ok", "wrong", "inherited", "not_seen"]
AnswerWord = Literal["agrees", "disagrees", "not_finite", "raised", "ended"]
MethodWord = Literal["fingerprint", "trace", "invariants", "none"]


class Form(BaseModel):
    """Base of all: frozen, no unknown keys, nothing converted."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class Package(Form):
    """The problem package."""

    slug: Slug
    sha256: Annotated[str, StringConstraints(pattern=r"^([0-9a-f]{64})?$")] = Field(
        description="of the package; empty when it could not be read"
    )


class Source(Form):
    """The submission itself, so that it can be judged again."""

    sha256: Sha256
    size: int = Field(ge=0, description="in bytes")
    encoding: Literal["utf-8", "base64", "omitted"] = Field(description="omitted: over 1 MiB, which is never run")
    text: str


class Limits(Form):
    """What the run was allowed."""

    case_s: float
    total_s: float
    memory_mib: int


class Seeds(Form):
    """What was random, and what it was seeded with."""

    cases: dict[str, int] = Field(description="of each case's generator")


class Walls(Form):
    """The sandbox around the run."""

    layers: tuple[str, ...]
    weakened: bool


class Group(Form):
    """Points of one group of cases."""

    name: str
    points: float
    max_points: float
    verdict: VerdictWord | None


class CaseVerdict(Form):
    """What one case came to; verdict null: not reached."""

    name: str
    group: str
    visibility: VisibilityWord
    verdict: VerdictWord | None
    reason: str | None
    message: str = Field(description="the candidate's sentence")
    detail: str = Field(description="for interviewers: may quote a value of a secret case")
    prints: str = Field(description="for interviewers: may hold values of a secret case")


class Verdict(Form):
    """The judgement."""

    verdict: VerdictWord
    reason: str | None
    message: str
    score: float | None
    max_score: float | None
    groups: tuple[Group, ...]
    cases: tuple[CaseVerdict, ...]
    import_prints: str


class Range(Form):
    """The smallest and the largest of some sums."""

    smallest: Number
    largest: Number


class HiddenKeys(Form):
    """Weight on keys that a query must not read."""

    cells: int
    nonzero: int
    mass: Number = Field(description="sum of the absolute weights on them")


class Row(Form):
    """One row of the last axis, at most 40 numbers of it."""

    index: tuple[int, ...] = Field(description="of the row, counted from 0")
    values: tuple[Number, ...]


class Deviation(Form):
    """Where a returned array is furthest from what was expected, in units of what is allowed there."""

    index: tuple[int, ...]
    returned: Number
    expected: Number
    off: int = Field(description="how many numbers are off by more than the tolerance")


class Observation(Form):
    """One array as it was measured."""

    case: str
    visibility: VisibilityWord
    of: Literal["returned", "stage"] = Field(description="an output of the call, or an intermediate")
    by: Literal["submission", "reference"]
    is_claim: bool = Field(description="told by the submission's process: believed for no verdict, and may be forged")
    name: str
    form: Literal["whole", "pre", "scrambled"] | None = Field(
        description="how a traced stage was found: as it is, before its heads were split, in a wrong order"
    )
    line: int | None = Field(description="of the submission, that first made the array")
    shape: tuple[int, ...]
    dtype: str | None = Field(description="null: a trace carries every number as float64")
    nonfinite: int
    smallest: Number | None = Field(description="of the finite numbers")
    largest: Number | None
    row_sums: Range | None = Field(description="over the last axis, of weights")
    column_sums: Range | None
    hidden_keys: HiddenKeys | None = Field(description="of weights that must be exactly 0 somewhere")
    rows: tuple[Row, ...] = Field(description="the first, the middle and the last row, and the worst one")
    deviation: Deviation | None


class Interpretation(Form):
    """What somebody may conclude from the observations; it may be wrong."""

    kind: Literal["finding", "stage", "fault"]
    about: str = Field(description="a stage or a fault; empty where neither is named")
    state: StateWord | None
    says: str
    rests_on: MethodWord


class SyntaxChange(Form):
    """How many syntax nodes a source changes of a starter."""

    nodes: int
    of: int = Field(description="nodes of the larger of the two")
    share: float
    is_at_most: bool = Field(description="the count was cut short: fewer might do")
    is_rewrite: bool


class Repair(Form):
    """The accepted source of the package that changes least."""

    path: str
    change: SyntaxChange


class StarterChange(Form):
    """A submission beside the starter that it is nearest to."""

    variant: str
    change: SyntaxChange
    smallest: Repair | None


class MovedRows(Form):
    """One output's rows before the exchanged token, as far as the reference's stay what they were."""

    output: str
    numbers: int
    moved: int = Field(description="by more than the tolerance")
    largest: Number = Field(description="move")


class Exchange(Form):
    """The last token of a case exchanged for another one."""

    case: str
    arguments: tuple[str, ...]
    token: int
    state: AnswerWord
    detail: str
    outputs: tuple[MovedRows, ...] = Field(description="empty where there was nothing to compare")


class Rung(Form):
    """The logits multiplied by a factor."""

    factor: float
    state: AnswerWord
    detail: str


class Stability(Form):
    """One argument multiplied, which multiplies the logits alike."""

    case: str
    argument: str
    rungs: tuple[Rung, ...]


class ExtraRuns(Form):
    """Runs beyond judging; a part that is null is explained in `left_out`."""

    perturbation: Exchange | None
    stability: Stability | None
    left_out: tuple[str, ...]


class Timing(Form):
    """Not part of what is compared."""

    total_ms: float
    run_ms: float


class Evidence(Form):
    """An evidence record."""

    model_config = ConfigDict(title="Evidence record of the grader, schema 3")

    schema_: Literal[1, 2, 3] = Field(alias="schema")
    notice: str
    package: Package
    source: Source
    versions: dict[str, str]
    seeds: Seeds
    limits: Limits
    depth: Literal["full", "fast"] = Field(default="full", description="fast: the finding was made without a trace")
    sandbox: Walls
    judgement: Verdict
    observations: tuple[Observation, ...]
    change: StarterChange | None = Field(default=None, description="null: the source cannot be compared by its syntax")
    extra_runs: ExtraRuns | None = Field(default=None, description="null: none were made")
    interpretations: tuple[Interpretation, ...]
    timing: Timing
    record_sha256: Sha256 = Field(
        description="of the record without this key: JSON with sorted keys, no spaces, ASCII only"
    )
