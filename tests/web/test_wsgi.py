"""The entry of the web server: what it makes at the first start, how it refuses, how it ends."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from sqlalchemy import select

from grader.grading.verdict import Verdict
from grader.store.models import Submission
from grader.store.session import make_engine, read_session
from tests.processes import sandbox_processes, wait_until
from tests.services.tiny_package import RIGHT, write_package
from tests.web.serving import ROOT, serving
from tests.web.visitor import Visitor


def verdicts(data: Path) -> list[Verdict | None]:
    engine = make_engine(f"sqlite:///{data / 'data' / 'grader.sqlite3'}")
    with read_session(engine) as session:
        found = list(session.scalars(select(Submission.verdict).order_by(Submission.id)))
    engine.dispose()
    return found


@pytest.fixture
def problems(tmp_path: Path) -> Path:
    write_package(tmp_path / "problems")
    return tmp_path / "problems"


@pytest.mark.sandbox
def test_a_submission_goes_all_the_way_and_nothing_is_left(tmp_path: Path, problems: Path) -> None:
    before = sandbox_processes()
    with serving(tmp_path / "run", problems) as base:
        visitor = Visitor(base)
        page = visitor.submit(RIGHT)
        assert wait_until(lambda: visitor.open(page)[1].count("Accepted") > 0, 20)
        assert "Accepted" in visitor.open(page)[1]
    assert wait_until(lambda: sandbox_processes() == before)
    key = tmp_path / "run" / "data" / "secret-key"
    assert (stat.S_IMODE(key.stat().st_mode), len(key.read_bytes())) == (0o600, 32)
    assert stat.S_IMODE(key.parent.stat().st_mode) == 0o700
    assert "Traceback" not in (tmp_path / "run" / "server.log").read_text()


@pytest.mark.sandbox
@pytest.mark.parametrize("stop", [pytest.param(signal.SIGTERM, marks=pytest.mark.long), signal.SIGKILL])
def test_what_a_stopped_server_left_is_judged_at_the_next_start(
    tmp_path: Path, problems: Path, stop: signal.Signals
) -> None:
    before = sandbox_processes()
    slow = b"import time\n\n\ndef twice(x):\n    time.sleep(0.15)\n    return x * 2\n"
    with serving(tmp_path / "run", problems, stop) as base:
        threads = [threading.Thread(target=Visitor(base).submit, args=(slow,)) for _ in range(5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    left = verdicts(tmp_path / "run")
    assert len(left) == 5
    assert set(left) <= {None, Verdict.AC}
    assert None in left
    assert wait_until(lambda: sandbox_processes() == before)
    with serving(tmp_path / "run", problems):
        assert wait_until(lambda: None not in verdicts(tmp_path / "run"), 30)
    assert set(verdicts(tmp_path / "run")) == {Verdict.AC}


@pytest.mark.sandbox
def test_what_is_being_judged_is_finished_when_the_server_stops(tmp_path: Path, problems: Path) -> None:
    slow = b"import time\n\n\ndef twice(x):\n    time.sleep(0.2)\n    return x * 2\n"
    with serving(tmp_path / "run", problems) as base:
        visitor = Visitor(base)
        visitor.submit(RIGHT)  # the cases are made
        page = visitor.submit(slow)
        assert "Grading" in visitor.open(page)[1]
    assert verdicts(tmp_path / "run") == [Verdict.AC, Verdict.AC]


@pytest.mark.sandbox
@pytest.mark.parametrize(
    ("options", "is_bounded"),
    [
        (["--worker-class=gthread", "--no-control-socket"], False),
        (["--config=python:grader.cli.web_server", "--worker-class=gthread"], False),
        (["--config=python:grader.cli.web_server"], True),
    ],
)
def test_gunicorn_by_hand_says_what_it_lacks_and_ends_by_ctrl_c_in_peace(
    tmp_path: Path, problems: Path, options: list[str], is_bounded: bool
) -> None:
    before = sandbox_processes()
    environment = {**os.environ, "HOME": str(tmp_path), "GRADER_DATA": str(tmp_path), "GRADER_PROBLEMS": str(problems)}
    place = tmp_path / "socket"
    command = [sys.executable, "-m", "gunicorn", *options]
    process = subprocess.Popen(
        [*command, f"--bind=unix:{place}", "grader.wsgi:app"],
        stderr=subprocess.PIPE,
        cwd=ROOT,
        env=environment,
        start_new_session=True,
    )
    try:
        assert wait_until(lambda: len(sandbox_processes() - before) >= 2, 30)
        assert wait_until(lambda: (tmp_path / "grader.sqlite3").exists() and is_listening(place), 30)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to every process at once
        _, said = process.communicate(timeout=30)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 0
    assert b"Traceback" not in said
    assert (b"start it by grader serve, or with --config=python:grader.cli.web_server" not in said) == is_bounded
    assert wait_until(lambda: sandbox_processes() == before)


def is_listening(path: Path) -> bool:
    """Whether a request at a socket is answered."""
    with socket.socket(socket.AF_UNIX) as asking, contextlib.suppress(OSError):
        asking.settimeout(5)
        asking.connect(str(path))
        asking.sendall(b"GET /healthz HTTP/1.0\r\nHost: localhost\r\n\r\n")
        return b"ok" in asking.recv(1 << 16)
    return False


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"GRADER_DATA": "/proc/nowhere"}, "The data folder /proc/nowhere cannot be used"),
        ({"GRADER_PROBLEMS": "/nowhere"}, "GRADER_PROBLEMS is '/nowhere', which is no folder"),
        ({"GRADER_DATABASE_URL": "mysql://x/y"}, "is not supported"),
        ({"GRADER_METRICS_TOKEN": "short"}, "use 16 or more letters and digits"),
        ({"GRADER_PUBLIC_URL": "grader.example"}, "write http:// or https:// and a host name"),
    ],
)
def test_unusable_settings_are_one_sentence(tmp_path: Path, settings: dict[str, str], sentence: str) -> None:
    environment = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin", **settings}
    done = subprocess.run(
        [sys.executable, "-c", "import grader.wsgi"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=environment,
        timeout=60,
    )
    assert done.returncode == 4
    assert sentence in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_damaged_key_is_told(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "secret-key").write_bytes(b"short")
    environment = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "GRADER_DATA": str(tmp_path / "data")}
    done = subprocess.run(
        [sys.executable, "-c", "import grader.wsgi"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=environment,
        timeout=60,
    )
    assert done.returncode == 4
    assert "is damaged; remove it" in done.stderr
