"""The scaled form, for real: started as the document says, used, cut off, stopped, killed and started again."""

from __future__ import annotations

import json
import re
import socket
import urllib.request
from ipaddress import ip_network
from pathlib import Path
from typing import Any, Final

import pytest

from grader.problems.loader import REFERENCE
from tests.container.scaled import WORKERS, Scaled, composition
from tests.container.service import JUDGED_S, SLUG, handed_in
from tests.container.walls import CAPABILITIES, MAY, REACHES, TRIES, status
from tests.packages import SHIPPED
from tests.processes import wait_until
from tests.web.visitor import Visitor

pytestmark = pytest.mark.container
WRONG: Final = "submissions/wrong_answer/softmax_over_queries.py"
SLOW: Final = SHIPPED / SLUG / "submissions/time_limit_exceeded/every_score_from_scratch.py"
AT_ONCE: Final = 4  # of one candidate
CANDIDATES: Final = 3
UNITS: Final = {"m": 1 << 20, "g": 1 << 30}
ELSEWHERE: Final = "203.0.113.1:443"  # without a route nothing is even sent
ASKS_OF: Final = """
import os, psycopg, sys
with psycopg.connect(os.environ["GRADER_DATABASE_URL"]) as connection:
    try:
        print(connection.execute(f"SELECT count(*) FROM {sys.argv[1]}").fetchone()[0])
    except psycopg.Error as error:
        print(error)
"""


def a_worker(scaled: Scaled) -> str:
    return scaled.containers("worker")[0]


def in_bytes(size: str) -> int:
    return int(size[:-1]) * UNITS[size[-1]]


def in_seconds(time: str | None) -> int | None:
    return int(time.removesuffix("s")) if time else None


def test_the_migration_ends_in_peace(scaled: Scaled) -> None:
    (migrate,) = scaled.containers("migrate")
    state = scaled.inspect(migrate)["State"]
    assert (state["Status"], state["ExitCode"]) == ("exited", 0)


@pytest.mark.parametrize("name", ["database", "migrate", "web", "worker"])
def test_a_part_runs_as_the_composition_says(scaled: Scaled, name: str) -> None:
    part = composition()["services"][name]
    found = [scaled.inspect(container) for container in scaled.containers(name)]
    assert len(found) == (WORKERS if name == "worker" else 1)
    for told in found:
        host = told["HostConfig"]
        assert (host["ReadonlyRootfs"], host["CapDrop"], host["CapAdd"]) == (True, ["ALL"], None)
        assert (host["SecurityOpt"], host["Privileged"]) == (["no-new-privileges:true"], False)
        assert (host["Memory"], host["PidsLimit"]) == (in_bytes(part["mem_limit"]), part["pids_limit"])
        assert (host["RestartPolicy"]["Name"], host.get("Init")) == (part["restart"], part.get("init"))
        assert told["Config"].get("StopTimeout") == in_seconds(part.get("stop_grace_period"))
        assert {f"{path}:{options}" for path, options in host["Tmpfs"].items()} == set(part["tmpfs"])
        assert set(told["NetworkSettings"]["Networks"]) == {f"{scaled.project}_{each}" for each in part["networks"]}
        assert told["Config"]["User"] == part.get("user", "10001")
        assert secrets_of(told) == set(part["secrets"])


def secrets_of(told: dict[str, Any]) -> set[str]:
    """Return the names of the secrets that a container can read; none may be written."""
    mounts = [mount for mount in told["Mounts"] if mount["Destination"].startswith("/run/secrets/")]
    assert not any(mount["RW"] for mount in mounts)
    return {Path(mount["Destination"]).name for mount in mounts}


def test_the_link_of_the_first_admin_opens(scaled: Scaled) -> None:
    address = re.findall(r"There is no admin yet\..* (http\S+)", scaled.logs("web"))[-1]
    assert address.startswith("http://127.0.0.1:8000/links/"), "it is that of the port which the composition publishes"
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    with opener.open(address.replace("http://127.0.0.1:8000", scaled.address), timeout=20) as reply:
        assert "Set this service up" in reply.read().decode()


def test_workers_judge_what_comes_through_the_pages(scaled: Scaled) -> None:
    before = scaled.judged()
    handed_in(scaled.address, REFERENCE, "Accepted")
    handed_in(scaled.address, WRONG, "Wrong answer")
    assert wait_until(lambda: scaled.judged() == sorted([*before, "AC", "WA"]), JUDGED_S), scaled.judged()
    assert scaled.judged(*scaled.containers("web")) == []


def test_a_worker_runs_behind_the_walls_of_the_composition(scaled: Scaled) -> None:
    found = scaled.inside(a_worker(scaled), "sh", "-c", "for f in /proc/[0-9]*/status; do cat $f; echo; done").out
    processes = [status(text) for text in found.split("\n\n") if text.strip()]
    assert len(processes) >= 1 + WORKERS
    for told in processes:
        assert {told[name] for name in CAPABILITIES} == {"0" * 16}
        assert (told["Uid"].split(), told["Gid"].split()) == (["10001"] * 4, ["10001"] * 4)
        assert told["NoNewPrivs"] == "1"


