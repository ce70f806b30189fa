"""A package's texts can be shown, its statement is complete, its names and samples give nothing away."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest
import yaml

from grader.grading.left_over import template_notices
from grader.grading.package_texts import text_findings
from grader.problems.cases import Case
from grader.problems.loader import Problem, load_all, load_named, slugs
from tests.packages import SHIPPED, TINY, tiny_with

DATA: Final = Path(__file__).parents[1] / "data" / "package_texts"
STATEMENT: Final = (DATA / "statement.md").read_text()
EDITS: Final[list[dict[str, Any]]] = yaml.safe_load((DATA / "findings.yaml").read_text())


def _problem(changes: dict[str, str]) -> Problem:
    return load_all(tiny_with({"statement.md": STATEMENT} | changes))


def _case(name: str, values: list[float], layout: str = "c", entry: str = "attend") -> Case:
    arguments: dict[str, Any] = {"x": np.array([values])}
    return Case(name, entry, arguments, {"x": layout}, (), None, (1e-6, 1e-9), ())


@pytest.mark.parametrize("slug", slugs(SHIPPED))
def test_shipped_packages_have_nothing_of_the_template(slug: str) -> None:
    assert template_notices(load_named(slug, SHIPPED)) == []


def test_complete_package_has_no_findings() -> None:
    assert text_findings(_problem({}), [_case("sample_a", [1, 2]), _case("secret_b", [2, 1])]) == []


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: f"{edit['file']}: {edit['new']!r}")
def test_each_flaw_is_a_finding_with_file_and_remedy(edit: dict[str, Any]) -> None:
    text = STATEMENT if edit["file"] == "statement.md" else (TINY / edit["file"]).read_text()
    assert text.count(edit["old"]) == 1
    problem = _problem({edit["file"]: text.replace(edit["old"], edit["new"])})
    assert text_findings(problem, []) == [f"tiny-attention/{finding}" for finding in edit["findings"]]


def test_tolerance_of_the_package_must_be_stated() -> None:
    exact = STATEMENT.replace("exactly 0", "0")
    tolerance = (TINY / "problem.yaml").read_text() + "tolerance: {rtol: 1.0e-3}\n"
    assert text_findings(_problem({"statement.md": exact}), []) == []
    assert text_findings(_problem({"statement.md": exact, "problem.yaml": tolerance}), []) == [
        "tiny-attention/statement.md: does not state the tolerance that problem.yaml sets; say how close "
        "numbers must be."
    ]


def test_case_names_do_not_say_faults() -> None:
    names = ("secret_mask_missing", "secret_the_scale_is_missing", "secret_missing_mask", "sample_mask_missing")
    cases = [_case(name, [number]) for number, name in enumerate(names)]
    assert text_findings(_problem({}), cases) == [
        "tiny-attention/cases.py: secret_mask_missing: the name says the fault mask-missing; name the inputs instead.",
        "tiny-attention/cases.py: secret_the_scale_is_missing: the name says the fault scale-missing; name the inputs "
        "instead.",
    ]


def test_alternatives_of_stages_are_faults_too() -> None:
    stages = "def weights__softmax_over_queries(masked_scores):\n    return masked_scores\n"
    assert text_findings(_problem({"stages.py": stages}), [_case("secret_softmax_over_queries", [1])]) == [
        "tiny-attention/cases.py: secret_softmax_over_queries: the name says the fault softmax-over-queries; name the "
        "inputs instead."
    ]


def test_sample_is_no_secret_case() -> None:
    cases = [
        _case("sample_a", [1, 2]),
        _case("sample_b", [3, 4]),
        _case("sample_c", [5, 6]),
        _case("secret_a", [1, 2], layout="fortran"),
        _case("secret_b", [3, 4], entry="visible"),
        _case("secret_c", [5, 6.5]),
    ]
    assert text_findings(_problem({}), cases) == [
        "tiny-attention/cases.py: sample_a: has the inputs of secret_a; give one of them other inputs."
    ]
