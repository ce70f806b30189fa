"""Loads problem packages: from their files to a `Problem`, or to findings that name file, key and remedy."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

from grader.errors import InvalidPackage, UserError
from grader.problems.files import STANDARD, PackageFiles, read_folder
from grader.problems.schema import EntrySpec, FaultSpec, FaultsSpec, InterviewSpec, ProblemSpec
from grader.problems.shapes import ArrayType, parse
from grader.problems.spec_reader import read_spec, shown
from grader.sandbox.exchange import Limits
from grader.wording import counted, nearest

REFERENCE = "submissions/accepted/reference.py"
_STARTER: Final = re.compile(r"starters/[A-Za-z0-9_][A-Za-z0-9_-]{0,60}\.py")


@dataclass(frozen=True, eq=False)
class Problem:
    """A loaded package. Its code is not trusted: only the sandbox runs it."""

    files: PackageFiles
    spec: ProblemSpec

    @property
    def slug(self) -> str:
        """Folder name, and the problem's name in commands and addresses."""
        return self.files.slug

    @property
    def sha256(self) -> str:
        """The package's hash."""
        return self.files.sha256

    @cached_property
    def group_of(self) -> dict[str, str]:
        """The name of each case's group, by the case's name."""
        return {name: group.name for group in self.spec.groups for name in group.cases}

    @property
    def max_score(self) -> float:
        """Sum of all groups' points."""
        return sum(group.points for group in self.spec.groups)

    @property
    def limits(self) -> Limits:
        """What one run of a submission may use."""
        limits = self.spec.limits
        return Limits(limits.case_s, limits.total_s, limits.memory_mib)

    @property
    def statement(self) -> str:
        """Markdown with TeX."""
        return self.files.text("statement.md")

    def starter(self, variant: str) -> str:
        """Return a variant's buggy source."""
        return self.files.text(self.spec.variants[variant].starter)

    @property
    def first_variant(self) -> str:
        """The variant given out where none is named."""
        return next(iter(self.spec.variants))

    @cached_property
    def interview(self) -> InterviewSpec:
        """Interview content; `load` has parsed it once."""
        return read_spec(self.files, "interview.yaml", InterviewSpec)

    @cached_property
    def faults(self) -> FaultsSpec:
        """What each wrong source does."""
        return read_spec(self.files, "faults.yaml", FaultsSpec)

    @property
    def described(self) -> Mapping[str, FaultSpec]:
        """The entries of faults.yaml by file, none where it cannot be read: for a check that goes on all the same."""
        try:
            return self.faults.files
        except InvalidPackage:
            return {}


def load(files: PackageFiles) -> Problem:
    """Return a package's problem; interview and fault texts are parsed at first use.

    Raises:
        InvalidPackage: problem.yaml or a file that it names breaks the format.
    """
    problem = Problem(files, read_spec(files, "problem.yaml", ProblemSpec))
    if findings := _own_findings(problem):
        raise InvalidPackage(findings)
    return problem


def _own_findings(problem: Problem) -> list[str]:
    """Return what is wrong in problem.yaml across its keys, and in the files that no package goes without."""
    files, spec = problem.files, problem.spec
    findings = [f"{files.slug}/problem.yaml: {text}" for text in _across_keys(spec)]
    findings += [f"{files.slug}/problem.yaml: {text}" for text in _starters(files, spec)]
    if spec.standard and not any(path.startswith(f"{STANDARD}/{spec.standard}/") for path in files.contents):
        findings.append(
            f"{files.slug}/problem.yaml: standard: there is no folder {STANDARD}/{spec.standard} beside the package; "
            "correct the name, and write it on the key's own line."
        )
    starters = {variant.starter for variant in spec.variants.values()} & set(files.contents)
    for path in ("statement.md", "cases.py", REFERENCE, *sorted(starters)):
        findings += _text_findings(files, path)
    return findings


def load_all(files: PackageFiles) -> Problem:
    """As `load`, with interview.yaml and faults.yaml parsed and held against the other files.

    Raises:
        InvalidPackage: it breaks the format; the findings are all that can be told without running anything.
    """
    problem = Problem(files, read_spec(files, "problem.yaml", ProblemSpec))
    if findings := [*_own_findings(problem), *content_findings(problem)]:
        raise InvalidPackage(findings)
    return problem


def format_findings(files: PackageFiles) -> list[str]:
    """Return everything that breaks the format, in all files that can be read without the others."""
    try:
        load_all(files)
    except InvalidPackage as error:
        return list(error.findings)
    return []


def content_findings(problem: Problem) -> list[str]:
    """Return where interview.yaml and faults.yaml break the format, or disagree with the other files."""
    findings: list[str] = []
    for check in (_interview_findings, _fault_findings):
        try:
            findings += check(problem)
        except InvalidPackage as error:
            findings += error.findings
    return list(dict.fromkeys(findings))  # both checks read faults.yaml


def problem_folder(name: str, root: Path) -> Path:
    """Return the folder that a command's PROBLEM means: a slug below `root`, or a path when it contains '/'.

    Raises:
        UserError: there is none; the sentence suggests the nearest slug.
        InvalidPackage: the path is a folder without problem.yaml.
    """
    folder = Path(name) if "/" in name else root / name
    if (folder / "problem.yaml").is_file():
        return folder
    if "/" in name and folder.is_dir():
        raise InvalidPackage([f"{folder.name}/problem.yaml: the file is missing; add it, or name a package's folder."])
    advice = nearest(name, slugs(root), "grader problems lists what there is.")
    raise UserError(f"There is no problem {name!a}; {advice}")


