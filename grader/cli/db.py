"""grader db."""

from __future__ import annotations

import click

from grader.cli.commands import Group
from grader.config import read_settings


@click.group("db", cls=Group)
def db_command() -> None:
    """Move the database between versions of its schema."""


@db_command.command("upgrade", short_help="Bring the schema up to date.")
@click.argument("revision", default="head")
def upgrade_command(revision: str) -> None:
    """Bring the schema to REVISION, the newest without it; makes the database when there is none."""
    from grader.cli.database import clear_errors
    from grader.store import migrate

    url = read_settings().database_url
    with clear_errors(url):
        migrate.upgrade(url, revision)
        click.echo(f"The database is at {migrate.current(url)}.", err=True)


@db_command.command("downgrade", short_help="Bring the schema back to a revision.")
@click.argument("revision")
def downgrade_command(revision: str) -> None:
    """Bring the schema back to REVISION; what only newer schemas hold is lost ("base" empties the database)."""
    from grader.cli.database import clear_errors
    from grader.store import migrate

    url = read_settings().database_url
    with clear_errors(url):
        migrate.downgrade(url, revision)
        click.echo(f"The database is at {migrate.current(url) or 'no revision'}.", err=True)


@db_command.command("current")
def current_command() -> None:
    """Print the schema's revision."""
    from grader.cli.database import clear_errors
    from grader.store import migrate

    url = read_settings().database_url
    with clear_errors(url):
        click.echo(migrate.current(url) or "none")
