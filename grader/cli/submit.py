"""grader submit, grader status, grader pull: attempts on a grader that runs elsewhere."""

from __future__ import annotations

import json
import os
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from grader.cli.client import DEFAULT, Server, read_token, warn_if_open
from grader.cli.outputs import write_new
from grader.cli.sources import read_source
from grader.config import read_settings
from grader.errors import JudgeError, UserError
from grader.grading.case_run import SOURCE_BYTES_MAX
from grader.report.visible import visible

WAIT_MAX_S: Final = 600.0
FIRST_LOOK_S: Final = 0.2
LOOK_S: Final = 2.0  # at most between two looks
Command = TypeVar("Command", bound=Callable[..., None])


def _asks_server(command: Command) -> Command:
    """Give a command the options that name a server and a token."""
    server = click.option(
        "--server",
        metavar="URL",
        help="Address of the grader; GRADER_PUBLIC_URL without it, otherwise this machine's.",
    )
    token = click.option(
        "--token-file",
        type=click.Path(path_type=Path),
        metavar="F",
        help="File with the token, which nobody else can read; GRADER_TOKEN without it.",
    )
    return server(token(command))


@click.command("submit", short_help="Hand a file in on a server and wait for its verdict.")
@click.argument("problem")
@click.argument("file")
@click.option("--variant", metavar="NAME", help="Begin on this variant; without it the running attempt goes on.")
@click.option("--attempt", metavar="ID", help="To this attempt; an interview's PROBLEM is its place there, such as 1.")
@click.option("--wait/--no-wait", default=True, help="Wait for the verdict, or not.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object, as the server tells it.")
@_asks_server
@click.pass_context
def submit_command(
    context: click.Context,
    problem: str,
    file: str,
    variant: str | None,
    attempt: str | None,
    wait: bool,
    as_json: bool,
    server: str | None,
    token_file: Path | None,
) -> None:
    """Hand FILE ('-' reads standard input) in as a repair of PROBLEM; exit 0 for AC, 1 for any other verdict."""
    if variant is not None and attempt is not None:
        raise click.UsageError("An attempt has its variant already; name one of the two.")
    source = read_source(file, bytes_max=SOURCE_BYTES_MAX)
    there = _server(server, token_file)
    if attempt is None:
        attempt = _running(there, problem) if variant is None else None
        attempt = attempt or _started(there, problem, variant)["id"]
    elif (named := there.get("attempts", attempt)["problem"]) != problem:
        raise UserError(f"The attempt {attempt} is on {visible(str(named), keep='')}, not on {problem}; name that.")
    made = there.hand_in("attempts", attempt, "submissions", source=source, key=uuid.uuid4().hex)
    number = made["number"]
    if not wait:
        click.echo(json.dumps(made, indent=2) if as_json else f"{attempt}/{number}")
        return
    click.echo(f"Handed in as submission {number} of attempt {attempt}; waiting for the verdict.", err=True)
    result = _judged(there, attempt, number)
    _show(result, f"{problem} · {file}", as_json)
    context.exit(_exit_code(result["verdict"]))


