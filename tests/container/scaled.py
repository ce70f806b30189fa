"""The scaled form as the document of operations starts it: a database, a migration, web processes and two workers."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

from tests.container.engine import BUILD_S, ROOT, START_S, Ended, Engine
from tests.processes import wait_until

HERE: Final = Path(__file__).parent
FILE: Final = "docker-compose.scaled.yml"
DOCUMENT: Final = ROOT / "grader" / "OPERATIONS.md"
WORKERS: Final = 2
WELL_S: Final = 180.0  # the health checks' own pace, on a loaded machine
# the document's `docker compose` is a program of its own here
SHIM: Final = 'docker() { if [ "$1" = compose ]; then shift; docker-compose "$@"; else command docker "$@"; fi; }\n'


def composition() -> dict[str, Any]:
    """Return the content of the file with what this machine needs otherwise: any port, the host's network to build."""
    content: dict[str, Any] = yaml.safe_load((ROOT / FILE).read_text())
    for part in content["services"].values():
        if "build" in part:
            part["build"] |= {"context": str(ROOT), "network": "host"}  # containers have no way out here
    content["services"]["web"]["ports"] = ["127.0.0.1::8000"]  # the usual one may be in use
    return content


def documented_start() -> str:
    """Return the commands that the document gives for a start with compose."""
    told = DOCUMENT.read_text().partition("\nWith compose ")[2]
    found = re.search(r"\n\n((?:    .*\n)+)\n", told)
    assert found, "the document has no commands there"
    return re.sub(r"^    ", "", found[1], flags=re.MULTILINE)


@dataclass(frozen=True)
class Scaled:
    """The composition's containers, in the engine's folder, whose name is the project's."""

    engine: Engine

    def build(self) -> None:
        """Build the database's stand-in and the image of web processes and workers."""
        content = composition()
        (self.engine.folder / FILE).write_text(yaml.safe_dump(content))
        (base,) = set(re.findall(r"^FROM (\S+)", (ROOT / "Dockerfile").read_text(), re.MULTILINE))
        name = content["services"]["database"]["image"]
        folder = str(HERE / "postgres")
        options = ("--network=host", f"--build-arg=BASE={base}", f"--tag={name}")
        self.engine.docker("build", *options, folder, seconds=BUILD_S)
        built = self.compose("build", "web", seconds=BUILD_S)
        assert built.code == 0, (built.out[-3000:], built.err[-3000:])

    def start_as_documented(self) -> None:
        """Run the document's commands, and wait until all is well."""
        ended = self.engine.run("bash", "-euo", "pipefail", "-c", SHIM + documented_start(), seconds=BUILD_S)
        assert ended.code == 0, (ended.out[-3000:], ended.err[-3000:], self.logs("database", "migrate"))
        self._wait()

    def start(self) -> None:
        """Start what does not run, and wait until all is well."""
        started = self.compose("up", "--detach", "--scale", f"worker={WORKERS}", seconds=WELL_S)
        assert started.code == 0, (started, self.logs())
        self._wait()

    def _wait(self) -> None:
        assert wait_until(self.is_well, WELL_S), self.logs()

    def is_well(self) -> bool:
        """Whether the health checks of web processes and workers say so."""
        found = [self.inspect(name)["State"] for part in ("web", "worker") for name in self.containers(part)]
        return [state["Health"]["Status"] for state in found] == ["healthy"] * (1 + WORKERS)

    def compose(self, *args: str, seconds: float = START_S) -> Ended:
        """Run `docker-compose ARGS`."""
        return self.engine.run("docker-compose", "--no-ansi", "-f", FILE, *args, seconds=seconds)

    def logs(self, *services: str) -> str:
        """Return the end of what services wrote."""
        return self.compose("logs", "--no-color", *services).out[-6000:]

    def containers(self, service: str) -> list[str]:
        """Return a service's containers, ended ones as well."""
        return self.compose("ps", "--quiet", service).out.split()

    def inspect(self, container: str) -> dict[str, Any]:
        """Return what the engine says of a container."""
        (found,) = json.loads(self.engine.docker("inspect", container))
        assert isinstance(found, dict)
        return found

    def network(self, name: str) -> dict[str, Any]:
        """Return what the engine says of a network."""
        (found,) = json.loads(self.engine.docker("network", "inspect", f"{self.project}_{name}"))
        assert isinstance(found, dict)
        return found

    def inside(self, container: str, *command: str) -> Ended:
        """Run a command beside what runs in a container."""
        return self.engine.run("docker", "exec", container, *command)

    def judged(self, *containers: str) -> list[str]:
        """Return the verdicts that workers wrote into their logs, in no order."""
        ended = [self.engine.run("docker", "logs", name) for name in containers or self.containers("worker")]
        return sorted(re.findall(r"\bjudged ([A-Z]+) in ", "".join(each.out + each.err for each in ended)))

    def ask(self, statement: str) -> str:
        """Return what the database answers its owner."""
        (database,) = self.containers("database")
        return self.engine.docker("exec", database, "psql", "-U", "grader", "-At", "-c", statement)

    @property
    def project(self) -> str:
        return re.sub(r"[^-_a-z0-9]", "", self.engine.folder.name.lower())

    @property
    def address(self) -> str:
        port = self.compose("port", "web", "8000").out.strip().rpartition(":")[2]
        return f"http://localhost:{port}"
