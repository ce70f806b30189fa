"""gunicorn's settings: for `grader serve`, and for gunicorn by hand with `--config=python:grader.cli.web_server`."""

from __future__ import annotations

import os
import resource
import tempfile
from typing import Final

from grader.web.json_log import gunicorn_settings

_OPEN_FILES: Final = 4096
_MEMORY: Final = "/dev/shm"  # noqa: S108 - gunicorn makes an unguessable name in it

worker_class = "grader.web.worker.Worker"
threads = 8
worker_connections = 1000
backlog = 512
keepalive = 5
timeout = 60  # without a sign of life from the loop, which never waits
graceful_timeout = 20  # to finish requests and judgements under way; less than a container's grace
limit_request_line = 4094
limit_request_fields = 60
limit_request_field_size = 8190
logconfig_dict = gunicorn_settings()
accesslog = None  # the application writes a line for each request
control_socket_disable = True
# the heartbeat is in memory, for a slow disk would look like a dead process
worker_tmp_dir = _MEMORY if os.access(_MEMORY, os.W_OK) else tempfile.gettempdir()


def _allow_open_files() -> None:
    """Make room for every connection beside what the sandbox opens; many systems begin with 1024."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _OPEN_FILES if hard == resource.RLIM_INFINITY else min(_OPEN_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


_allow_open_files()