def slugs(root: Path) -> list[str]:
    """Return the slugs of all packages below a folder, sorted."""
    if not root.is_dir():
        return []
    return sorted(
        path.parent.name for path in root.glob("*/problem.yaml") if not path.parent.name.startswith((".", "_"))
    )


def load_named(name: str, root: Path) -> Problem:
    """Load the package that a command names."""
    return load(read_folder(problem_folder(name, root)))


def _across_keys(spec: ProblemSpec) -> list[str]:
    findings = []
    names = [case for group in spec.groups for case in group.cases]
    findings += [
        f"the case {name} stands in two groups; keep one." for name in sorted({n for n in names if names.count(n) > 1})
    ]
    if len(names) > 64:
        findings.append(f"groups: {counted(len(names), 'case')}; at most 64 are allowed.")
    kinds = [name.startswith("secret_") for name in names]
    if kinds != sorted(kinds):
        findings.append("groups: a sample case comes after a secret one; put the samples first.")
    if not any(kinds):
        findings.append("groups: there is no secret case; add one.")
    group_names = [group.name for group in spec.groups]
    if len(set(group_names)) < len(group_names):
        findings.append("groups: two groups have the same name; rename one.")
    if sum(group.points for group in spec.groups) <= 0:
        findings.append("groups: no group has points; give some.")
    if len(set(spec.stages)) < len(spec.stages):
        findings.append("stages: a stage stands twice; remove one.")
    for name, entry in spec.entries.items():
        findings += [f"entries.{name}.{text}" for text in _entry_findings(entry)]
    return findings


def _entry_findings(entry: EntrySpec) -> list[str]:
    findings = []
    for output, text in entry.outputs.items():
        kind = parse(text)
        if not isinstance(kind, ArrayType):
            findings.append(f"outputs.{output}: an output is an array; write its dtype and shape.")
    for output in entry.exact_zeros:
        if output not in entry.outputs:
            findings.append(f"exact_zeros.{output}: there is no such output; name one of {', '.join(entry.outputs)}.")
        elif isinstance(kind := parse(entry.outputs[output]), ArrayType) and len(kind.dimensions) < 2:
            findings.append(f"exact_zeros.{output}: 'future' needs two axes; remove it.")
    for parameter in entry.accepts:
        if parameter not in entry.parameters:
            findings.append(
                f"accepts.{parameter}: there is no such parameter; name one of {', '.join(entry.parameters)}."
            )
    return findings


def _starters(files: PackageFiles, spec: ProblemSpec) -> list[str]:
    findings = []
    for name, variant in spec.variants.items():
        key, path = f"variants.{name}.starter", variant.starter
        if not _STARTER.fullmatch(path):
            findings.append(f"{key}: {shown(path)} is no path of the form starters/NAME.py; correct it.")
        elif path not in files.contents:
            findings.append(f"{key}: the file {path} is missing; add it.")
    return findings


def _text_findings(files: PackageFiles, path: str) -> list[str]:
    try:
        files.text(path)
    except InvalidPackage as error:
        return list(error.findings)
    return []


def _interview_findings(problem: Problem) -> list[str]:
    interview, name = problem.interview, f"{problem.slug}/interview.yaml"
    findings = []
    if interview.corrected_source not in problem.files.below("submissions/accepted"):
        findings.append(f"{name}: corrected_source names no file of submissions/accepted/; correct it.")
    known = {part for fault in problem.faults.files.values() for part in fault.fault.split("+")}
    for follow_up in interview.follow_ups:
        unknown = sorted(set(follow_up.unlocked_by) - known)
        if unknown:
            findings.append(
                f"{name}: follow_ups {follow_up.id}: unlocked_by names {unknown[0]}, no fault of faults.yaml."
            )
    for question in interview.multiple_choice:
        if question.correct >= len(question.choices):
            findings.append(f"{name}: multiple_choice {question.id}: correct is beyond the choices; correct it.")
    ids = [item.id for item in interview.follow_ups] + [item.id for item in interview.multiple_choice]
    findings += [
        f"{name}: the id {double} stands twice; rename one." for double in sorted({i for i in ids if ids.count(i) > 1})
    ]
    return findings


def _fault_findings(problem: Problem) -> list[str]:
    name = f"{problem.slug}/faults.yaml"
    files = problem.faults.files
    wrong = {path.removeprefix("submissions/") for path in problem.files.below("submissions/wrong_answer")}
    planted = {fault for variant in problem.spec.variants.values() for fault in variant.planted}
    findings = [f"{name}: submissions/{path} has no entry; add one." for path in sorted(wrong - set(files))]
    findings += [
        f"{name}: files.{path}: there is no such file in submissions/; remove it."
        for path in sorted(set(files) - wrong)
    ]
    for path, fault in files.items():
        if fault.stage is not None and fault.stage not in problem.spec.stages:
            findings.append(f"{name}: files.{path}.stage: {fault.stage} is no stage of problem.yaml; correct it.")
        for left in sorted(set(fault.left) - planted):
            findings.append(f"{name}: files.{path}.left: {left} is planted in no variant; correct it.")
    single = {fault.fault for fault in files.values()}
    findings += [
        f"{name}: no wrong source has just the planted fault {fault}; add one." for fault in sorted(planted - single)
    ]
    return findings
