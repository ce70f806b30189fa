"""Faults that the worked head shows: every one of them exists in a package, and the audit fails at its change."""

from __future__ import annotations

import re

import pytest

from grader.attention.changes import BY_NAME
from grader.attention.fault_changes import FAULT_CHANGES
from grader.attention.lesson import audit
from grader.problems.files import read_folder
from grader.problems.loader import load, slugs
from tests.packages import SHIPPED

_ALTERNATIVE = re.compile(r"^def \w+?__(\w+)\(", re.M)


def known_faults() -> set[str]:
    known: set[str] = set()
    for slug in slugs(SHIPPED):
        files = read_folder(SHIPPED / slug)
        known |= {part for fault in load(files).faults.files.values() for part in fault.fault.split("+")}
        stages = [files.text(path) for path in files.contents if path.endswith("stages.py")]
        known |= {name.replace("_", "-") for text in stages for name in _ALTERNATIVE.findall(text)}
    return known


def test_every_fault_is_one_of_a_package() -> None:
    assert set(FAULT_CHANGES) <= known_faults()


@pytest.mark.parametrize("fault", FAULT_CHANGES)
def test_the_change_makes_a_check_fail(fault: str) -> None:
    changes = FAULT_CHANGES[fault]
    assert changes.made()
    assert all(BY_NAME[name].option(value) for name, value in changes.made().items())
    assert audit(changes=changes).first is not None
