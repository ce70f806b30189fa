"""Which passwords are refused, and that hashing is slow, bounded, and as slow for nobody as for somebody."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Final

import pytest
import yaml
from werkzeug.security import check_password_hash

from grader.services import passwords
from grader.services.passwords import AT_A_TIME, PASSWORD_MAX, WAITING_MAX, Passwords, TooBusy, WeakPassword
from tests.services.made import cheap_passwords

CASES: Final = yaml.safe_load((Path(__file__).parents[1] / "data" / "passwords.yaml").read_text())


@pytest.mark.parametrize("password", CASES["refused"])
def test_easy_passwords_are_refused(password: str) -> None:
    with pytest.raises(WeakPassword):
        passwords.check(password, "Ines Okafor")


@pytest.mark.parametrize("password", [*CASES["taken"], "é" * 4 + "x1y2z3", "x1 y2 z3 w4" * 18])
def test_other_passwords_are_taken(password: str) -> None:
    passwords.check(password, "Ines Okafor")


def test_a_long_password_is_refused_before_it_costs_anything() -> None:
    hashes = cheap_passwords()
    with pytest.raises(WeakPassword, match="200 characters"):
        passwords.check("ab c1" * 40 + "x", "Ines")
    stored = hashes.hash("ab c1" * 40)
    assert hashes.is_right(stored, "ab c1" * 40)
    assert not hashes.is_right(stored, "ab c1" * 40 + "x" * 10_000_000)
    assert len("ab c1" * 40) == PASSWORD_MAX


def test_what_is_stored_is_scrypt_with_its_own_salt() -> None:
    hashes = Passwords()
    first, second = hashes.hash("seven quiet otters"), hashes.hash("seven quiet otters")
    assert first.startswith("scrypt:32768:8:1$")
    assert first != second
    assert len(first) <= 255
    assert hashes.is_right(first, "seven quiet otters")
    assert not hashes.is_right(first, "seven quiet otter")


def test_letters_may_arrive_taken_apart() -> None:
    hashes = cheap_passwords()
    assert hashes.is_right(hashes.hash("zo\u00eb zo\u00eb zo\u00eb"), "zoe\u0308 zoe\u0308 zoe\u0308")


@pytest.mark.parametrize("password", ["", "seven quiet otters", "\ud800 lone surrogate", "nul \0 inside"])
def test_nobody_has_no_password(password: str) -> None:
    assert not cheap_passwords().is_right(None, password)


def test_nobody_costs_what_somebody_costs(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def counted(stored: str, password: str) -> bool:
        asked.append(stored.partition("$")[0])
        return check_password_hash(stored, password)

    monkeypatch.setattr(passwords, "check_password_hash", counted)
    hashes = cheap_passwords()
    hashes.is_right(None, "seven quiet otters")
    hashes.is_right(hashes.hash("another one"), "seven quiet otters")
    assert asked == ["scrypt:512:8:1", "scrypt:512:8:1"]


def test_few_hashes_are_computed_at_a_time_and_few_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    inside, most, lock = [0], [0], threading.Lock()
    go = threading.Event()

    def slow(password: str, method: str) -> str:
        with lock:
            inside[0] += 1
            most[0] = max(most[0], inside[0])
        assert go.wait(20)
        with lock:
            inside[0] -= 1
        return "x"

    monkeypatch.setattr(passwords, "generate_password_hash", slow)
    hashes = Passwords()
    outcomes: list[str | int] = []
    started = threading.Barrier(200)

    def ask() -> None:
        started.wait(20)
        try:
            with hashes.place():
                outcomes.append(hashes.hash("seven quiet otters"))
        except TooBusy as error:
            outcomes.append(error.retry_after_s)
            if outcomes.count(3) == 200 - AT_A_TIME - WAITING_MAX:
                go.set()

    threads = [threading.Thread(target=ask) for _ in range(200)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert most == [AT_A_TIME]
    assert outcomes.count("x") == AT_A_TIME + WAITING_MAX
    assert outcomes.count(3) == 200 - AT_A_TIME - WAITING_MAX
