"""Hooks of gunicorn for `grader serve`: Ctrl-C reaches every process of the terminal, but stopping is one's business.

A worker that took the terminal's signal and its parent's at once could lock itself up until it is killed, and one that
is told twice would leave what it started with a traceback.
"""

from __future__ import annotations

import signal


def post_worker_init(worker: object) -> None:
    """Leave the terminal's Ctrl-C to the parent, which tells its workers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def worker_exit(server: object, worker: object) -> None:
    """Let what ends with the worker end in peace."""
    for number in (signal.SIGTERM, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)
