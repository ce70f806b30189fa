"""A package's stages: what stages.py defines, and the source that composes them into calls.

stages.py has one function per stage, whose parameters are entry parameters or earlier stages, and beside each stage
its alternatives: `weights__softmax_over_queries(masked_scores)` is the fault softmax-over-queries. The code is not
trusted: it is described and run in the sandbox alone, and what is said of it is checked here.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from grader.errors import InvalidPackage
from grader.problems.files import STANDARD
from grader.problems.loader import Problem
from grader.problems.schema import EntrySpec
from grader.problems.stage_code import CALL_MANY, DESCRIBE, kept, unchanged
from grader.sandbox.exchange import Raised
from grader.sandbox.run import Run
from grader.sandbox.wire import Value
from grader.wording import counted

FILE: Final = "stages.py"
ALTERNATIVES_MAX: Final = 400
FUNCTIONS_MAX: Final = 1000  # that a package's code may say that it defines
SENTENCE_MAX: Final = 300
NAME_MAX: Final = 200  # characters of a function or a parameter
_FAULT: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_ALTERNATIVE: Final = re.compile(r"(?P<stage>.*?_*)__(?P<fault>[^_].*)")  # a stage's own name may end with _
TRACE: Final = "_grader_trace_"


@dataclass(frozen=True)
class StageFunction:
    """A stage, or an alternative of one, as its definition says."""

    name: str
    parameters: tuple[str, ...]
    sentence: str  # the docstring's first paragraph, on one line
    where: str  # file and line, for findings

    @property
    def stage(self) -> str:
        """The stage that it computes."""
        found = _ALTERNATIVE.fullmatch(self.name)
        return found["stage"] if found else self.name

    @property
    def fault(self) -> str:
        """The fault that an alternative has; empty for the stage itself."""
        found = _ALTERNATIVE.fullmatch(self.name)
        return found["fault"].replace("_", "-") if found else ""


@dataclass(frozen=True)
class StageTree:
    """All stages of a package in audit order, and their alternatives."""

    problem: Problem
    stages: dict[str, StageFunction]
    alternatives: tuple[StageFunction, ...]

    @cached_property
    def by_name(self) -> dict[str, StageFunction]:
        """Alternatives by their function's name."""
        return {alternative.name: alternative for alternative in self.alternatives}

    def outputs(self, entry: str) -> tuple[str, ...]:
        """Return the stages that an entry's outputs are: of the same name, and the last stage for one without."""
        return output_stages(self.problem.spec.entries[entry], self.problem.spec.stages)

    def needed(self, entry: str) -> tuple[str, ...]:
        """Return the stages that an entry computes, in audit order."""
        wanted = list(self.outputs(entry))
        found: set[str] = set()
        while wanted:
            name = wanted.pop()
            if name not in found:
                found.add(name)
                wanted += [parameter for parameter in self.stages[name].parameters if parameter in self.stages]
        return tuple(stage for stage in self.stages if stage in found)

    def alternatives_of(self, entry: str) -> tuple[StageFunction, ...]:
        """Return the alternatives that an entry's stages have."""
        needed = self.needed(entry)
        return tuple(alternative for alternative in self.alternatives if alternative.stage in needed)

    def source(self, faults: Sequence[tuple[str, ...]] = ()) -> bytes:
        """Return the package's code with callers for each entry: of its stages, and of its outputs with faults.

        Args:
            faults: names of alternatives of different stages that replace them, all of one at a time.
        """
        parts = [code_of(self.problem), CALL_MANY]
        for number, entry in enumerate(self.problem.spec.entries):
            parts.append(self._caller(f"{TRACE}{number}", entry, (), self.needed(entry), is_trace=True))
            own = {alternative.name for alternative in self.alternatives_of(entry)}
            for names in faults:
                if own.issuperset(names):
                    parts.append(self._caller(caller_of(number, names), entry, names, self.outputs(entry)))
        return "\n".join(parts).encode()

    def _caller(
        self, name: str, entry: str, replaced: tuple[str, ...], returned: tuple[str, ...], is_trace: bool = False
    ) -> str:
        """Return the text of a function that computes an entry's stages, some replaced by alternatives.

        Its variables begin with _, as no stage's function does: else a stage could be taken for one of them.
        """
        parameters = list(self.problem.spec.entries[entry].parameters)
        functions = {stage: self.stages[stage] for stage in self.needed(entry)}
        functions |= {self.by_name[alternative].stage: self.by_name[alternative] for alternative in replaced}
        lines = [f"def {name}({', '.join('_p_' + parameter for parameter in parameters)}):"]
        for stage, function in functions.items():
            given = [("_p_" if parameter in parameters else "_s_") + parameter for parameter in function.parameters]
            lines.append(f"    _s_{stage} = {function.name}({', '.join(given)})")
            lines += [kept(stage)] * is_trace
        lines += [unchanged(list(functions))] * is_trace
        return "\n".join([*lines, f"    return [{', '.join('_s_' + stage for stage in returned)}]", ""])


