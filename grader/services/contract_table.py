"""A problem's contract as a table: what problem.yaml says of each entry, in the words of a page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from grader.problems.cases import SINGLE_PRECISION
from grader.problems.loader import Problem
from grader.problems.schema import EntrySpec
from grader.problems.shapes import ArrayType, IntegerType

_FLOATS: Final = "float64 or float32"


@dataclass(frozen=True)
class ContractRow:
    """One parameter or output."""

    name: str
    shape: str  # empty for a number
    types: str
    note: str = ""


@dataclass(frozen=True)
class EntryTable:
    """One function that a submission must define."""

    signature: str
    parameters: tuple[ContractRow, ...]
    outputs: tuple[ContractRow, ...]


@dataclass(frozen=True)
class ContractTable:
    """Every entry, and the rules that hold for all."""

    entries: tuple[EntryTable, ...]
    rules: tuple[str, ...]


def contract_table(problem: Problem) -> ContractTable:
    """Return a problem's contract."""
    spec = problem.spec
    tolerance, limits = spec.tolerance, spec.limits
    takes_single = any("float32" in kinds for entry in spec.entries.values() for kinds in entry.accepts.values())
    rtol, atol = SINGLE_PRECISION
    single = f"; {rtol:g} and {atol:g} where an input is float32" if takes_single else ""
    return ContractTable(
        tuple(_entry(name, entry) for name, entry in spec.entries.items()),
        (
            f"Values are compared at a relative tolerance of {tolerance.rtol:g} plus an absolute one of "
            f"{tolerance.atol:g}{single}.",
            f"Limits: {limits.case_s:g} s for one call, {limits.total_s:g} s for all, {limits.memory_mib} MiB.",
            "Inputs stay as they came, results do not change later, and equal calls give equal answers.",
        ),
    )


def _entry(name: str, entry: EntrySpec) -> EntryTable:
    return EntryTable(
        f"{name}({', '.join(entry.parameters)})",
        tuple(
            _parameter(parameter, kind, list(entry.accepts.get(parameter, ())))
            for parameter, kind in entry.parameter_types().items()
        ),
        tuple(_output(output, kind, output in entry.exact_zeros) for output, kind in entry.output_types().items()),
    )


def _parameter(name: str, kind: ArrayType | IntegerType, accepted: list[str]) -> ContractRow:
    if isinstance(kind, IntegerType):
        return ContractRow(name, "", "int", f"called {kind.name} in the shapes")
    kinds = [kind.dtype, *accepted]
    types = f"{', '.join(kinds[:-1])} or {kinds[-1]}" if accepted else kind.dtype
    return ContractRow(name, kind.shape_text(), types)


def _output(name: str, kind: ArrayType, has_zeros: bool) -> ContractRow:
    types = _FLOATS if kind.dtype.startswith("float") else kind.dtype
    return ContractRow(name, kind.shape_text(), types, "exactly 0 above the diagonal" if has_zeros else "")
