"""`grader batch --database`: what workers judge comes out as what this machine judges, whatever dies meanwhile."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest
from sqlalchemy import Engine, func, select, text, update

from grader.grading.verdict import Verdict
from grader.problems.files import read_folder
from grader.services import batch_judging
from grader.services.packages import Packages
from grader.store.address import shown_address
from grader.store.batch_models import BatchRun, BatchSource
from grader.store.session import read_session, write_session
from tests.batch.folders import lines, put, verdicts
from tests.cli.conftest import command
from tests.cli.running import Command, end_of
from tests.processes import wait_until
from tests.sandbox.test_missing_layers import LANDLOCK, run_without
from tests.services.tiny_package import RIGHT, SLUG, WRONG
from tests.workers.working import Queue, Workers

__all__ = ["command"]
pytestmark = [pytest.mark.services, pytest.mark.sandbox]
SLOW: Final = b"import time\n\n\ndef twice(x):\n    time.sleep(0.01)\n    return x * 2\n"
SOURCES: Final = {
    "right": RIGHT,
    "right again": RIGHT,
    "wrong": WRONG,
    "empty": b"",
    "binary": b"\x00\xff",
    "broken": b"def twice(",
    "raises": b"def twice(x):\n    raise ValueError('no')\n",
    "ends itself": b"import os\n\n\ndef twice(x):\n    os._exit(0)\n",
    "refused": b"import os\n\n\ndef twice(x):\n    os.fork()\n",
    "endless": b"def twice(x):\n    while True:\n        pass\n",
    "=1+1": WRONG + b"# who\n",
}
BATCH: Final = ("batch", "in", "--out", "out")


@pytest.fixture
def env(problems: Path) -> dict[str, str]:
    return {"GRADER_PROBLEMS": str(problems)}


def left(engine: Engine) -> list[int]:
    """Return how many runs, sources and chunks the database holds."""
    chunks = text("SELECT count(*) FROM procrastinate_jobs WHERE task_name = 'grader.judge_chunk'")
    with read_session(engine) as session:
        tables = [session.scalar(select(func.count()).select_from(table)) or 0 for table in (BatchRun, BatchSource)]
        return [*tables, session.execute(chunks).scalar_one()]


def hand_in(command: Command, number: int) -> list[str]:
    """Put slow sources into a folder, no two alike; return whose they are."""
    names = [f"c{each:03}" for each in range(number)]
    for name in names:
        put(command.folder / "in", name, SLOW + f"# {name}\n".encode(), SLUG)
    return names


def told(process: subprocess.Popen[bytes]) -> str:
    """Return the first line that a command says."""
    assert process.stderr
    return process.stderr.readline().decode()


def say(process: subprocess.Popen[bytes], words: str) -> None:
    """Wait until a command has said some words."""
    while words not in (line := told(process)):
        assert line, process.poll()


@contextmanager
def begun(command: Command, env: dict[str, str], url: str, results: int) -> Iterator[subprocess.Popen[bytes]]:
    """Give a batch that has written some results."""
    process = command.start(*BATCH, f"--database={url}", env=env)
    path = command.folder / "out/results.jsonl"
    try:
        assert wait_until(lambda: path.exists() and path.read_bytes().count(b"\n") >= results, 60), process.poll()
        yield process
    finally:
        process.kill()
        process.communicate()


def test_workers_and_this_machine_say_the_same(
    command: Command, engine: Engine, postgres_url: str, workers: Workers, problems: Path, env: dict[str, str]
) -> None:
    for name, source in SOURCES.items():
        put(command.folder / "in", name, source, SLUG)
    put(command.folder / "in", "lost", RIGHT, "no-such-problem")
    (command.folder / "in/link").mkdir()
    (command.folder / f"in/link/{SLUG}.py").symlink_to("/etc/passwd")
    with (problems / SLUG / "problem.yaml").open("a") as file:
        file.write("limits: {case_s: 1, total_s: 2, memory_mib: 512}\n")  # the endless one waits for them
    workers.start("--jobs=1")
    workers.start("--jobs=1")
    here = command.run("batch", "in", "--out", "here", "--evidence", "--jobs=1", env=env)
    there = command.run(*BATCH, "--evidence", f"--database={postgres_url}", env=env)
    assert (there.code, there.out) == (here.code, here.out)
    for name in ("results.csv", "gradebook.csv"):
        assert (command.folder / "out" / name).read_bytes() == (command.folder / "here" / name).read_bytes()
    records = [
        sorted(str(path.relative_to(command.folder / out)) for path in (command.folder / out).rglob("*evidence*"))
        for out in ("here", "out")
    ]
    assert records[0] == records[1]
    assert verdicts(command.folder / "out")["endless"] == "TLE"
    assert left(engine) == [0, 0, 0]


@pytest.mark.long
def test_a_killed_worker_costs_nothing(
    command: Command, engine: Engine, postgres_url: str, workers: Workers, env: dict[str, str]
) -> None:
    names = hand_in(command, 50)
    first = workers.start("--jobs=1")
    with begun(command, env, postgres_url, 3) as process:
        first.kill()
        workers.start("--jobs=1")
        ended = end_of(process)
    assert (ended.code, verdicts(command.folder / "out")) == (0, dict.fromkeys(names, "AC"))
    assert left(engine) == [0, 0, 0]


def test_who_waits_at_a_page_comes_first(
    command: Command, engine: Engine, postgres_url: str, packages: Packages, workers: Workers, env: dict[str, str]
) -> None:
    names = hand_in(command, 40)
    queue = Queue(engine, postgres_url, packages)
    workers.start("--jobs=1")
    with begun(command, env, postgres_url, 1) as process:
        key = queue.hand_in(WRONG)
        assert queue.is_judged(key, 60)
        assert len(lines(command.folder / "out")) < len(names)
        assert end_of(process).code == 0
    assert queue.verdict(key) is Verdict.WA


def test_ctrl_c_keeps_what_is_judged_and_says_how_to_go_on(
    command: Command, engine: Engine, postgres_url: str, workers: Workers, env: dict[str, str]
) -> None:
    names = hand_in(command, 30)
    workers.start("--jobs=1")
    secret = postgres_url.replace("grader@", "grader:password@")
    with begun(command, env, secret, 2) as process:
        os.killpg(process.pid, signal.SIGINT)
        ended = end_of(process)
    assert ended.code == 130
    assert ended.err.splitlines()[-1].endswith(" --resume (put what is secret in place of ***)")
    assert "password" not in ended.err
    assert 2 <= len(lines(command.folder / "out")) < len(names)
    assert left(engine) == [0, 0, 0]
    assert command.run(*BATCH, "--resume", f"--database={postgres_url}", env=env).code == 0
    assert verdicts(command.folder / "out") == dict.fromkeys(names, "AC")


@pytest.mark.long
def test_a_command_that_is_gone_leaves_nothing_behind(
    command: Command, engine: Engine, postgres_url: str, workers: Workers, env: dict[str, str]
) -> None:
    hand_in(command, 50)
    workers.start("--jobs=1")
    with begun(command, env, postgres_url, 1) as process:
        process.kill()
        process.wait()
    with write_session(engine) as session:
        session.execute(update(BatchRun).values(seen_at=datetime(2020, 1, 1, tzinfo=UTC)))
    assert wait_until(lambda: left(engine) == [0, 0, 0], 60), left(engine)


@pytest.mark.long
def test_a_command_that_was_taken_for_gone_begins_anew(
    command: Command, engine: Engine, postgres_url: str, workers: Workers, env: dict[str, str]
) -> None:
    names = hand_in(command, 40)
    workers.start("--jobs=1")
    with begun(command, env, postgres_url, 2) as process:
        with write_session(engine) as session:
            session.execute(text("DELETE FROM batch_source"))
            session.execute(text("DELETE FROM batch_run"))
        ended = end_of(process)
    assert (ended.code, verdicts(command.folder / "out")) == (0, dict.fromkeys(names, "AC"))


def test_without_a_worker_it_says_so_and_waits(
    command: Command, postgres_url: str, workers: Workers, env: dict[str, str]
) -> None:
    put(command.folder / "in", "ada", RIGHT, SLUG)
    process = command.start(*BATCH, f"--database={postgres_url}", env=env)
    say(process, "start one with: grader worker")
    workers.start("--jobs=1")
    assert end_of(process).code == 0
    assert verdicts(command.folder / "out") == {"ada": "AC"}


@pytest.mark.long
def test_workers_that_take_no_batches_are_told(
    command: Command, postgres_url: str, workers: Workers, env: dict[str, str]
) -> None:
    put(command.folder / "in", "ada", RIGHT, SLUG)
    workers.start("--jobs=1", "--queues=interactive").wait_until_alive()
    process = command.start(*BATCH, f"--database={postgres_url}", env=env)
    assert told(process) == (
        "grader: No worker takes batches: those there are leave them out, or have no time for them; "
        "start one with: grader worker --queues batch\n"
    )
    workers.start("--jobs=1", "--queues=batch")
    assert end_of(process).code == 0


@pytest.mark.long
def test_workers_that_are_busy_with_another_batch_are_told(
    command: Command, postgres_url: str, workers: Workers, env: dict[str, str]
) -> None:
    for number in range(40):
        put(command.folder / "in", f"c{number}", SOURCES["endless"] + f"# {number}\n".encode(), SLUG)
    put(command.folder / "second", "ada", RIGHT, SLUG)
    workers.start("--jobs=1")
    with begun(command, env, postgres_url, 1):
        process = command.start("batch", "second", "--out", "there", f"--database={postgres_url}", env=env)
        try:
            assert told(process) == "grader: The workers are busy with another batch; this one waits for its turn.\n"
        finally:
            process.kill()
            process.communicate()


@pytest.mark.long
def test_workers_of_another_release_are_told(
    command: Command, engine: Engine, postgres_url: str, workers: Workers, env: dict[str, str]
) -> None:
    with engine.begin() as connection:  # jobs become those of a newer release, which these workers leave
        connection.exec_driver_sql(
            "CREATE FUNCTION newer() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN NEW.args = jsonb_set(NEW.args, '{version}', '\"99.0\"'); RETURN NEW; END $$"
        )
        connection.exec_driver_sql(
            "CREATE TRIGGER newer BEFORE INSERT ON procrastinate_jobs FOR EACH ROW "
            "WHEN (NEW.task_name = 'grader.judge_chunk') EXECUTE FUNCTION newer()"
        )
    put(command.folder / "in", "ada", RIGHT, SLUG)
    workers.start("--jobs=1").wait_until_alive()
    process = command.start(*BATCH, f"--database={postgres_url}", env=env)
    try:
        assert told(process).startswith("grader: No worker takes batches of this release, ")
    finally:
        process.kill()
        process.communicate()


def test_ctrl_c_ends_it_while_the_database_is_away(
    command: Command, engine: Engine, postgres_url: str, env: dict[str, str]
) -> None:
    put(command.folder / "in", "ada", RIGHT, SLUG)
    link = command.folder / "sockets"
    link.symlink_to(postgres_url.partition("?host=")[2])
    url = f"{postgres_url.partition('?')[0]}?host={link}"
    process = command.start(*BATCH, f"--database={url}", env=env)
    assert wait_until(lambda: left(engine) == [1, 1, 1], 60), process.poll()
    link.unlink()
    with engine.connect() as connection:
        connection.execute(text("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"))
    say(process, "grader: The database does not answer; waiting for it.\n")
    process.send_signal(signal.SIGINT)
    ended = end_of(process)
    again = f"grader batch in --out out {shlex.quote(f'--database={shown_address(url)}')} --resume"
    assert (ended.code, ended.err.splitlines()[-1]) == (130, f"grader: Interrupted; go on with: {again}")


@pytest.mark.long
def test_ctrl_c_ends_it_when_its_last_worker_died_at_work(
    command: Command, engine: Engine, postgres_url: str, workers: Workers, env: dict[str, str]
) -> None:
    hand_in(command, 50)
    worker = workers.start("--jobs=1")
    with begun(command, env, postgres_url, 1) as process:
        worker.kill()
        process.send_signal(signal.SIGINT)
        ended = end_of(process)
    assert ended.code == 130
    assert left(engine)[:2] == [0, 0]  # the dead worker's job goes when the next worker comes


def test_a_database_that_takes_nothing_is_told(
    command: Command, engine: Engine, postgres_url: str, env: dict[str, str]
) -> None:
    put(command.folder / "in", "ada", RIGHT, SLUG)
    url = f"{postgres_url}&options=-c%20default_transaction_read_only%3Don"
    ended = command.run(*BATCH, f"--database={url}", env=env)
    assert (ended.code, "takes no batch from this user" in ended.line) == (2, True), ended.err
    assert not (command.folder / "out").exists()


def test_a_broken_package_is_told_as_this_machine_tells_it(
    command: Command, engine: Engine, postgres_url: str, problems: Path, env: dict[str, str]
) -> None:
    put(command.folder / "in", "ada", RIGHT, SLUG)
    (problems / SLUG / "problem.yaml").write_text("schema: 1\n")
    here = command.run("batch", "in", "--out", "here", env=env)
    there = command.run(*BATCH, f"--database={postgres_url}", env=env)
    assert (there.code, there.err) == (4, here.err.replace("in here", "in out"))
    assert f"{SLUG}/problem.yaml: " in there.err


def test_results_of_a_package_that_is_broken_meanwhile_stay(
    command: Command, engine: Engine, postgres_url: str, problems: Path, env: dict[str, str]
) -> None:
    put(command.folder / "in", "ada", RIGHT, SLUG)
    assert command.run(*BATCH, env=env).code == 0
    before = {path.name: path.read_bytes() for path in (command.folder / "out").iterdir()}
    with (problems / SLUG / "cases.py").open("a") as file:
        file.write("\n\nraise ValueError\n")
    ended = command.run(*BATCH, "--resume", f"--database={postgres_url}", env=env)
    assert (ended.code, ended.err.splitlines()) == (
        0,
        [
            f"grader: The package {SLUG} cannot be used now; its 1 result stays as it was "
            f"(grader check {SLUG} says why; mend it, then go on with --resume).",
            "1 result (1 of them from before): 1 AC; in out",
        ],
    )
    assert {path.name: path.read_bytes() for path in (command.folder / "out").iterdir()} == before


def test_where_no_sandbox_runs_workers_try_a_package_that_has_changed(
    command: Command, engine: Engine, postgres_url: str, problems: Path, workers: Workers, env: dict[str, str]
) -> None:
    pytest.importorskip("pyseccomp")
    put(command.folder / "in", "ada", RIGHT, SLUG)
    assert command.run(*BATCH, env=env).code == 0
    with (problems / SLUG / "statement.md").open("a") as file:
        file.write("\nOne more sentence.\n")
    workers.start("--jobs=1")
    places = ("batch", command.folder / "in", "--out", command.folder / "out")
    ended = run_without(
        *LANDLOCK[0], command.folder, *places, "--resume", f"--database={postgres_url}", "--format=csv,jsonl", env=env
    )
    assert (ended.returncode, ended.stderr.splitlines()[0]) == (
        0,
        f"grader: 1 result is put aside in {command.folder}/out/dropped.1.jsonl: of another source, package or grader "
        "than now, or of a file that is gone.",
    )
    (result,) = lines(command.folder / "out")
    assert (result["verdict"], result["package_sha256"]) == ("AC", read_folder(problems / SLUG).sha256)


def test_results_are_judged_again_by_workers(
    command: Command, engine: Engine, postgres_url: str, problems: Path, workers: Workers, env: dict[str, str]
) -> None:
    put(command.folder / "in", "ada", WRONG, SLUG)
    assert command.run(*BATCH, "--evidence", env=env).code == 0
    record = next((command.folder / "out/evidence").rglob("*.json"))
    before = record.read_bytes()
    with (problems / SLUG / "statement.md").open("a") as file:
        file.write("\nOne more sentence.\n")
    workers.start("--jobs=1")
    ended = command.run("rejudge", "out", "--apply", f"--database={postgres_url}", env=env)
    assert (ended.code, ended.err.splitlines()[-1]) == (
        0,
        "1 result taken over; the old ones are in out/results.1.jsonl",
    )
    assert record.read_bytes() != before
    assert left(engine) == [0, 0, 0]


def test_what_ends_its_workers_is_given_up(engine: Engine, packages: Packages) -> None:
    now = datetime.now(UTC)
    with write_session(engine) as session:
        package = packages.remember(session, packages.named(SLUG), now)
        run = BatchRun(created_at=now, seen_at=now, finding="full", has_evidence=False)
        session.add(run)
        session.flush()
        row = BatchSource(batch_run_id=run.id, ordinal=1, package_id=package.id, source=RIGHT)
        session.add(row)
    batch_judging.give_up(engine, row.id, now)
    with read_session(engine) as session:
        judged = session.scalars(select(BatchSource)).one()
        assert judged.trouble == "every process that judged it went away meanwhile"
        assert '"verdict": "JE"' in (judged.result or "")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--database=sqlite:///x.db"], "Workers need PostgreSQL; write --database postgresql://HOST/NAME."),
        (["--database=postgresql://x", "--jobs=2"], "With --database the workers say how many are judged at a time"),
        (["--database=nowhere"], "The database's address cannot be read"),
    ],
)
def test_a_database_without_workers_is_refused(command: Command, problems: Path, options: list[str], told: str) -> None:
    put(command.folder / "in", "ada", RIGHT, SLUG)
    ended = command.run(*BATCH, *options, env={"GRADER_PROBLEMS": str(problems)})
    assert (ended.code, told in ended.line) == (2, True), ended.err


def test_a_database_of_another_release_is_told_with_the_command_that_upgrades_it(
    command: Command, empty_url: str, env: dict[str, str]
) -> None:
    put(command.folder / "in", "ada", RIGHT, SLUG)
    ended = command.run(*BATCH, f"--database={empty_url}&password=secret", env=env)
    shown = f"{empty_url.replace('/tmp/', '%2Ftmp%2F')}&password=***"
    assert ended.code == 2
    assert ended.line.endswith(
        f"; run: GRADER_DATABASE_URL='{shown}' grader db upgrade (put what is secret in place of ***)"
    )
    assert not (command.folder / "out").exists()
