"""grader pull, submit and status against a running server, and what they say where there is none."""

from __future__ import annotations

import json
import re
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Final

import pytest
from sqlalchemy import select

from grader.services import accounts, interviews, taking, tokens
from grader.services.interview_settings import Chosen, Settings
from grader.services.packages import Packages
from grader.store.models import Attempt
from grader.store.session import make_engine, write_session
from tests.cli.running import PROBLEMS, REFERENCE, SLUG, WRONG, Command
from tests.services.interviewing import make_interviewer, make_invitations
from tests.web.serving import serving

GOOD: Final = "grd_" + "x" * 43
ID: Final = "[a-z2-7]{12}"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """The address of a running service, and a token of somebody's there."""
    folder = tmp_path_factory.mktemp("service")
    with serving(folder) as address:
        engine = make_engine(f"sqlite:///{folder / 'data' / 'grader.sqlite3'}")
        now = datetime.now(UTC)
        with write_session(engine) as session:
            _, token = tokens.make(session, accounts.add(session, "Ada", None, now), "cli", ["practice"], 1, now)
        engine.dispose()
        yield address, token


@pytest.fixture
def interview(server: tuple[str, str], tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """A token of somebody who has begun an interview on that service, and their attempt there."""
    data = tmp_path_factory.getbasetemp() / "service0" / "data"
    engine, now, packages = make_engine(f"sqlite:///{data / 'grader.sqlite3'}"), datetime.now(UTC), Packages(PROBLEMS)
    lead = make_interviewer(engine, "Lea")
    settings = Settings("Spring round", (Chosen(packages.named(SLUG).sha256),))
    with write_session(engine) as session:
        made = interviews.create(session, lead, settings, packages, now)
    (link,) = make_invitations(engine, lead, made, "Bo B.")
    with write_session(engine) as session:
        bo = accounts.add(session, "Bo", None, now)
        _, token = tokens.make(session, bo, "cli", ["practice"], 1, now)
        taken = taking.accept(session, bo, link.token, now)
        taking.start(session, bo, taken.public_id, packages, now)
        attempt = session.scalars(select(Attempt.public_id).filter_by(candidate_id=bo.id)).one()
    engine.dispose()
    return token, attempt


def there(command: Command, server: tuple[str, str]) -> tuple[str, ...]:
    """Return the options that name the server and a file with the token."""
    file = command.folder / "token"
    file.touch(0o600)
    file.write_text(server[1] + "\n")
    return "--server", server[0], "--token-file", str(file)


@contextmanager
def answering(status: int, body: bytes, headers: dict[str, str] | None = None) -> Iterator[tuple[str, list[str]]]:
    """Run a server that answers everything alike; give its address, and the requests that came."""
    came: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            came.append(f"{self.command} {self.path} {self.headers['Authorization']}")
            self.send_response(status)
            for name, value in {"Content-Length": str(len(body)), **(headers or {})}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as httpd:
        thread = threading.Thread(target=httpd.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{httpd.server_port}", came
        httpd.shutdown()
        thread.join()


@pytest.mark.sandbox
def test_from_the_starter_to_an_accepted_repair(command: Command, server: tuple[str, str]) -> None:
    options = there(command, server)
    pulled = command.run("pull", SLUG, "-o", "mine.py", *options)
    assert (pulled.code, pulled.out) == (0, "")
    assert pulled.line == f"Wrote mine.py; repair it, then: grader submit {SLUG} mine.py"
    starter = (PROBLEMS / SLUG / "starters/interview.py").read_text()
    assert (command.folder / "mine.py").read_text() == starter
    again = command.run("pull", SLUG, "-o", "mine.py", *options)
    assert (again.code, again.line) == (2, "grader: mine.py is there already; name another file, or remove it first.")

    wrong = command.run("submit", SLUG, WRONG, *options)
    assert wrong.code == 1
    assert "✗ Wrong answer" in wrong.out
    assert re.fullmatch(rf"Handed in as submission 1 of attempt {ID}; waiting for the verdict\.", wrong.line)
    attempt = wrong.line.split()[7].rstrip(";")

    right = command.run("submit", SLUG, "-", "--json", *options, stdin=REFERENCE.read_bytes())
    result = json.loads(right.out)
    assert right.code == 0
    assert (result["attempt"], result["number"], result["verdict"], result["score"]) == (attempt, 2, "AC", 100)

    shown = command.run("status", attempt, *options)
    assert re.findall(r"^ +(\d) +(\w\w) ", shown.out, re.MULTILINE) == [("2", "AC"), ("1", "WA")]
    assert "✓ Accepted" in command.run("status", f"{attempt}/2", *options).out
    assert re.search(rf"^{attempt}  {SLUG} +interview +solved +100 ", command.run("status", *options).out, re.MULTILINE)


@pytest.mark.sandbox
def test_without_waiting_the_submission_is_named(command: Command, server: tuple[str, str]) -> None:
    told = command.run("submit", SLUG, REFERENCE, "--no-wait", *there(command, server))
    assert (told.code, told.err) == (0, "")
    assert re.fullmatch(rf"{ID}/\d+\n", told.out)


@pytest.mark.sandbox
def test_the_token_may_stand_in_a_variable(command: Command, server: tuple[str, str]) -> None:
    environment = {"GRADER_TOKEN": server[1], "GRADER_PUBLIC_URL": server[0]}
    told = command.run("pull", SLUG, "--statement", env=environment)
    assert (told.code, told.err) == (0, "")
    assert told.out.strip() == (PROBLEMS / SLUG / "statement.md").read_text().strip()


def test_an_address_in_a_variable_is_read_as_every_command_reads_it(command: Command) -> None:
    told = command.run("pull", SLUG, env={"GRADER_TOKEN": GOOD, "GRADER_PUBLIC_URL": "grader.example"})
    assert (told.code, told.out) == (2, "")
    assert told.line.startswith("grader: GRADER_PUBLIC_URL is 'grader.example'; write http:// or https://")


@pytest.mark.sandbox
def test_an_interviews_problem_is_named_by_its_place(
    command: Command, server: tuple[str, str], interview: tuple[str, str]
) -> None:
    token, attempt = interview
    options = there(command, (server[0], token))
    listed = command.run("status", *options)
    assert (listed.code, f"{attempt}  1        Spring round " in listed.out, SLUG in listed.out) == (0, True, False)
    assert command.run("status", attempt, *options).out.startswith("Spring round · ")
    told = command.run("submit", SLUG, str(REFERENCE), "--attempt", attempt, *options)
    assert (told.code, told.line) == (2, f"grader: The attempt {attempt} is on 1, not on {SLUG}; name that.")
    pulled = command.run("pull", "1", "--attempt", attempt, "-o", str(command.folder / "mine.py"), *options)
    assert pulled.line.endswith(f"grader submit 1 {command.folder / 'mine.py'} --attempt {attempt}")
    assert command.run("submit", "1", str(REFERENCE), "--attempt", attempt, *options).code == 0


@pytest.mark.sandbox
def test_a_source_that_is_too_large_is_not_sent(command: Command, server: tuple[str, str], tmp_path: Path) -> None:
    large = tmp_path / "large.py"
    large.write_bytes(b"#" * ((1 << 20) + 1))
    told = command.run("submit", SLUG, str(large), *there(command, server))
    assert (told.code, told.out) == (2, "")
    assert told.line == f"grader: {large} is larger than 1 MiB; name the repaired file."


@pytest.mark.sandbox
@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (("pull", "nothing"), "There is no such problem; the problem list shows all there are."),
        (("pull", SLUG, "--variant", "nothing"), "has no such variant"),
        (("pull", "../../me"), "The address may be mistyped"),
        (("status", "aaaaaaaaaaaa"), "There is no such attempt, or it is not yours"),
        (("status", "aaaaaaaaaaaa/1"), "There is no such submission, or it is not yours"),
        (("submit", SLUG, "nothing.py"), "nothing.py cannot be read"),
        (("submit", SLUG, str(WRONG), "--variant", "a", "--attempt", "b"), "name one of the two"),
    ],
)
def test_what_cannot_be_is_one_line(
    command: Command, server: tuple[str, str], args: tuple[str, ...], sentence: str
) -> None:
    told = command.run(*args, *there(command, server))
    assert (told.code, told.out) == (2, "")
    assert sentence in told.line