def output_stages(entry: EntrySpec, stages: list[str]) -> tuple[str, ...]:
    """Return for each output of an entry the stage that it is."""
    return tuple(output if output in stages else stages[-1] for output in entry.outputs)


def caller_of(entry: int, names: tuple[str, ...]) -> str:
    """Return the name of the caller that composes an entry, counted from 0, with these alternatives."""
    return f"_grader_composed_{entry}__" + "__and__".join(names)


def code_of(problem: Problem) -> str:
    """Return the code of the standard layer and the package's own, in one text.

    Raises:
        InvalidPackage: there is none.
    """
    texts = [problem.files.text(path) for path in _paths(problem)]
    if not texts:
        raise InvalidPackage(
            [f"{problem.slug}/{FILE}: the file is missing; add it, or name a standard layer in problem.yaml."]
        )
    return "\n".join(texts) + "\n"


def _paths(problem: Problem) -> list[str]:
    standard = f"{STANDARD}/{problem.spec.standard}/{FILE}"
    return [path for path in (standard, FILE) if path in problem.files.contents]


def describing_source(problem: Problem) -> bytes:
    """Return the package's code with the function that describes it."""
    return (code_of(problem) + DESCRIBE).encode()


def described_in(run: Run) -> Value:
    """Return what a run that has loaded `describing_source` says of a package's functions; not checked yet."""
    described = run.compute("_grader_describe", {}, {})
    return None if isinstance(described, Raised) else described


def read_stages(problem: Problem, described: Value) -> StageTree:
    """Return a package's stages as its code describes them.

    Raises:
        InvalidPackage: they are not what problem.yaml says; every finding.
    """
    if not _is_description(described):
        raise InvalidPackage([f"{problem.slug}/{FILE}: cannot be described; define plain functions only."])
    functions = [
        StageFunction(name, tuple(parameters), " ".join(text.partition("\n\n")[0].split()), _where(problem, line))
        for name, parameters, text, line in described
    ]
    if too_long := [
        (each.where, name) for each in functions for name in (each.name, *each.parameters) if len(name) > NAME_MAX
    ]:
        raise InvalidPackage(
            [
                f"{where}: {name[:40]}... has {counted(len(name), 'character')}; use at most {NAME_MAX}."
                for where, name in too_long
            ]
        )
    stages = {function.name: function for function in functions if not function.fault}
    tree = StageTree(
        problem,
        {name: stages[name] for name in problem.spec.stages if name in stages},
        tuple(function for function in functions if function.fault),
    )
    findings = [*_stage_findings(problem, stages), *_alternative_findings(tree)]
    if findings or (findings := _entry_findings(tree)):
        raise InvalidPackage(findings)
    return tree


