"""The kind of option that is a whole number, with a sentence for what is none."""

from __future__ import annotations

import contextlib

import click


class WholeNumber(click.IntRange):
    """A whole number from `lowest` to `highest`, both included; whatever else is typed gets one sentence."""

    def __init__(self, lowest: int, highest: int) -> None:
        super().__init__(lowest, highest)  # --help shows them
        self._allowed = range(lowest, highest + 1)

    def convert(self, value: object, parameter: click.Parameter | None, context: click.Context | None) -> int:
        """Return the number.

        Raises:
            click.BadParameter: it is none, or out of range.
        """
        with contextlib.suppress(ValueError):  # also for more digits than Python reads
            number = int(str(value))
            if number in self._allowed:
                return number
        self.fail(f"{str(value)[:80]!a} is no whole number from {self.min} to {self.max}.", parameter, context)
