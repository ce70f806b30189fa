"""The place that is told of a slip holds the line of the slip, in sources as most people write them.

Data: tests/data/fault_lines/<problem>.yaml holds a right source, and passages that are replaced, one at a time.
"""

from __future__ import annotations

import re
from typing import Any, Final

import pytest
import yaml

from grader.grading.judge import judge
from grader.grading.verdict import Verdict
from grader.problems.cache import CaseCache
from grader.problems.loader import load_named
from grader.sandbox.pool import Lane
from tests.packages import DATA, SHIPPED

pytestmark = pytest.mark.sandbox
GIVEN: Final[dict[str, Any]] = {
    path.stem: yaml.safe_load(path.read_text()) for path in sorted((DATA / "fault_lines").glob("*.yaml"))
}
SLIPS: Final = [(slug, slip["old"], slip["new"], slip["told"]) for slug in GIVEN for slip in GIVEN[slug]["slips"]]


def lines_in(told: str) -> set[int]:
    """Return the lines of a place: those from one to another, and that of the call."""
    numbers = [int(number) for number in re.findall(r"\d+", told)]
    inner = numbers[1:] if "inside the call" in told else numbers
    return {*numbers[:1], *range(inner[0], inner[-1] + 1)}


@pytest.mark.parametrize("slug", GIVEN)
def test_the_source_is_right(slug: str, lane: Lane, cases_alone: CaseCache) -> None:
    source = GIVEN[slug]["source"].encode()
    assert judge(load_named(slug, SHIPPED), source, lane, cases_alone, build=False).verdict is Verdict.AC


@pytest.mark.parametrize(("slug", "old", "new", "told"), SLIPS)
def test_the_place_that_is_told_holds_the_slip(
    slug: str, old: str, new: str, told: str, lane: Lane, cases_alone: CaseCache
) -> None:
    before, _, after = GIVEN[slug]["source"].partition(old)
    source = f"{before}{new}{after}".encode()
    finding = judge(load_named(slug, SHIPPED), source, lane, cases_alone, build=False).finding
    assert finding.sentence.startswith(f"First wrong stage: {told}. ")
    assert before.count("\n") + 1 in lines_in(told)
