"""The contract as a table says what problem.yaml says."""

from __future__ import annotations

from pathlib import Path

from grader.problems.files import read_folder
from grader.problems.loader import load
from grader.services.contract_table import ContractRow, contract_table
from grader.services.packages import Packages
from tests.services.tiny_package import SLUG

SHIPPED = Path(__file__).parents[2] / "problems"


def test_an_entry_with_kinds_an_integer_and_exact_zeros() -> None:
    table = contract_table(load(read_folder(SHIPPED / "heads-never-mix")))
    [entry] = table.entries
    assert entry.signature == "multi_head_attention(x, w_q, w_k, w_v, w_o, n_heads)"
    assert entry.parameters[0] == ContractRow("x", "(B, T, m)", "float64, int64 or float32")
    assert entry.parameters[-1] == ContractRow("n_heads", "", "int", "called H in the shapes")
    assert entry.outputs == (
        ContractRow("y", "(B, T, m)", "float64 or float32"),
        ContractRow("weights", "(B, H, T, T)", "float64 or float32", "exactly 0 above the diagonal"),
    )
    assert table.rules[:2] == (
        "Values are compared at a relative tolerance of 1e-06 plus an absolute one of 1e-09; 0.0001 and 1e-05 where an "
        "input is float32.",
        "Limits: 2 s for one call, 10 s for all, 512 MiB.",
    )


def test_without_single_precision_one_tolerance_holds(packages: Packages) -> None:
    table = contract_table(packages.named(SLUG))
    assert table.rules[0] == "Values are compared at a relative tolerance of 1e-06 plus an absolute one of 1e-09."
