"""A container engine of the tests' own, with the image of this checkout; nothing of it is left on the machine.

There may be no registry to take the Dockerfile's base image from. A stand-in with its name is made of packages: a
Debian whose Python is the version that the Dockerfile names.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

ROOT: Final = Path(__file__).parents[2]
PROGRAMS: Final = "/usr/bin:/usr/sbin:/bin:/sbin"  # of the distribution: elsewhere another docker may come first
PACKAGES: Final = {
    "dockerd": "docker.io",
    "docker": "docker.io",
    "docker-compose": "docker-compose",
    "debootstrap": "debootstrap",
}
SUITE: Final = "trixie"
CERTIFICATES: Final = Path("/etc/ssl/certs/ca-certificates.crt")
LEFT_OUT: Final = (
    "./var/cache/apt/*.bin",
    "./var/cache/apt/archives/*.deb",
    "./var/lib/apt/lists/*",
    "./usr/share/doc",
    "./usr/share/locale",
)
ENGINE_KEY: Final = Path("/etc/docker/key.json")  # some engines make one, wherever their data is
START_S: Final = 60.0
BUILD_S: Final = 600.0


def missing() -> str:
    """Return why no engine can be started here; empty when one can."""
    if os.geteuid() != 0:
        return "a container engine of the tests' own needs root"
    lacking = sorted({package for program, package in PACKAGES.items() if not shutil.which(program, path=PROGRAMS)})
    return f"missing here (Debian: apt-get install {' '.join(lacking)})" if lacking else ""


@dataclass(frozen=True)
class Ended:
    """How a command ended, and what it wrote."""

    code: int
    out: str
    err: str


@dataclass(frozen=True)
class Engine:
    """A running engine; everything that belongs to it lies below one folder."""

    folder: Path

    @property
    def address(self) -> str:
        return f"unix://{self.folder}/sock"

    def run(self, *command: str, stdin: Any = subprocess.DEVNULL, seconds: float = START_S) -> Ended:
        """Run a program of the distribution against this engine."""
        environment = {"PATH": PROGRAMS, "HOME": str(self.folder), "LANG": "C.UTF-8", "DOCKER_HOST": self.address}
        done = subprocess.run(
            command, env=environment, stdin=stdin, capture_output=True, text=True, timeout=seconds, cwd=self.folder
        )
        return Ended(done.returncode, done.stdout, done.stderr)

    def docker(self, *args: str, **options: Any) -> str:
        """Return what `docker ARGS` prints; it must succeed."""
        ended = self.run("docker", *args, **options)
        assert ended.code == 0, ended
        return ended.out.strip()

    def compose(self, *args: str, changes: Mapping[str, Any] | None = None, seconds: float = START_S) -> Ended:
        """Run `docker-compose ARGS` with the checkout's file, some keys of its service changed."""
        file = self.folder / "docker-compose.yml"
        file.write_text(yaml.safe_dump(composition(changes or {})))
        return self.run("docker-compose", "-p", "test", "-f", str(file), *args, seconds=seconds)

    def once(self, *command: str, changes: Mapping[str, Any] | None = None, seconds: float = START_S) -> Ended:
        """Run a command in a new container of the service, with this checkout's tests in /checkout."""
        tests = ("-v", f"{ROOT}/tests:/checkout/tests:ro", "-w", "/checkout", "-e", "PYTHONPATH=/checkout")
        alone = {**(changes or {}), "healthcheck": {"disable": True}}  # it would be a process of its own now and then
        return self.compose("run", "--rm", "-T", *tests, "web", *command, changes=alone, seconds=seconds)


def composition(changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content of docker-compose.yml with what this machine needs otherwise: any port, the host's network."""
    content: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    web = content["services"]["web"]
    web["build"] = {"context": str(ROOT), "network": "host"}  # containers have no way out here
    web["ports"] = ["127.0.0.1::8000"]  # the usual one may be in use
    web.update(changes)
    return content


@contextmanager
def running_engine(folder: Path) -> Iterator[Engine]:
    """Run an engine until the block ends, then take away all that it made."""
    had_key = ENGINE_KEY.exists()
    engine = Engine(folder)
    command = [
        "dockerd", "--bridge=none", "--iptables=false", "--ip6tables=false", "--ip-forward=false",
        f"--data-root={folder}/data", f"--exec-root={folder}/exec", f"--pidfile={folder}/pid",
        f"--host={engine.address}",
    ]  # fmt: skip
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, env={"PATH": PROGRAMS, "HOME": str(folder)})
    try:
        _wait_for(engine, process)
        yield engine
    finally:
        with suppress(subprocess.TimeoutExpired):  # the engine itself has to end all the same
            _take_away(engine)
        process.terminate()
        process.wait(START_S)
        for place in _mounts_below(folder):
            subprocess.run(["umount", "--lazy", place], check=False)
        shutil.rmtree(folder)
        if not had_key:
            ENGINE_KEY.unlink(missing_ok=True)


def _wait_for(engine: Engine, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + START_S
    while engine.run("docker", "info").code != 0:
        told = (engine.folder / "log").read_text()[-2000:]
        assert process.poll() is None, f"the engine ended:\n{told}"
        assert time.monotonic() < end, f"the engine does not answer:\n{told}"
        time.sleep(0.1)


def _take_away(engine: Engine) -> None:
    """End every container, and remove the networks, which are interfaces of this machine."""
    containers = engine.run("docker", "ps", "--all", "--quiet").out.split()
    if containers:
        engine.run("docker", "rm", "--force", "--volumes", *containers)
    engine.run("docker", "network", "prune", "--force")


def _mounts_below(folder: Path) -> list[str]:
    places = [line.split()[4] for line in Path("/proc/self/mountinfo").read_text().splitlines()]
    return sorted((place for place in places if place.startswith(f"{folder}/")), reverse=True)


def make_base_image(engine: Engine) -> str:
    """Make the stand-in of the Dockerfile's base image; return its name."""
    (name,) = set(re.findall(r"^FROM (\S+)", (ROOT / "Dockerfile").read_text(), re.MULTILINE))
    root = engine.folder / "root"
    packages = "--include=python3,python3-venv,ca-certificates"
    # without an address debootstrap asks Debian's own archive
    made = engine.run("debootstrap", "--variant=minbase", packages, SUITE, str(root), seconds=BUILD_S)
    assert made.code == 0, made.out[-2000:]
    (root / "usr/bin/python").symlink_to("python3")
    _give_package_index(root)
    leave_out = [f"--exclude={folder}" for folder in LEFT_OUT]
    with subprocess.Popen(["tar", "-C", str(root), *leave_out, "-c", "."], stdout=subprocess.PIPE) as tar:
        engine.docker("import", "-", name, stdin=tar.stdout)
    shutil.rmtree(root)
    return str(name)


def _give_package_index(root: Path) -> None:
    """Have pip in the image reach the index as it does here: by the same address, trusting the same certificates."""
    lines = ["[global]"]
    if CERTIFICATES.exists():
        shutil.copy(CERTIFICATES, root / CERTIFICATES.relative_to("/"))
        lines.append(f"cert = {CERTIFICATES}")
    listed = subprocess.run(
        [sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True, check=True
    ).stdout
    lines += [f"index-url = {address}" for address in re.findall(r"\.index-url='(.*)'", listed)[:1]]
    (root / "etc/pip.conf").write_text("\n".join(lines) + "\n")


def build_image(engine: Engine) -> None:
    """Build the image as `docker compose build` does."""
    built = engine.compose("build", seconds=BUILD_S)
    assert built.code == 0, (built.out[-3000:], built.err[-3000:])
