"""The clock of a run: the grader's own, less what the child spent ready to run while others had the processor.

On a busy machine a submission would otherwise be refused for what it is not to blame for. What it sleeps, waits or
computes counts in full, and what is left out is the kernel's figure, not the child's.
"""

from __future__ import annotations

import time
from typing import Final

SET_BACK_MAX: Final = 2.0  # times the whole limit: a machine that has no time at all does not hold a lane for ever


class Clock:
    """Seconds of one child."""

    def __init__(self, pid: int) -> None:
        self._file = f"/proc/{pid}/schedstat"
        self._waited_before = 0.0
        self._set_back = 0.0  # seconds, so far
        self._set_back_max = 0.0

    def start(self, total_s: float) -> None:
        """Leave out what the child waits from now on, but no more than so many times its limit."""
        self._waited_before = self._waited()
        self._set_back_max = SET_BACK_MAX * total_s

    def now(self) -> float:
        """Return the time by this clock."""
        return time.monotonic() - self._set_back

    def set_back(self) -> None:
        """Leave out what the child has waited so far."""
        waited = min(self._waited() - self._waited_before, self._set_back_max)
        self._set_back = max(self._set_back, waited)

    def _waited(self) -> float:
        """Return for how many seconds the child was ready to run and did not, 0 where the kernel does not say."""
        try:
            with open(self._file, "rb") as file:
                return int(file.read().split()[1]) / 1e9
        except (OSError, IndexError, ValueError):
            return 0.0
