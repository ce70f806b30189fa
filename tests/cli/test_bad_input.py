"""Whatever is typed or handed in: one line that says what to do, or a verdict; never a traceback."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from tests.cli.running import PROBLEMS, Command, as_a_user
from tests.files import make_socket

CASES: Final[list[dict[str, Any]]] = yaml.safe_load((Path(__file__).parent / "bad_input.yaml").read_text())
LONG: Final = "x" * 300
SLUGS: Final = ", ".join(sorted(path.parent.name for path in PROBLEMS.glob("[!_]*/problem.yaml")))


def _unreadable(path: Path) -> None:
    path.write_text("x = 1")
    path.chmod(0)


def _locked(path: Path) -> None:
    path.mkdir()
    path.chmod(0o500)


def _sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate((64 << 20) + 1)


MAKE: Final[dict[str, Callable[[Path], object]]] = {
    "unreadable": _unreadable,
    "locked": _locked,
    "folder": Path.mkdir,
    "fifo": os.mkfifo,
    "socket": make_socket,
    "loop": lambda path: path.symlink_to(path.name),
    "dangling": lambda path: path.symlink_to("nowhere"),
    "sparse": _sparse,
    "binary": lambda path: path.write_bytes(random.Random(0).randbytes(4096)),
    "five_megabytes": lambda path: path.write_bytes(b"# a comment\n" * (5_000_000 // 12)),
}


def test_ids_are_unique() -> None:
    ids = [case["id"] for case in CASES]
    assert len(ids) == len(set(ids)) > 60


@pytest.mark.sandbox
@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_bad_input_is_told_or_judged(command: Command, case: dict[str, Any]) -> None:
    made = case.get("make")
    if made in MAKE:
        MAKE[made](command.folder / "it")
    elif made is not None:
        (command.folder / "it").write_text(made)
    args = [LONG if word == "long" else word for word in case["run"]]
    if "verdict" in case:
        args.append("--json")
    ended = command.run(*args, env=case.get("env"), preexec=as_a_user)
    assert ended.code == case["code"], ended
    if "verdict" in case:
        judged = json.loads(ended.out)
        assert (judged["verdict"], judged["reason"]) == (case["verdict"], case["reason"])
        assert ended.err == ""
    else:
        wanted = case["line"].replace("{folder}", str(command.folder)).replace("{slugs}", SLUGS)
        assert ended.line == f"grader: {wanted.replace('long ', LONG + ' ', 1) if 'long' in case['run'] else wanted}"
        assert ended.out == ""
