"""The values that a package's YAML files hold: problem.yaml, faults.yaml, interview.yaml.

Unknown keys are errors. Rules that span several keys are in `loader`.
"""

from __future__ import annotations

import builtins
import keyword
import re
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from grader.problems.shapes import ArrayType, IntegerType, ShapeError, parse

_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def _plain_text(text: str) -> str:
    if _CONTROL.search(text):
        raise ValueError("there are control characters in the text")
    return text


def _one_line(text: str) -> str:
    if "\n" in text or "\t" in text:
        raise ValueError("the text must stand on one line, without tabs")
    return text


_Plain = AfterValidator(_plain_text)
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=20_000), _Plain]
Line = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=400), _Plain, AfterValidator(_one_line)
]


def _usable(name: str) -> str:
    if keyword.iskeyword(name):
        raise ValueError(f"{name} is a keyword of Python, which nothing can be called")
    if name.startswith("__") and name.endswith("__"):
        raise ValueError(f"{name} begins and ends with __, as Python's own names do")
    return name


def _not_taken(name: str) -> str:
    if name.startswith("_"):
        raise ValueError(f"{name} begins with _, as functions do that are no stage")
    if "__" in name:
        raise ValueError(f"{name} holds __, which stands between a stage and the fault of an alternative")
    return name


Identifier = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,60}$")]
CodeName = Annotated[Identifier, AfterValidator(_usable)]  # of what a source defines or takes
StageName = Annotated[CodeName, AfterValidator(_not_taken)]
Kebab = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=80)]
FaultId = Annotated[
    str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*(\+[a-z0-9]+(-[a-z0-9]+)*)*$", max_length=240)
]
CaseName = Annotated[str, StringConstraints(pattern=r"^(sample|secret)_[a-z0-9_]{1,60}$")]
Level = Literal["L2", "L3", "L4", "L5"]


def _type_text(text: str) -> str:
    try:
        parse(text)
    except ShapeError as error:
        raise ValueError(str(error)) from None
    return text


TypeText = Annotated[str, StringConstraints(max_length=200), AfterValidator(_type_text)]
Cost = Annotated[float, Field(ge=0, le=1000)]


class Spec(BaseModel):
    """Base of all: frozen, no unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class EntrySpec(Spec):
    """A function that a submission must define."""

    parameters: dict[CodeName, TypeText] = Field(min_length=1, max_length=16)
    outputs: dict[Identifier, TypeText] = Field(min_length=1, max_length=4)
    exact_zeros: dict[Identifier, Literal["future"]] = {}
    accepts: dict[Identifier, list[Literal["int64", "float32", "float64"]]] = {}

    def parameter_types(self) -> dict[str, ArrayType | IntegerType]:
        """Return the parameters' types in order."""
        return {name: parse(text) for name, text in self.parameters.items()}

    def output_types(self) -> dict[str, ArrayType]:
        """Return the outputs' types in order; the loader has checked that they are arrays."""
        types = {name: parse(text) for name, text in self.outputs.items()}
        return {name: kind for name, kind in types.items() if isinstance(kind, ArrayType)}


class VariantSpec(Spec):
    """One buggy source given out, and the faults planted in it."""

    starter: str
    planted: list[Kebab] = Field(min_length=1, max_length=8)


class GroupSpec(Spec):
    """Cases that earn points together, all or nothing."""

    name: Kebab
    points: float = Field(ge=0, le=1000)
    cases: list[CaseName] = Field(min_length=1, max_length=64)


class ToleranceSpec(Spec):
    """|value - expected| <= atol + rtol |expected|, for float64 inputs."""

    rtol: float = Field(default=1e-6, gt=0, le=1e-2)
    atol: float = Field(default=1e-9, ge=0, le=1e-2)


class LimitsSpec(Spec):
    """Seconds for one call and for all of them, MiB beyond the interpreter."""

    case_s: float = Field(default=2.0, gt=0, le=30)
    total_s: float = Field(default=10.0, gt=0, le=120)
    memory_mib: int = Field(default=512, ge=64, le=4096)


class ProblemSpec(Spec):
    """problem.yaml."""

    schema_: Literal[1] = Field(alias="schema")
    title: Line
    level: Level
    minutes: int = Field(ge=1, le=240)
    tags: list[Line] = Field(min_length=1, max_length=12)
    roles: list[Line] = Field(default=[], max_length=8)
    entries: dict[CodeName, EntrySpec] = Field(min_length=1, max_length=8)
    variants: dict[Kebab, VariantSpec] = Field(min_length=1, max_length=12)
    groups: list[GroupSpec] = Field(min_length=1, max_length=20)
    tolerance: ToleranceSpec = ToleranceSpec()
    limits: LimitsSpec = LimitsSpec()
    stages: list[StageName] = Field(min_length=1, max_length=20)
    standard: Kebab | None = None  # the folder of _standard/ whose stages and alternatives the package builds on
    exemptions: dict[Kebab, Line] = {}  # rules for hidden cases that do not hold here, each with its reason
    hint_costs: tuple[Cost, Cost] = (5.0, 10.0)


class HintSpec(Spec):
    """What a candidate may open: level 2 a symptom or invariant to look at, level 3 the fault."""

    symptom: Text
    fault: Text


class FaultSpec(Spec):
    """What a wrong source does."""

    fault: FaultId
    stage: Identifier | None
    left: list[Kebab] = []
    sentence: Text
    hints: HintSpec


class FaultsSpec(Spec):
    """faults.yaml: by the file's path within submissions/."""

    schema_: Literal[1] = Field(alias="schema")
    files: dict[str, FaultSpec]


class FollowUpSpec(Spec):
    """A question asked after judging."""

    id: Kebab
    level: Level
    question: Text
    expected_answer: Text
    rubric: list[Text] = []
    unlocked_by: list[Kebab] = []


class WrongAnswerSpec(Spec):
    """What interviewers hear, and why it is wrong."""

    answer: Text
    rebuttal: Text


class MultipleChoiceSpec(Spec):
    """A question with one right choice, counted from 0."""

    id: Kebab
    question: Text
    choices: list[Text] = Field(min_length=2, max_length=8)
    correct: int = Field(ge=0, le=7)
    hint: Text
    solution: Text


class InterviewSpec(Spec):
    """interview.yaml."""

    schema_: Literal[1] = Field(alias="schema")
    short_answer: Text
    full_answer: Text
    corrected_source: str
    why_old_tests_passed: Text
    follow_ups: list[FollowUpSpec] = Field(min_length=1, max_length=12)
    wrong_answers: list[WrongAnswerSpec] = Field(min_length=1, max_length=12)
    multiple_choice: list[MultipleChoiceSpec] = Field(default=[], max_length=12)
    lessons: list[Text] = []
    sources: list[Text] = []


def is_exception_name(name: object) -> bool:
    """Whether a case's `raises` names a built-in exception class."""
    found = getattr(builtins, name, None) if isinstance(name, str) else None
    return isinstance(found, type) and issubclass(found, Exception)


def is_kind_of(raised: str, wanted: str) -> bool:
    """Whether the built-in exception class of one name is the other one or a subclass of it."""
    return issubclass(getattr(builtins, raised), getattr(builtins, wanted))