def test_nothing_but_its_own_folders_is_writable_for_a_worker(scaled: Scaled) -> None:
    assert json.loads(scaled.inside(a_worker(scaled), "python", "-c", TRIES).out) == MAY


def test_a_worker_reaches_the_database_and_nothing_else(scaled: Scaled) -> None:
    (web,) = scaled.containers("web")
    networks = scaled.inspect(web)["NetworkSettings"]["Networks"].values()
    web_itself = [f"{network['IPAddress']}:8000" for network in networks]
    with socket.create_server(("0.0.0.0", 0)) as listening:  # a service of the machine, for whoever asks
        port = listening.getsockname()[1]
        ways = {name: f"{machine_in(scaled, name)}:{port}" for name in ("outside", "serving", "judging")}
        assert reached(scaled, web, ways["outside"]) == {ways["outside"]: "reached"}, "so it could be"
        places = [*web_itself, *ways.values(), ELSEWHERE]
        told = reached(scaled, a_worker(scaled), "database:5432", "web:8000", *places)
    assert told.pop("database:5432") == "reached"
    assert told.pop("web:8000") in ("Name or service not known", "Temporary failure in name resolution")
    # an older engine names a gateway that is not there, a newer one none
    assert set(told.values()) <= {"No route to host", "Network is unreachable"}, told


def machine_in(scaled: Scaled, network: str) -> str:
    """Return the address that the machine has in a network, where it has one: the first."""
    return str(next(ip_network(scaled.network(network)["IPAM"]["Config"][0]["Subnet"]).hosts()))


def reached(scaled: Scaled, container: str, *places: str) -> dict[str, str]:
    """Try to reach places from a container; return what came of each."""
    ended = scaled.inside(container, "python", "-c", REACHES, *places)
    found: dict[str, str] = json.loads(ended.out)
    return found


@pytest.mark.parametrize(
    ("table", "told"), [("user_account", "permission denied for table user_account"), ("alembic_version", "1")]
)
def test_the_role_of_a_worker_sees_no_people(scaled: Scaled, table: str, told: str) -> None:
    ended = scaled.inside(a_worker(scaled), "python", "-c", ASKS_OF, table)
    assert ended.out.strip() == told, ended


def test_a_worker_that_is_stopped_finishes_what_is_under_way(scaled: Scaled) -> None:
    before, stopped = len(scaled.judged()), a_worker(scaled)
    pages = hand_in_slow_ones(scaled)
    own = len(scaled.judged(stopped))
    scaled.engine.docker("stop", stopped, seconds=2 * JUDGED_S)
    assert at_work(scaled) <= WORKERS - 1, "it left nothing half done"
    state = scaled.inspect(stopped)["State"]
    assert (state["Status"], state["ExitCode"], state["OOMKilled"]) == ("exited", 0, False)
    assert len(scaled.judged(stopped)) > own
    assert all_are_judged(pages)
    assert wait_until(lambda: len(scaled.judged()) == before + len(pages)), "each was judged once"
    scaled.start()


def test_nothing_is_lost_when_a_worker_is_killed(scaled: Scaled) -> None:
    pages = hand_in_slow_ones(scaled)
    killed = a_worker(scaled)
    scaled.engine.docker("kill", killed)
    assert scaled.inspect(killed)["State"]["ExitCode"] == 137
    pages += hand_in(scaled, 1)
    assert all_are_judged(pages)
    left = "SELECT count(*) FROM procrastinate_jobs WHERE task_name = 'grader.judge'"
    assert wait_until(lambda: scaled.ask(left) == "0", JUDGED_S), scaled.ask(left)
    scaled.start()


def hand_in_slow_ones(scaled: Scaled) -> list[tuple[Visitor, str]]:
    """Hand in more than the workers judge at a time, wait until each has begun; return visitors and pages."""
    pages = hand_in(scaled, CANDIDATES)
    assert wait_until(lambda: at_work(scaled) == WORKERS, JUDGED_S), scaled.logs("worker")
    return pages


def at_work(scaled: Scaled) -> int:
    """Return how many workers hold jobs."""
    return int(scaled.ask("SELECT count(DISTINCT worker_id) FROM procrastinate_jobs WHERE status = 'doing'"))


def hand_in(scaled: Scaled, candidates: int) -> list[tuple[Visitor, str]]:
    """Have candidates hand slow sources in, each several; return visitors and pages."""
    source = SLOW.read_bytes()
    visitors = [Visitor(scaled.address) for _ in range(candidates)]
    return [(each, each.submit(source, SLUG, "interview")) for _ in range(AT_ONCE) for each in visitors]


def all_are_judged(pages: list[tuple[Visitor, str]]) -> bool:
    return wait_until(
        lambda: all("Time limit exceeded" in visitor.open(page)[1] for visitor, page in pages), 2 * JUDGED_S
    )


def test_data_outlives_the_containers(scaled: Scaled) -> None:
    page, visitor = handed_in(scaled.address, WRONG, "Wrong answer")
    before = scaled.containers("database")
    assert scaled.compose("down", seconds=120).code == 0
    scaled.start()
    visitor.base = scaled.address
    assert scaled.containers("database") != before
    assert "Wrong answer" in visitor.open(page)[1]