def _is_description(value: Value) -> bool:
    def is_name(name: Any) -> bool:
        plain = name.removeprefix("*") if type(name) is str else ""
        return plain.isidentifier() and not keyword.iskeyword(plain)

    return (
        isinstance(value, list)
        and len(value) <= FUNCTIONS_MAX
        and all(
            isinstance(item, list)
            and [type(part) for part in item] == [str, list, str, int]
            and all(map(is_name, (item[0], *item[1])))
            for item in value
        )
    )


def _where(problem: Problem, line: int) -> str:
    """Return file and line of a line of the joined code."""
    for path in _paths(problem):
        count = problem.files.text(path).count("\n") + 1
        if line <= count:
            return f"{problem.slug}/{path} line {line}"
        line -= count
    return f"{problem.slug}/{FILE}"


def _stage_findings(problem: Problem, functions: dict[str, StageFunction]) -> list[str]:
    names = problem.spec.stages
    findings = [
        f"{problem.slug}/{FILE}: the stage {name} of problem.yaml has no function; define it."
        for name in names
        if name not in functions
    ]
    clash = {parameter for entry in problem.spec.entries.values() for parameter in entry.parameters} & set(names)
    findings += [
        f"{problem.slug}/problem.yaml: {name} is a stage and a parameter; rename one." for name in sorted(clash)
    ]
    for name, function in functions.items():
        if name not in names:
            findings.append(
                f"{function.where}: {name} is no stage of problem.yaml; begin its name with _ or correct it."
            )
        else:
            findings += _parameter_findings(problem, function, names[: names.index(name)])
    for entry, spec in problem.spec.entries.items():
        outputs = output_stages(spec, names)
        if len(set(outputs)) < len(outputs):
            findings.append(
                f"{problem.slug}/problem.yaml: entries.{entry}.outputs: two outputs would be the stage {names[-1]}; "
                "name each output but one after the stage that it is."
            )
    return findings


def _alternative_findings(tree: StageTree) -> list[str]:
    problem, names = tree.problem, tree.problem.spec.stages
    findings = []
    if len(tree.alternatives) > ALTERNATIVES_MAX:
        findings.append(f"{problem.slug}/{FILE}: more than {ALTERNATIVES_MAX} alternatives; remove some.")
    for function in tree.alternatives:
        if function.stage not in names:
            findings.append(f"{function.where}: {function.name} belongs to no stage of problem.yaml; rename it.")
            continue
        findings += _parameter_findings(problem, function, names[: names.index(function.stage)])
        if not _FAULT.fullmatch(function.fault):
            findings.append(
                f"{function.where}: {function.name}: a fault's name is of lower-case letters, digits and _; rename it."
            )
        if not 10 <= len(function.sentence) <= SENTENCE_MAX:
            findings.append(
                f"{function.where}: {function.name} needs a docstring of one sentence: what the fault does."
            )
    return findings


def _parameter_findings(problem: Problem, function: StageFunction, earlier: list[str]) -> list[str]:
    """Say which parameters are nothing that every entry with this stage has."""
    known = {parameter for entry in problem.spec.entries.values() for parameter in entry.parameters}
    findings = []
    for parameter in function.parameters:
        where = f"{function.where}: {function.name}"
        if parameter.startswith("*"):
            findings.append(f"{where}: takes {parameter}; name each parameter.")
        elif parameter not in known and parameter not in earlier:
            findings.append(f"{where}: {parameter} is no parameter of an entry and no earlier stage; rename it.")
    return findings


def _entry_findings(tree: StageTree) -> list[str]:
    """Say which parameters an entry does not have although it computes their stage."""
    findings = []
    for entry, spec in tree.problem.spec.entries.items():
        needed = tree.needed(entry)
        for function in (*(tree.stages[stage] for stage in needed), *tree.alternatives_of(entry)):
            findings += [
                f"{function.where}: {function.name}: {entry} computes this stage and has no {parameter}; do without."
                for parameter in function.parameters
                if parameter not in spec.parameters and parameter not in needed
            ]
    return findings
