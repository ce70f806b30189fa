"""What the interface for programs takes and tells: whitelists, from which its OpenAPI document is made as well."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Final, Literal

from pydantic import Field

from grader.grading.verdict import Reason, Verdict
from grader.store.base import Mode
from grader.web.api.operations import Input, Reply

IS_LOOKED_UP: Final = (
    "Whether the submission was compared with known faults, and so what an empty `faults` means. True: none is known "
    "that returns the same (or all cases pass). False: nobody looked, so it means nothing. Null: nothing could be "
    "compared (it cannot be run, breaks the contract wherever it fails, failed through our fault, or waits), or the "
    "open hints do not tell."
)
IS_DUE: Final = (
    "Whether to ask again for more of the finding. True: known faults are still to be looked up; that is done on its "
    "own, mostly within minutes, verdict and points stay, and asking once a minute is enough. False: this finding is "
    "the last one until hints are opened, the time is over or the submission is judged again, whatever `is_looked_up` "
    "says. It says nothing of a verdict that is not there yet."
)
PageNumber = Annotated[int, Field(ge=1, le=100_000)]


class Page(Input):
    """Which page of a list is asked for."""

    page: PageNumber = 1


class StartBody(Input):
    """Which variant an attempt is begun on; without one it is the first."""

    variant: Annotated[str, Field(min_length=1, max_length=80)] | None = None


class Problem(Reply):
    """An error (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
    reference: str | None = None  # by which who runs the service finds it in the log


class Me(Reply):
    """Whose token this is, and what it opens."""

    name: str
    is_interviewer: bool
    is_admin: bool
    scopes: list[str]
    expires_at: datetime


class ProblemLine(Reply):
    """A problem in the list, with what the caller has reached on it."""

    slug: str
    title: str
    level: str
    minutes: int
    tags: list[str]
    roles: list[str]
    variants: list[str]
    status: str
    points: float | None
    max_points: float
    is_closed: bool  # while an interview runs that the caller takes and that has it


class ProblemList(Reply):
    """Every problem that is offered, easiest first."""

    problems: list[ProblemLine]


class OwnInterview(Reply):
    """The interview that an attempt is part of, as its candidate's page shows it."""

    invitation: str  # the caller's, which the address of that page ends with
    title: str


class AttemptLine(Reply):
    """An attempt in a list."""

    id: str
    interview: OwnInterview | None  # null in practice
    problem: str  # its slug; in an interview its place there, from 1
    title: str
    variant: str | None  # null in an interview
    mode: Mode
    status: str
    started_at: datetime
    points: float | None


class AttemptList(Reply):
    """A page of the caller's attempts, newest first."""

    attempts: list[AttemptLine]
    next_page: int | None


class ProblemView(ProblemLine):
    """A problem; its whole statement and the starter are the attempt's."""

    about: str
    attempts: list[AttemptLine]  # the newest ones


class ContractRow(Reply):
    """A parameter or an output."""

    name: str
    shape: str
    types: str
    note: str


class Entry(Reply):
    """A function that a submission must define."""

    signature: str
    parameters: list[ContractRow]
    outputs: list[ContractRow]


class Contract(Reply):
    """What a submission must define, and the rules for all of it."""

    entries: list[Entry]
    rules: list[str]


class SubmissionLine(Reply):
    """A submission in a list; verdict and score are null until they may be seen."""

    number: int
    created_at: datetime
    is_by_clock: bool  # the draft, handed in when the time was over
    verdict: Verdict | None
    score: float | None


class AttemptView(AttemptLine):
    """An attempt with what its editor's page shows."""

    statement: str | None  # Markdown with TeX; null, with the next two, while an interview's problem is closed
    contract: Contract | None
    starter: str | None
    ends_at: datetime | None  # of the candidate's time in an interview
    submissions: list[SubmissionLine]  # the newest ones, newest first


class SubmissionMade(Reply):
    """A source that was taken; its result is asked for at `url`."""

    attempt: str
    number: int
    received_at: datetime
    url: str


class Case(Reply):
    """A case within its group; a secret one is a number."""

    label: str
    verdict: Verdict | None


class Group(Reply):
    """A group's points; null: not judged yet, or not for the caller. Without hints it tells no cases."""

    name: str
    points: float | None
    max_points: float
    cases: list[Case]


class Prints(Reply):
    """What the source printed, and when; never of a secret case."""

    label: str
    text: str


class Stage(Reply):
    """A stage, and how it stood."""

    name: str
    status: str


class Finding(Reply):
    """As much of the finding as open hints tell."""

    stage: str | None
    stages: list[Stage]
    why_no_stages: str  # empty where there are some, and where nothing is wrong
    symptoms: list[str]
    faults: list[str]
    fault_texts: list[str]
    is_looked_up: Annotated[bool | None, Field(description=IS_LOOKED_UP)]
    is_due: Annotated[bool, Field(description=IS_DUE)]


class Rung(Reply):
    """A hint's level, whether it is open, and what opening it costs."""

    level: int
    state: Literal["open", "offered", "later", "nothing"]
    cost: float


class SubmissionResult(Reply):
    """A submission as its candidate may see it; verdict null: it is still being graded, or not shown."""

    attempt: str
    number: int
    created_at: datetime
    is_by_clock: bool  # the draft, handed in when the time was over
    is_told: bool  # whether the caller sees the verdict, once there is one
    is_judged: bool
    verdict: Verdict | None
    reason: Reason | None
    message: str
    score: float | None
    max_score: float
    groups: list[Group]
    sentences: list[str]
    prints: list[Prints]
    finding: Finding
    hints: list[Rung]
