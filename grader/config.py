"""Settings, from the environment alone. Only cli, wsgi and the workers read them; everything else takes arguments."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from grader.errors import UserError

TOKEN_MIN: Final = 16  # characters
PROXIES_MAX: Final = 9


@dataclass(frozen=True)
class Settings:
    """What an operator can set; each variable is in README.md."""

    data: Path  # GRADER_DATA: database and secret key
    cache: Path  # GRADER_CACHE: generated cases; may be deleted at any time
    problems: Path  # GRADER_PROBLEMS: the folder of packages
    database_url: str  # GRADER_DATABASE_URL
    public_url: str | None  # GRADER_PUBLIC_URL: trusted hosts follow it
    is_signup_open: bool  # GRADER_SIGNUP: anybody may make an account; by default on this machine alone
    proxies: int  # GRADER_PROXIES: how many in front of the service add the address that they were called from
    metrics_token: str | None  # GRADER_METRICS_TOKEN: opens /metrics
    allow_weak_sandbox: bool  # GRADER_ALLOW_WEAK_SANDBOX: judge without Landlock where the machine lacks it
    # GRADER_JUDGING: who judges. A database alone does not tell: PostgreSQL serves a single server well
    is_judged_by_workers: bool


VARIABLES: Final = (
    "GRADER_DATA",
    "GRADER_CACHE",
    "GRADER_PROBLEMS",
    "GRADER_DATABASE_URL",
    "GRADER_PUBLIC_URL",
    "GRADER_SIGNUP",
    "GRADER_PROXIES",
    "GRADER_METRICS_TOKEN",
    "GRADER_ALLOW_WEAK_SANDBOX",
    "GRADER_JUDGING",
)


def set_variables(environment: Mapping[str, str] = os.environ) -> dict[str, bool]:
    """Return for each variable of the service whether it is set; values may be secrets and are not told."""
    return {name: bool(environment.get(name)) for name in VARIABLES}


def read_settings(environment: Mapping[str, str] = os.environ) -> Settings:
    """Return the settings, with the user's own folders as defaults.

    Raises:
        UserError: a variable has no usable value.
    """
    data = _folder(environment, "GRADER_DATA", "XDG_DATA_HOME", ".local/share")
    problems = environment.get("GRADER_PROBLEMS")
    if problems and not Path(problems).is_dir():
        raise UserError(f"GRADER_PROBLEMS is {problems!a}, which is no folder; set it to a folder of problem packages.")
    public_url = environment.get("GRADER_PUBLIC_URL") or None
    if public_url and not _is_address(public_url):
        raise UserError(f"GRADER_PUBLIC_URL is {public_url!a}; write http:// or https:// and a host name.")
    database_url = environment.get("GRADER_DATABASE_URL") or f"sqlite:///{data / 'grader.sqlite3'}"
    return Settings(
        data=data,
        cache=_folder(environment, "GRADER_CACHE", "XDG_CACHE_HOME", ".cache"),
        problems=Path(problems) if problems else shipped("problems"),
        database_url=database_url,
        public_url=public_url,
        is_signup_open=_is_on(environment, "GRADER_SIGNUP", default=public_url is None),
        proxies=_proxies(environment),
        metrics_token=_token(environment, "GRADER_METRICS_TOKEN"),
        allow_weak_sandbox=_is_on(environment, "GRADER_ALLOW_WEAK_SANDBOX"),
        is_judged_by_workers=_is_judged_by_workers(environment, database_url),
    )


def _is_judged_by_workers(environment: Mapping[str, str], database_url: str) -> bool:
    value = environment.get("GRADER_JUDGING") or "embedded"
    if value not in ("embedded", "workers"):
        raise UserError(f"GRADER_JUDGING is {value!a}; write embedded to judge in the web process, or workers.")
    if value == "workers" and database_url.startswith("sqlite"):
        raise UserError("GRADER_JUDGING is workers, who need PostgreSQL; set GRADER_DATABASE_URL to postgresql://…")
    return value == "workers"


def _token(environment: Mapping[str, str], variable: str) -> str | None:
    value = environment.get(variable) or None
    if value and (len(value) < TOKEN_MIN or not value.isascii() or not value.isprintable() or " " in value):
        raise UserError(f"{variable} is no good token; use {TOKEN_MIN} or more letters and digits, chosen at random.")
    return value


def _is_on(environment: Mapping[str, str], variable: str, *, default: bool = False) -> bool:
    """Return whether a switch is on; a word that may mean either is refused, for one of them is dangerous."""
    value = environment.get(variable, "")
    if value not in ("", "0", "1"):
        raise UserError(f"{variable} is {value!a}; write 1 to allow it, 0 to refuse it, or leave it out.")
    return value == "1" if value else default


def _proxies(environment: Mapping[str, str]) -> int:
    value = environment.get("GRADER_PROXIES") or "0"
    if not (value.isascii() and value.isdecimal() and int(value[:4]) <= PROXIES_MAX):
        raise UserError(f"GRADER_PROXIES is {value!a}; write how many proxies stand in front, 0 to {PROXIES_MAX}.")
    return int(value)


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _folder(environment: Mapping[str, str], variable: str, base: str, default: str) -> Path:
    if own := environment.get(variable):
        return Path(own).absolute()
    if (base_folder := environment.get(base, "")).startswith("/"):
        return Path(base_folder) / "grader"
    home = environment.get("HOME")
    if not home:
        raise UserError("There is no HOME to keep files in; set it, or GRADER_DATA and GRADER_CACHE, to folders.")
    return Path(home) / default / "grader"


def shipped(name: str) -> Path:
    """Return the folder `problems` or `migrations`: the checkout's, otherwise the one that the wheel carries."""
    package = Path(__file__).resolve().parent
    checkout = package.parent / name
    if (package.parent / "pyproject.toml").is_file() and checkout.is_dir():
        return checkout
    return package / "_shipped" / name
