"""The service as `docker compose up` starts it."""

from __future__ import annotations

import json
import urllib.request
from dataclasses import dataclass
from typing import Any, Final

from tests.container.engine import Ended, Engine
from tests.packages import SHIPPED
from tests.processes import wait_until
from tests.web.visitor import Visitor

HEALTHY_S: Final = 90.0  # the health check's own pace, on a loaded machine
JUDGED_S: Final = 60.0
SLUG: Final = "heads-never-mix"


@dataclass(frozen=True)
class Service:
    """One container of the composition."""

    engine: Engine

    def start(self) -> None:
        """Start it and wait until its own health check says that it is well."""
        started = self.engine.compose("up", "--detach", "--no-build")
        assert started.code == 0, started
        assert wait_until(self.is_healthy, HEALTHY_S), self.engine.compose("logs", "--no-color").out[-3000:]

    def stop(self) -> int:
        """Stop it as an operator does; return the exit code of its process."""
        stopped = self.engine.compose("stop")
        assert stopped.code == 0, stopped
        return int(self.state()["ExitCode"])

    def is_healthy(self) -> bool:
        return bool(self.state().get("Health", {}).get("Status") == "healthy")

    def state(self) -> dict[str, Any]:
        """Return what the engine says of it."""
        found: dict[str, Any] = json.loads(self.engine.docker("inspect", "--format", "{{json .State}}", self.name))
        return found

    @property
    def name(self) -> str:
        return self.engine.compose("ps", "--quiet", "web").out.strip()

    @property
    def address(self) -> str:
        port = self.engine.compose("port", "web", "8000").out.strip().rpartition(":")[2]
        return f"http://localhost:{port}"

    def inside(self, *command: str) -> Ended:
        """Run a command beside it, in its container."""
        return self.engine.compose("exec", "-T", "web", *command)


def handed_in(address: str, path: str, told: str) -> tuple[str, Visitor]:
    """Sign up, start an attempt, hand in a shipped source, and wait until its page tells the verdict; return these."""
    with urllib.request.urlopen(f"{address}/healthz", timeout=20) as reply:
        assert reply.read() == b"ok"
    visitor = Visitor(address)
    page = visitor.submit((SHIPPED / SLUG / path).read_bytes(), SLUG, "interview")
    assert wait_until(lambda: told in visitor.open(page)[1], JUDGED_S), visitor.open(page)[1]
    return page, visitor
