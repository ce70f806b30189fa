"""Runs many commands in forks of one process, which has imported what they need: for tables of hundreds."""

from __future__ import annotations

import json
import os
import resource
import signal
import sys

from grader.cli import main


def ended(arguments: list[str], variables: dict[str, str], file_size: int | None) -> tuple[int, str]:
    """Return a command's exit code, and what it wrote to both streams."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(writing, 1)
        os.dup2(writing, 2)
        os.environ.update(variables)
        if file_size is not None:  # a disk that is full
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (file_size, file_size))
        signal.alarm(60)  # ends a server that starts all the same
        sys.argv = ["grader", *arguments]
        main()
    os.close(writing)
    with os.fdopen(reading) as written:
        text = written.read()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), text


if __name__ == "__main__":
    json.dump([ended(*each) for each in json.load(sys.stdin)], sys.stdout)
