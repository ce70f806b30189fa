"""The service as `docker compose up` starts it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from tests.container.engine import Ended, Engine
from tests.processes import wait_until

HEALTHY_S = 90.0  # the health check's own pace, on a loaded machine


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
