"""A throw-away PostgreSQL server for tests, run as an unprivileged user because initdb refuses root."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def find_binaries() -> Path | None:
    """Return the folder that holds initdb and pg_ctl, None when PostgreSQL is not installed."""
    folders = [Path(found).parent for found in [shutil.which("initdb")] if found]
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((folder for folder in folders if (folder / "initdb").exists()), None)


@contextmanager
def running_server(binaries: Path) -> Iterator[str]:
    """Start a server that listens on a socket in its own folder; give the address of an empty database."""
    user = _unprivileged_user()
    folder = Path(tempfile.mkdtemp(prefix="pg-"))
    try:
        os.chown(folder, user.pw_uid, user.pw_gid)
        data = folder / "data"

        def run(program: str, *arguments: str) -> None:
            _run(binaries, folder, program, *arguments)

        run("initdb", "-D", str(data), "-U", "grader", "--auth=trust", "--no-sync")
        options = f"-c listen_addresses='' -c unix_socket_directories='{folder}' -c fsync=off"
        run("pg_ctl", "-D", str(data), "-w", "-o", options, "start")
        try:
            yield f"postgresql://grader@/postgres?host={folder}"
        finally:
            run("pg_ctl", "-D", str(data), "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def crash_and_restart(binaries: Path, url: str) -> None:
    """End a server as if its machine had lost power, but for what the kernel still writes, and start it again."""
    folder = Path(url.partition("?host=")[2])
    _run(binaries, folder, "pg_ctl", "-D", str(folder / "data"), "-w", "-m", "immediate", "restart")


def _run(binaries: Path, folder: Path, program: str, *arguments: str) -> None:
    user = _unprivileged_user()
    with (folder / "out.log").open("ab") as out:
        subprocess.run(
            [binaries / program, *arguments],
            check=True,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            cwd=folder,
            env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"},
            user=user.pw_uid,
            group=user.pw_gid,
            extra_groups=[],
        )


def _unprivileged_user() -> pwd.struct_passwd:
    if os.geteuid() != 0:
        return pwd.getpwuid(os.geteuid())
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    raise RuntimeError("there is no unprivileged user to run PostgreSQL as")
