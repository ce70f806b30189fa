"""The image and the composition, for real: built, started, attacked from inside, and used through its pages."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from grader.problems.loader import REFERENCE
from tests.container.engine import ROOT, Engine
from tests.container.service import SLUG, Service, handed_in
from tests.container.walls import CAPABILITIES, MAY, TRIES, status
from tests.grading.test_equal_verdicts import HOSTILE, SUBMISSIONS, different
from tests.grading.test_submissions import FOLDERS, PACKAGES

pytestmark = pytest.mark.container
HERE: Final = Path(__file__).parent
WALLS: Final[dict[str, str]] = yaml.safe_load((ROOT / "tests/sandbox/canaries.yaml").read_text())
REFUSALS: Final[dict[str, Any]] = yaml.safe_load((HERE / "refusals.yaml").read_text())
JUDGE_ALL: Final = ("-m", "tests.container.judge_all")
CORPUS_S: Final = 900.0  # much of it is spent by sources that run into the clock
EVERY: Final = 5  # of the shipped wrong answers one in so many is judged
ROOT_THAT_MAY: Final = {"user": "0", "cap_add": ["SETUID", "SETGID", "KILL"]}
# what came inside and outside: one of the two Pythons, the image's or the older one, leaves it to the processor
STOPPED_BY_PYTHON: Final = {
    "hostile/RTE/recurses_without_end_in_c.py": (["RTE", "exception"], ["RTE", "crashed"]),
}


def shipped_names() -> dict[str, str]:
    """Return the shipped packages' submissions, most wrong ones left out, with the verdicts that their folders name."""
    names: dict[str, str] = {}
    for package in PACKAGES:
        for folder, verdict in FOLDERS.items():
            paths = sorted((package / "submissions" / folder).glob("*.py"))
            chosen = paths[::EVERY] if folder == "wrong_answer" else paths
            names |= {f"{package.name}/{folder}/{path.name}": verdict.value for path in chosen}
    return names


def inside(engine: Engine, *names: str, changes: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Judge sources in a container of their own."""
    ended = engine.once("python", *JUDGE_ALL, *names, changes=changes, seconds=CORPUS_S)
    assert ended.code == 0, ended.err
    found: dict[str, Any] = json.loads(ended.out)
    return found


def outside(*names: str) -> dict[str, Any]:
    """Judge sources without a container."""
    command = [sys.executable, *JUDGE_ALL, *names]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=CORPUS_S)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_the_image_has_the_python_that_it_names(engine: Engine) -> None:
    named = (ROOT / "Dockerfile").read_text().partition("FROM python:")[2].partition("-")[0]
    assert engine.docker("run", "--rm", "grader", "python", "--version").startswith(f"Python {named}.")


def test_the_doctor_finds_every_wall_inside(engine: Engine) -> None:
    ended = engine.once("grader", "doctor", "--json")
    assert ended.code == 0, ended
    told = json.loads(ended.out)
    assert (told["ok"], told["layers"], told["uid"]) == (True, ["seccomp", "landlock", "rlimits"], 10001)
    assert {canary["name"]: canary["by"] for canary in told["canaries"]} == WALLS
    assert all(canary["denied"] for canary in told["canaries"])


@pytest.mark.parametrize("way", REFUSALS)
def test_a_user_that_the_sandbox_cannot_be_set_up_for_is_told(engine: Engine, way: str) -> None:
    ended = engine.once("grader", "doctor", changes=REFUSALS[way]["changes"])
    assert (ended.code, ended.out) == (4, "")
    assert f"grader: {REFUSALS[way]['told']}" in ended.err.splitlines()


def test_root_with_three_capabilities_leaves_root(engine: Engine) -> None:
    ended = engine.once("grader", "doctor", "--json", changes=ROOT_THAT_MAY)
    assert ended.code == 0, ended
    told = json.loads(ended.out)
    assert (told["ok"], told["layers"], told["uid"]) == (True, ["seccomp", "landlock", "rlimits"], 65533)
    assert {canary["name"]: canary["by"] for canary in told["canaries"]} == WALLS


@pytest.mark.parametrize(("changes", "uids"), [({}, (10001, 10001)), (ROOT_THAT_MAY, (0, 65533))], ids=["user", "root"])
def test_every_hostile_source_gets_its_verdict_inside(
    engine: Engine, changes: dict[str, Any], uids: tuple[int, int]
) -> None:
    paths = SUBMISSIONS + HOSTILE
    found = inside(engine, *(str(path.relative_to(ROOT / "tests/data")) for path in paths), changes=changes)
    assert different(found, paths) == STOPPED_BY_PYTHON
    assert (found["uid"], found["sandbox"]) == uids
    assert (found["processes"], found["files"]) == ([], [])


def test_shipped_submissions_get_the_same_verdicts_inside_and_outside(engine: Engine) -> None:
    wanted = shipped_names()
    found, here = inside(engine, *wanted), outside(*wanted)
    assert found["verdicts"] == here["verdicts"]
    assert {name: verdict for name, (verdict, _) in found["verdicts"].items()} == wanted
    assert (found["layers"], found["landlock_abi"]) == (here["layers"], here["landlock_abi"])
    assert found["processes"] == []


def test_a_submission_that_the_container_is_too_small_for_is_our_fault_and_ends_nothing(engine: Engine) -> None:
    small = {"mem_limit": "192m", "memswap_limit": "192m"}
    ended = engine.once("grader", "grade", SLUG, "tests/data/container/hungry.py", "--json", changes=small)
    assert (ended.code, json.loads(ended.out)["verdict"]) == (4, "JE"), ended


def test_the_service_runs_behind_the_walls_of_the_composition(service: Service) -> None:
    told = status(service.inside("cat", "/proc/1/status").out)
    assert {told[name] for name in CAPABILITIES} == {"0" * 16}
    assert (told["Uid"].split(), told["Gid"].split()) == (["10001"] * 4, ["10001"] * 4)
    assert (told["NoNewPrivs"], told["Seccomp"], told["Seccomp_filters"]) == ("1", "2", "1")
    limits = json.loads(service.engine.docker("inspect", "--format", "{{json .HostConfig}}", service.name))
    assert (limits["Memory"], limits["PidsLimit"]) == (4 << 30, 256)
    assert limits["SecurityOpt"] == ["no-new-privileges:true"], "so the seccomp profile is the engine's own"


def test_nothing_but_its_own_folders_is_writable(service: Service) -> None:
    assert json.loads(service.inside("python", "-c", TRIES).out) == MAY


def test_children_are_behind_three_filters(service: Service) -> None:
    tell = "grep -l grader.sandbox.zygot[e] /proc/[0-9]*/cmdline | while read f; do cat ${f%cmdline}status; done"
    handed_in(service.address, REFERENCE, "Accepted")
    found = [line.split()[1] for line in service.inside("sh", "-c", tell).out.splitlines() if "Seccomp_f" in line]
    # the engine's, the zygote's, and that of a child which waits
    assert set(found) == {"2", "3"}


def test_a_repair_is_accepted_through_the_pages(service: Service) -> None:
    handed_in(service.address, REFERENCE, "Accepted")
    assert service.is_healthy()


def test_data_outlives_the_container_which_ends_in_peace(service: Service) -> None:
    page, visitor = handed_in(service.address, "submissions/wrong_answer/softmax_over_queries.py", "Wrong answer")
    assert service.stop() == 0
    service.engine.compose("rm", "--force")
    service.start()
    visitor.base = service.address
    assert "Wrong answer" in visitor.open(page)[1]
