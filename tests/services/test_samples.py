"""Samples are shown in full, in a form that Python reads back exactly; secret cases never come along."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from grader.errors import InvalidPackage
from grader.problems.cache import CaseCache
from grader.problems.files import read_folder
from grader.problems.loader import load, slugs
from grader.sandbox.pool import Pool
from grader.services.samples import Samples
from tests.services.tiny_package import HIDDEN, SLUG, write_package

SHIPPED = Path(__file__).parents[2] / "problems"
pytestmark = pytest.mark.sandbox


def test_only_samples_are_shown(pool: Pool, problems: Path) -> None:
    samples = Samples(pool, CaseCache(None))
    problem = load(read_folder(problems / SLUG))
    found = samples.of(problem)
    assert samples.of(problem) is found
    assert [(view.name, view.call, view.arguments, view.expected) for view in found] == [
        ("sample_format", "y = twice(x)", "x = np.array([1.0, 2.0])", "y = np.array([2.0, 4.0])")
    ]
    assert not [word for word in HIDDEN if word in repr(found)]


@pytest.mark.parametrize("slug", slugs(SHIPPED))
def test_python_reads_the_samples_of_the_bank_back(pool: Pool, slug: str) -> None:
    problem = load(read_folder(SHIPPED / slug))
    for view in Samples(pool, CaseCache(None)).of(problem):
        values: dict[str, object] = {"np": np}
        exec(view.arguments + "\n" + view.expected, values)
        assert len(values) > 3


def test_a_broken_generator_is_no_crash(pool: Pool, problems: Path) -> None:
    write_package(problems, cases="def sample_format(rng):\n    return 1\n")
    with pytest.raises(InvalidPackage):
        Samples(pool, CaseCache(None)).of(load(read_folder(problems / SLUG)))
