"""The rate of long work, as progress says it."""

from __future__ import annotations

import pytest

from grader.cli.progress import told_rate


@pytest.mark.parametrize(
    ("rate", "told"),
    [
        (1234.4, "1234/s"),
        (10.0, "10/s"),
        (9.96, "10/s"),
        (9.94, "9.9/s"),
        (1.0, "1.0/s"),
        (0.999, "1.0 s each"),
        (0.4, "2.5 s each"),
        (0.1, "10 s each"),
        (0.004, "250 s each"),
        (0.0, ""),
    ],
)
def test_a_rate_is_no_nought(rate: float, told: str) -> None:
    assert told_rate(rate) == told


def test_a_rate_names_what_it_counts() -> None:
    assert told_rate(2.5, " submissions") == "2.5 submissions/s"