@pytest.mark.parametrize(
    ("token", "mode", "sentence"),
    [
        (None, 0o600, "token cannot be read (No such file or directory)"),
        (GOOD, 0o644, "Others can read or write token; run: chmod 600 token"),
        (GOOD, 0o602, "Others can read or write token"),
        ("", 0o600, "What token holds is no token"),
        ("two words of it", 0o600, "What token holds is no token"),
        (f"{GOOD}\nX-Evil: 1", 0o600, "What token holds is no token"),
    ],
)
def test_a_token_is_read_from_an_own_file_alone(command: Command, token: str | None, mode: int, sentence: str) -> None:
    if token is not None:
        (command.folder / "token").write_text(token)
        (command.folder / "token").chmod(mode)
        assert stat.S_IMODE((command.folder / "token").stat().st_mode) == mode
    told = command.run("status", "--token-file", "token")
    assert told.code == 2
    assert sentence in told.line


def test_without_a_token_it_is_told_where_one_comes_from(command: Command) -> None:
    told = command.run("status")
    assert told.code == 2
    assert "make one on your account's page" in told.line


@pytest.mark.parametrize("address", ["ftp://x", "localhost:8000", "http://", "http://a:x", "http://u:p@host", "x" * 9])
def test_an_address_that_is_none(command: Command, address: str) -> None:
    told = command.run("status", "--server", address, env={"GRADER_TOKEN": GOOD})
    assert told.code == 2
    assert "is no address of a server" in told.line


