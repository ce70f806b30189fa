"""grader user."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

import click

from grader.cli.commands import Group
from grader.config import Settings, read_settings
from grader.wording import iso_time

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from grader.store.models import User

DEFAULT_PORT: Final = 8000  # of grader serve


@click.group("user", cls=Group)
def user_command() -> None:
    """Make and change the accounts of those who sign in."""


@user_command.command("add", short_help="Make an account and print the link that opens it.")
@click.argument("name")
@click.option("--interviewer", is_flag=True, help="May set interviews up and review them.")
@click.option("--admin", is_flag=True, help="May do everything.")
def add_command(name: str, interviewer: bool, admin: bool) -> None:
    """Make an account for NAME and print a link, by which its owner chooses the password once within 7 days."""
    with _database() as (settings, engine, now):
        from grader.services import accounts, links
        from grader.store.session import write_session

        with write_session(engine) as session:
            user = accounts.add(session, name, None, now, is_interviewer=interviewer, is_admin=admin)
            token = links.make(session, user, now, links.FIRST)
    _print_link(settings, token, f"Give this link to {user.name}; it works once, within 7 days.")


@user_command.command("list", short_help="List the accounts.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON array.")
def list_command(as_json: bool) -> None:
    """List the accounts and what they may do."""
    with _database() as (_, engine, _):
        from grader.store import account_queries as queries
        from grader.store.session import read_session

        with read_session(engine) as session:
            users = queries.users(session)
    if as_json:
        click.echo(json.dumps([_facts(user) for user in users], indent=2))
    elif users:
        _print(users)
    else:
        click.echo("There is no account yet; grader user add makes one, and so does signing up.", err=True)


@user_command.command("reset", short_help="Print a link for a forgotten password.")
@click.argument("name")
def reset_command(name: str) -> None:
    """Print a link by which NAME chooses a new password once within 24 hours; until then the old one works."""
    with _database() as (settings, engine, now):
        from grader.services import accounts, links
        from grader.store.session import write_session

        with write_session(engine) as session:
            user = accounts.named(session, name)
            token = links.make(session, user, now, links.RESET)
    _print_link(settings, token, f"Give this link to {user.name}; it works once, within 24 hours.")


@user_command.command("role", short_help="Give or take rights.")
@click.argument("name")
@click.option("--interviewer/--no-interviewer", default=None, help="May set interviews up and review them, or not.")
@click.option("--admin/--no-admin", default=None, help="May do everything, or not.")
def role_command(name: str, interviewer: bool | None, admin: bool | None) -> None:
    """Give NAME rights or take them, which signs NAME out everywhere; one admin stays."""
    if interviewer is None and admin is None:
        raise click.UsageError("Say which right to give or to take.")
    with _database() as (_, engine, now):
        from grader.services import accounts
        from grader.store.session import write_session

        with write_session(engine) as session:
            user = accounts.named(session, name)
            user = accounts.set_rights(session, user, now, is_interviewer=interviewer, is_admin=admin)
    click.echo(f"{user.name} is {_rights(user)} now, and signed out everywhere.", err=True)


@user_command.command("remove", short_help="Delete an account and all that is in it.")
@click.argument("name")
@click.option("--yes", is_flag=True, help="Do not ask.")
def remove_command(name: str, yes: bool) -> None:
    """Delete NAME with every attempt, source, verdict and answer, for good.

    What was handed in to interviews stays with them, without the account's name.
    """
    with _database() as (_, engine, now):
        from grader.services import accounts, departure
        from grader.store.session import read_session, write_session

        with read_session(engine) as session:
            user = accounts.named(session, name)
            left_behind = departure.left_behind(session, user, now)
        for sentence in left_behind:
            click.echo(sentence, err=True)
        if not yes and not sys.stdin.isatty():
            raise click.UsageError("This deletes for good and nobody can be asked; say --yes.")
        if not yes:
            click.confirm(f"Delete {user.name} and everything in the account for good?", abort=True, err=True)
        with write_session(engine) as session:
            is_gone = accounts.remove(session, user, now)
    stays = "" if is_gone else " Interviews or packages name the account; there it is a former user from now on."
    click.echo(f"{user.name} is deleted.{stays}", err=True)


@contextmanager
def _database() -> Iterator[tuple[Settings, Engine, datetime]]:
    """Give the settings, the database, which is made where there is none but not brought up to date, and the time."""
    from grader.cli.database import clear_errors
    from grader.store.migrate import current, require_newest, upgrade
    from grader.store.session import make_engine

    settings = read_settings()
    with clear_errors(settings.database_url):
        if current(settings.database_url) is None:
            upgrade(settings.database_url)
        require_newest(settings.database_url)
        engine = make_engine(settings.database_url)
        try:
            yield settings, engine, datetime.now(UTC)
        finally:
            engine.dispose()


def link_address(public_url: str | None, port: int, token: str) -> str:
    """Return the address under which a link's token is used."""
    return f"{(public_url or f'http://127.0.0.1:{port}').rstrip('/')}/links/{token}"


def _print_link(settings: Settings, token: str, sentence: str) -> None:
    click.echo(sentence, err=True)
    click.echo(link_address(settings.public_url, DEFAULT_PORT, token))
    if settings.public_url is None:
        click.echo(
            f"The link is for this machine and port {DEFAULT_PORT}, as grader serve has it by default; "
            "set GRADER_PUBLIC_URL to the address that people use.",
            err=True,
        )


def _rights(user: User) -> str:
    words = [word for word, given in {"admin": user.is_admin, "interviewer": user.is_interviewer}.items() if given]
    return " and ".join(words) or "neither admin nor interviewer"


def _facts(user: User) -> dict[str, object]:
    return {
        "name": user.name,
        "is_interviewer": user.is_interviewer,
        "is_admin": user.is_admin,
        "has_password": user.password_hash is not None,
        "created_at": iso_time(user.created_at),
    }


def _print(users: Sequence[User]) -> None:
    from rich.table import Table
    from rich.text import Text

    from grader.report.terminal import print_view

    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in ("name", "rights", "password", "since"):
        table.add_column(column)
    for user in users:
        rights = _rights(user) if user.is_admin or user.is_interviewer else "–"
        password = "set" if user.password_hash else "none yet"
        table.add_row(Text(user.name), rights, password, user.created_at.strftime("%Y-%m-%d"))
    print_view(table)