@click.command("status", short_help="Show attempts and verdicts on a server.")
@click.argument("id", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object, as the server tells it.")
@_asks_server
def status_command(id: str | None, as_json: bool, server: str | None, token_file: Path | None) -> None:
    """List your newest attempts; with ID one attempt and its submissions, with ID/NUMBER one submission."""
    there = _server(server, token_file)
    attempt, _, number = (id or "").partition("/")
    if number:
        _show(there.get("attempts", attempt, "submissions", number), f"{attempt} · submission {number}", as_json)
        return
    found = there.get("attempts", attempt) if attempt else there.get("attempts")
    if as_json:
        click.echo(json.dumps(found, indent=2))
    elif attempt:
        _print_attempt(found)
    else:
        _print_attempts(found["attempts"])


@click.command("pull", short_help="Fetch an attempt's starter or statement from a server.")
@click.argument("problem")
@click.option("--variant", metavar="NAME", help="Begin on this variant; without it the running attempt goes on.")
@click.option("--attempt", metavar="ID", help="This attempt's, such as an interview's.")
@click.option("--statement", is_flag=True, help="The statement instead of the starter.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write it to a file, never over one.")
@_asks_server
def pull_command(
    problem: str,
    variant: str | None,
    attempt: str | None,
    statement: bool,
    output: Path | None,
    server: str | None,
    token_file: Path | None,
) -> None:
    """Begin an attempt on PROBLEM, or go on with the running one, and print its buggy starter."""
    there = _server(server, token_file)
    if attempt is None and variant is None:
        attempt = _running(there, problem)
    found = _started(there, problem, variant) if attempt is None else there.get("attempts", attempt)
    text = found["statement"] if statement else found["starter"]
    if text is None:
        raise UserError("Your time is over, and the problem stays closed until nobody else can start this interview.")
    if output is None:
        click.echo(visible(text), nl=False)
        return
    write_new(output, text)
    place = f" --attempt {attempt}" if found["mode"] == "interview" else ""
    click.echo(f"Wrote {output}; repair it, then: grader submit {problem} {output}{place}", err=True)


def _server(address: str | None, token_file: Path | None) -> Server:
    token = read_token(token_file, os.environ.get("GRADER_TOKEN"))
    server = Server(address or read_settings().public_url or DEFAULT, token)
    warn_if_open(server)
    return server


def _running(server: Server, problem: str) -> str | None:
    """Return the newest attempt in practice on a problem that is neither solved nor given up."""
    attempts = server.get("problems", problem)["attempts"]
    running = (each["id"] for each in attempts if each["status"] == "in progress" and each["mode"] == "practice")
    return next(running, None)


def _started(server: Server, problem: str, variant: str | None) -> Any:
    document = {} if variant is None else {"variant": variant}
    return server.post("problems", problem, "attempts", document=document)


def _judged(server: Server, attempt: str, number: int) -> Any:
    """Wait until a submission is judged; look often at first, for most are judged at once."""
    pause, deadline = FIRST_LOOK_S, time.monotonic() + WAIT_MAX_S
    while True:
        time.sleep(pause)
        result = server.get("attempts", attempt, "submissions", str(number))
        if result["is_judged"] or not result["is_told"]:
            return result
        if time.monotonic() > deadline:
            raise JudgeError(f"It is still not judged; look again with: grader status {attempt}/{number}")
        pause = min(LOOK_S, pause * 1.5)


def _exit_code(verdict: str | None) -> int:
    return {"AC": 0, "JE": 4, None: 0}.get(verdict, 1)


def _show(result: Any, title: str, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(result, indent=2))
        return
    from grader.report.terminal import print_view, result_view

    print_view(result_view(result, title))


def _print_attempts(attempts: list[Any]) -> None:
    from rich.table import Table

    from grader.report.terminal import print_view

    if not attempts:
        click.echo("There is no attempt yet; grader pull PROBLEM begins one.", err=True)
        return
    table = Table(box=None, pad_edge=False, header_style="dim")
    columns = ["attempt", "problem", "interview", "variant", "status", "points", "started"]
    if not any(each["interview"] for each in attempts):
        columns.remove("interview")
    for column in columns:
        table.add_column(column, justify="right" if column == "points" else "left")
    for each in attempts:
        told = {**each, "interview": _interview(each)}
        points = "–" if each["points"] is None else f"{each['points']:g}"
        words = [str(told["id" if name == "attempt" else name] or "–") for name in columns[:-2]]
        table.add_row(*(visible(word, keep="") for word in words), points, _time(each["started_at"]))
    print_view(table)


def _print_attempt(found: Any) -> None:
    from rich.table import Table

    from grader.report.terminal import print_view

    told = (_interview(found), *(found[name] for name in ("title", "variant", "status")))
    title = " · ".join(visible(str(word), keep="") for word in told if word is not None)
    click.echo(f"{title}\n")
    if not found["submissions"]:
        place = f" --attempt {visible(str(found['id']), keep='')}" if found["mode"] == "interview" else ""
        problem = visible(str(found["problem"]), keep="")
        click.echo(f"Nothing is handed in yet; grader submit {problem} FILE{place} does that.")
        return
    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in ("submission", "verdict", "points", "handed in"):
        table.add_column(column, justify="right" if column in ("submission", "points") else "left")
    for each in found["submissions"]:
        points = "–" if each["score"] is None else f"{each['score']:g}"
        verdict = "–" if each["verdict"] is None else visible(str(each["verdict"]), keep="")
        table.add_row(str(int(each["number"])), verdict, points, _time(each["created_at"]))
    print_view(table)


def _interview(attempt: Any) -> str | None:
    """Return the title of the interview that an attempt is part of."""
    return None if attempt["interview"] is None else str(attempt["interview"]["title"])


def _time(text: object) -> str:
    return visible(str(text)[:16].replace("T", " "), keep="") + " UTC"
