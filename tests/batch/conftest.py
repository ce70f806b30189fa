"""The same command as tests/cli has it."""

from __future__ import annotations

from tests.cli.conftest import command

__all__ = ["command"]
