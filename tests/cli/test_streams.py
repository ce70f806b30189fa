"""Standard streams as pipes, files, terminals, closed, full or read by nobody; and Ctrl-C."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

from tests.cli.running import ESCAPE, GRADER, REFERENCE, SLUG, WRONG, Command, terminal
from tests.processes import busy_children, catches, children_of, wait_until

COLOUR: Final = re.compile(r"\x1b\[(?:\d+;)*(?:3\d|4\d|9\d|10\d)(?:;\d+)*m")
READERS_GONE: Final = 141


def shell(command: Command, line: str) -> subprocess.CompletedProcess[str]:
    """Run a shell's line in which `g` is the command, and $F the reference."""
    env = command.environment({"G": GRADER, "F": str(REFERENCE)})
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", f'g() {{ "$G" "$@"; }}; {line}'],
        capture_output=True,
        text=True,
        cwd=command.folder,
        env=env,
        timeout=60,
    )


@pytest.mark.sandbox
@pytest.mark.parametrize("args", [("problems",), ("grade", SLUG, str(WRONG)), ("doctor",)], ids=lambda args: args[0])
def test_piped_text_is_plain_and_not_wrapped(command: Command, args: tuple[str, ...]) -> None:
    ended = command.run(*args, env={"COLUMNS": "40", "TERM": "xterm-256color"})
    assert [line for line in ended.out.splitlines() if line != line.rstrip()] == []
    assert ended.out.endswith("\n")
    assert ended.err == ""


@pytest.mark.sandbox
def test_the_doctor_tells_a_child_s_memory_or_who_can_read_it(command: Command) -> None:
    told = [line for line in command.run("doctor").out.splitlines() if line.startswith("memory")]
    assert len(told) == 1
    assert re.fullmatch(r"memory    of each child that waits: (\d+\.\d MiB|only root can read it)", told[0])


@pytest.mark.sandbox
def test_a_long_line_stays_one_line_in_a_pipe(command: Command) -> None:
    name = "/".join(["a" * 200] * 3) + "/repaired.py"
    (command.folder / name).parent.mkdir(parents=True)
    (command.folder / name).write_bytes(REFERENCE.read_bytes())
    assert command.run("grade", SLUG, name).out.splitlines()[0] == f"{SLUG} · {name}"


@pytest.mark.sandbox
def test_a_terminal_has_colours_and_its_own_width(command: Command) -> None:
    shown = terminal(command, 40, "grade", SLUG, WRONG)
    assert COLOUR.search(shown)
    assert max(len(line) for line in ESCAPE.sub("", shown).splitlines()) <= 40
    assert "✗ Wrong answer" in ESCAPE.sub("", shown)


@pytest.mark.parametrize("env", [{"NO_COLOR": "1"}, {"TERM": "dumb"}], ids=lambda env: next(iter(env)))
def test_colours_can_be_refused(command: Command, env: dict[str, str | None]) -> None:
    shown = terminal(command, 100, "problems", env=env)
    assert SLUG in shown
    assert not COLOUR.search(shown)
    assert "grader show PROBLEM prints" in shown


def test_the_hint_is_for_people(command: Command) -> None:
    assert command.run("problems").err == ""


@pytest.mark.sandbox
@pytest.mark.parametrize(
    "line", ["g show heads-never-mix | head -n 1", 'g grade heads-never-mix "$F" | true', "g --help | true"]
)
def test_a_reader_that_leaves_is_no_error(command: Command, line: str) -> None:
    done = shell(command, f"{line}; exit ${{PIPESTATUS[0]}}")
    assert done.returncode in (0, READERS_GONE)  # it may have written all before
    assert done.stderr == ""


def test_a_lost_reader_has_a_code_of_its_own(command: Command) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    process = command.start("problems", "--json", stdout=writer)
    os.close(writer)
    assert process.communicate(timeout=60)[1] == b""
    assert process.returncode == READERS_GONE


@pytest.mark.sandbox
@pytest.mark.parametrize(
    ("line", "code", "err"),
    [
        ('g grade heads-never-mix "$F" >&-', 0, ""),
        ('g grade heads-never-mix "$F" <&- >&- 2>&-', 0, ""),
        ("g grade heads-never-mix nothing 2>&-", 2, ""),
        ("g problems >&-", 0, ""),
        (
            "g grade heads-never-mix - <&-",
            2,
            "grader: Standard input is closed; name the repaired file, or pipe it in.\n",
        ),
        (
            "g problems >/dev/full",
            4,
            "grader: The output cannot be written (No space left on device); make room, then run it again.\n",
        ),
        (
            'g grade heads-never-mix "$F" --json >/dev/full',
            4,
            "grader: The output cannot be written (No space left on device); make room, then run it again.\n",
        ),
        ("g nonsense 2>/dev/full", 2, ""),
    ],
)
def test_closed_and_full_streams(command: Command, line: str, code: int, err: str) -> None:
    done = shell(command, line)
    assert (done.returncode, done.stdout, done.stderr) == (code, "", err)


@pytest.mark.sandbox
@pytest.mark.parametrize(
    "env",
    [
        {"PYTHONIOENCODING": "ascii"},
        {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
        {"PYTHONIOENCODING": "latin-1"},
    ],
    ids=["ascii", "C", "latin-1"],
)
def test_output_is_utf_8_whatever_the_locale(command: Command, env: dict[str, str | None]) -> None:
    ended = command.run("grade", SLUG, REFERENCE, env=env)
    assert (ended.code, ended.err) == (0, "")
    assert "✓ Accepted" in ended.out


@pytest.mark.sandbox
def test_names_that_are_no_utf_8_are_shown(command: Command) -> None:
    name = os.fsdecode(b"\xff\xc3\xa9.py")
    (command.folder / name).write_bytes(REFERENCE.read_bytes())
    assert command.run("grade", SLUG, name).out.splitlines()[0] == f"{SLUG} · \\udcffé.py"


@contextmanager
def at_work(command: Command, *args: str | Path, children: int = 1) -> Iterator[subprocess.Popen[bytes]]:
    """Start a command and give it once it has as many processes below it; they are gone when it has ended."""
    process = command.start(*args)
    assert wait_until(lambda: len(children_of(process.pid)) >= children, 30)
    below = children_of(process.pid)
    try:
        yield process
        assert wait_until(lambda: not any(Path("/proc", str(pid), "exe").exists() for pid in below), 10)
    finally:
        process.kill()
        process.wait()


@pytest.mark.sandbox
def test_ctrl_c_ends_a_judging(command: Command) -> None:
    (command.folder / "slow.py").write_text("while True: pass\n")
    with at_work(command, "grade", SLUG, "slow.py") as process:
        assert wait_until(lambda: bool(busy_children(process.pid)), 30)  # it is judged by now
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=30)
        assert (process.returncode, out, err) == (130, b"", b"grader: Interrupted.\n")


@pytest.mark.sandbox
@pytest.mark.parametrize("after", [0.0, 0.03, 0.06, 0.12])
def test_ctrl_c_is_no_traceback_while_the_command_loads(command: Command, after: float) -> None:
    process = command.start("grade", SLUG, REFERENCE)
    assert wait_until(lambda: catches(process.pid, signal.SIGINT))  # until then it ends by the signal, without a word
    time.sleep(after)  # some moment of what follows; any will do
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=30)
    if b"Traceback" in err:  # the interpreter itself was still starting, or read our first file
        assert not re.search(rb'grader/cli/\w+\.py", line \d+, in main', err)
        return
    assert (process.returncode, out, err) == (130, b"", b"grader: Interrupted.\n")