def test_a_server_that_is_not_there(command: Command) -> None:
    told = command.run("status", "--server", "http://127.0.0.1:1", env={"GRADER_TOKEN": GOOD})
    assert told.code == 2
    assert told.line.startswith("grader: http://127.0.0.1:1 does not answer (Connection refused)")


def test_a_token_follows_no_redirect(command: Command) -> None:
    with answering(200, b"{}") as (other, came_there), answering(302, b"", {"Location": other}) as (address, came):
        told = command.run("status", "--server", address, env={"GRADER_TOKEN": GOOD})
    assert told.code == 2
    assert told.line == f"grader: {address} sends on to {other}; name that address with --server."
    assert came == [f"GET /api/v1/attempts Bearer {GOOD}"]
    assert came_there == []


@pytest.mark.parametrize("body", [b"", b"<html>", b"[" * 100_000, b"\xff"])
def test_a_server_that_is_no_grader(command: Command, body: bytes) -> None:
    for status in (200, 500, 404):
        with answering(status, body) as (address, _):
            told = command.run("status", "--server", address, env={"GRADER_TOKEN": GOOD})
        assert told.code == 2
        assert told.line.startswith(f"grader: {address} does not answer as a grader does")


@pytest.mark.parametrize(("status", "code"), [(400, 2), (401, 2), (409, 2), (500, 4)])
def test_a_refusal_is_told_in_the_servers_words_made_visible(command: Command, status: int, code: int) -> None:
    with answering(status, json.dumps({"detail": "No.\u202e\x1b[31m"}).encode()) as (address, _):
        told = command.run("status", "--server", address, env={"GRADER_TOKEN": GOOD})
    assert told.code == code
    assert "\u202e" not in told.line
    assert "No." in told.line
