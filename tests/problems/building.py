"""Builds the cases of broken packages."""

from __future__ import annotations

import pytest

from grader.errors import InvalidPackage
from grader.problems.cases import build_cases
from grader.problems.loader import Problem
from grader.sandbox.pool import Lane


def findings_of(lane: Lane, problem: Problem) -> list[str]:
    """Return what is said of a package whose cases cannot be built, without its name."""
    with pytest.raises(InvalidPackage) as caught:
        build_cases(problem, lane)
    assert all(len(finding) < 600 for finding in caught.value.findings)
    return [finding.removeprefix("tiny-attention/") for finding in caught.value.findings]
