"""The rate of long work, as progress says it."""

from __future__ import annotations

import pytest

from grader.cli.progress import Pace, told_rate


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


@pytest.mark.parametrize(
    ("seen", "rate"),
    [
        ([(3, 300.0)], 0.0),  # nothing yet
        ([(4, 300.0)], 0.0),  # the first, after a long wait
        ([(4, 300.0), (12, 300.1)], 0.0),  # a few at once
        ([(4, 300.0), (12, 300.1), (24, 310.0)], 2.0),
        ([(24, 300.0), (24, 310.0)], 0.0),
    ],
)
def test_waiting_for_the_first_says_nothing_of_the_rate(seen: list[tuple[int, float]], rate: float) -> None:
    pace = Pace(already=3)
    assert [pace.rate(*each) for each in seen][-1] == rate
