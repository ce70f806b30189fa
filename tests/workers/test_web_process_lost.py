"""A web process that ends while the database is away does not stop the server."""

from __future__ import annotations

import os
import signal
import subprocess
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import make_url

from tests.processes import children_of, wait_until
from tests.services.tiny_package import write_package
from tests.web.serving import address, start
from tests.workers.databases import fresh
from tests.workers.proxy import Proxy

pytestmark = [pytest.mark.services, pytest.mark.sandbox]
LATER = "another one tries in a moment"


@pytest.fixture
def proxy(postgres_server: str, upgraded_database: str, tmp_path: Path) -> Iterator[Proxy]:
    database = fresh(postgres_server, "web_process_lost", like=make_url(upgraded_database).database or "")
    with Proxy(database, tmp_path / "proxy") as proxy:
        yield proxy


@pytest.fixture
def server(proxy: Proxy, tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    write_package(tmp_path / "problems")
    process = start(tmp_path / "server", tmp_path / "problems", GRADER_DATABASE_URL=proxy.url)
    yield process
    process.send_signal(signal.SIGTERM)
    process.wait(30)


def test_a_web_process_that_ends_while_the_database_is_away_comes_back_with_it(
    server: subprocess.Popen[bytes], proxy: Proxy, tmp_path: Path
) -> None:
    log = tmp_path / "server" / "server.log"
    place = address(server, log)
    proxy.go_away()
    for pid in children_of(server.pid):
        os.kill(pid, signal.SIGKILL)
    assert wait_until(lambda: log.read_text().count(LATER) >= 2, 60)
    assert server.poll() is None
    proxy.come_back()
    with urllib.request.urlopen(f"{place}/sign-in", timeout=60) as reply:
        assert reply.status == 200
