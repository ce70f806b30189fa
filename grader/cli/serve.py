"""grader serve."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path
from typing import Final

import click

from grader.cli.judging import require_sandbox
from grader.cli.whole_number import WholeNumber
from grader.config import Settings, read_settings
from grader.errors import UserError

ENDING_S: Final = 10.0  # how long a server that is just ending may keep the database


@click.command("serve")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen at; 0.0.0.0 for all.")
@click.option("--port", type=WholeNumber(0, 65535), default=8000, show_default=True, help="0 picks a free one.")
@click.option("--processes", type=WholeNumber(1, 64), default=1, show_default=True, help="Web processes.")
@click.option("--threads", type=WholeNumber(1, 64), default=8, show_default=True, help="Threads of each process.")
def serve_command(host: str, port: int, processes: int, threads: int) -> None:
    """Serve the practice pages; Ctrl-C stops the server."""
    settings = read_settings()
    if processes > 1 and settings.database_url.startswith("sqlite"):
        raise UserError("SQLite serves one process; leave --processes at 1 (judging uses all cores all the same).")
    port = _free_port(host, port)
    _prepare(settings)
    require_sandbox(settings)
    shown = f"[{host}]" if ":" in host else host
    click.echo(f"The grader is at http://{shown}:{port}/ (Ctrl-C stops it); its data is in {settings.data}.", err=True)
    _greet_first_user(settings, port)
    gunicorn = Path(sys.executable).with_name("gunicorn")
    command = [
        *([str(gunicorn)] if gunicorn.exists() else [sys.executable, "-m", "gunicorn"]),
        "grader.wsgi:app",
        "--config=python:grader.cli.web_server",
        f"--bind={shown}:{port}",
        f"--workers={processes}",
        f"--threads={threads}",
    ]
    sys.stdout.flush()
    os.execv(command[0], command)  # noqa: S606 - a fixed program, no shell


def _prepare(settings: Settings) -> None:
    """Make the key, bring the database up to date, and see that no other server has it.

    The web processes do so as well, but their log is a bad place to hear what goes wrong.
    """
    from grader.cli.database import clear_errors
    from grader.store import lock
    from grader.store.migrate import upgrade
    from grader.web.secret_key import secret_key

    url = settings.database_url
    with clear_errors(url):
        held = lock.hold(url, ENDING_S)
        upgrade(url)
        if held is not None:
            held.let_go()
    secret_key(settings.data)


def _greet_first_user(settings: Settings, port: int) -> None:
    """Print a link that makes the first admin, until somebody has used one."""
    from datetime import UTC, datetime

    from grader.cli.database import clear_errors
    from grader.cli.user import link_address
    from grader.services import links
    from grader.store.session import make_engine

    engine = make_engine(settings.database_url)
    try:
        with clear_errors(settings.database_url):
            token = links.make_first(engine, datetime.now(UTC))
    finally:
        engine.dispose()
    if token is not None:
        address = link_address(settings.public_url, port, token)
        click.echo(f"There is no admin yet. This link makes one, once, within 7 days: {address}", err=True)


def _free_port(host: str, port: int) -> int:
    """Return the port to listen at, once it is sure that it can be had.

    Raises:
        UserError: it is taken, or the address is not this machine's.
    """
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
            taken: int = probe.getsockname()[1]
            return taken
    except OSError as error:
        reason = error.strerror or str(error)
        raise UserError(f"Port {port} at {host} cannot be had ({reason}); name another with --port.") from None
