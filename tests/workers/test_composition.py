"""docker-compose.scaled.yml: who reaches whom, and how little each part may."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from grader.config import read_settings
from grader.store.worker_role import RIGHTS

ROOT: Final = Path(__file__).parents[2]
FILE: Final = yaml.safe_load((ROOT / "docker-compose.scaled.yml").read_text())
SERVICES: Final[dict[str, dict[str, Any]]] = FILE["services"]


def test_there_are_a_database_a_migration_web_processes_and_workers() -> None:
    assert set(SERVICES) == {"database", "migrate", "web", "worker"}


@pytest.mark.parametrize("name", SERVICES)
def test_a_part_may_little(name: str) -> None:
    part = SERVICES[name]
    assert part["read_only"] is True
    assert part["cap_drop"] == ["ALL"]
    assert part["security_opt"] == ["no-new-privileges:true"]
    assert part["mem_limit"]
    assert part["pids_limit"] <= 256
    assert not {"privileged", "cap_add", "network_mode", "pid"} & set(part)


@pytest.mark.parametrize("name", SERVICES)
def test_no_password_is_in_a_variable(name: str) -> None:
    values = SERVICES[name]["environment"]
    assert not [key for key in values if key.endswith("PASSWORD")]
    assert ":" not in str(values.get("GRADER_DATABASE_URL", "")).partition("://")[2]
    assert set(SERVICES[name]["secrets"]) <= set(FILE["secrets"])


def test_a_worker_reaches_the_database_alone_and_has_a_role_of_its_own() -> None:
    worker = SERVICES["worker"]
    assert worker["networks"] == ["judging"]
    assert [name for name, part in SERVICES.items() if "judging" in part["networks"]] == ["database", "worker"]
    assert [name for name, part in SERVICES.items() if "outside" in part["networks"]] == ["web"]
    assert [name for name, network in FILE["networks"].items() if (network or {}).get("internal")] == [
        "serving",
        "judging",
    ]
    assert "ports" not in worker
    assert worker["secrets"] == ["worker-pgpass"]
    assert worker["environment"]["GRADER_DATABASE_URL"].startswith("postgresql://grader_worker@database/")
    assert "user_account" not in RIGHTS


def test_everything_waits_for_the_migration_and_shows_its_health() -> None:
    for name in ("web", "worker"):
        assert SERVICES[name]["depends_on"] == {"migrate": {"condition": "service_completed_successfully"}}
    assert SERVICES["migrate"]["depends_on"] == {"database": {"condition": "service_healthy"}}
    assert "/tmp/alive" in SERVICES["worker"]["command"]
    assert "/tmp/alive" in SERVICES["worker"]["healthcheck"]["test"][-1]
    assert SERVICES["database"]["healthcheck"]["test"][1] == "pg_isready"


def test_its_settings_are_usable() -> None:
    given = {key: value for key, value in SERVICES["web"]["environment"].items() if value}
    settings = read_settings({"HOME": "/x", **given})
    assert settings.is_judged_by_workers


def test_its_image_has_the_library_of_the_workers() -> None:
    requirements = SERVICES["worker"]["build"]["args"]["REQUIREMENTS"]
    assert "\nprocrastinate==" in (ROOT / requirements).read_text()
    assert f"!{requirements}" in (ROOT / ".dockerignore").read_text().splitlines()
    assert "ARG REQUIREMENTS=requirements.txt" in (ROOT / "Dockerfile").read_text().splitlines()
