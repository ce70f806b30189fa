"""What a batch is doing meanwhile."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from tests.cli.running import Command
from tests.processes import children_of


def grading_processes(pid: int) -> set[int]:
    """Return the living processes of a batch that judge."""
    found = set()
    for child in children_of(pid):
        with suppress(OSError):  # it has just ended
            if b"spawn_main" in Path("/proc", str(child), "cmdline").read_bytes():
                found.add(child)
    return found


def written(command: Command) -> int:
    """Return how many lines there are."""
    path = command.folder / "out/results.jsonl"
    return path.read_bytes().count(b"\n") if path.exists() else 0
