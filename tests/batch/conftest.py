"""The same command as tests/cli has it."""

from __future__ import annotations

from tests.cli.conftest import command, warm_cache

__all__ = ["command", "warm_cache"]
