"""grader db."""

from __future__ import annotations

from pathlib import Path

import click

from grader.cli.commands import Group
from grader.config import read_settings


@click.group("db", cls=Group, short_help="Upgrade the database, copy it, put a copy back.")
def db_command() -> None:
    """Move the database between versions of its schema, copy it and put a copy back."""


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


@db_command.command("backup", short_help="Copy the database to a file.")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help="Replace FILE when it exists.")
def backup_command(file: Path, force: bool) -> None:
    """Copy the database to FILE as it is at this moment, also while the server runs."""
    from grader.cli.database import clear_errors
    from grader.store import backup

    url = read_settings().database_url
    with clear_errors(url):
        backup.backup(url, file, force=force)
    click.echo(f"The database is copied to {file}; it holds what people wrote, so keep it private.", err=True)


@db_command.command("restore", short_help="Put a copy in the database's place.")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
def restore_command(file: Path) -> None:
    """Put a copy that `backup` made in the database's place, while no server runs; everybody signs in anew,
    and programs need new tokens.
    """
    from grader.cli.database import clear_errors
    from grader.store import backup

    url = read_settings().database_url
    with clear_errors(url):
        kept = backup.restore(url, file)
    before = f" The one that was there is {kept}." if kept else ""
    click.echo(
        f"The database is the one of {file} now; everybody signs in anew, and programs need new tokens.{before}",
        err=True,
    )


@db_command.command("worker-role", short_help="Give a role of PostgreSQL a worker's rights.")
@click.argument("name")
def worker_role_command(name: str) -> None:
    """Give the role NAME of PostgreSQL what `grader worker` needs and nothing else; again after each upgrade."""
    from grader.cli.database import clear_errors
    from grader.store import worker_role

    url = read_settings().database_url
    with clear_errors(url):
        worker_role.grant(url, name)
    click.echo(f"The role {name} has a worker's rights, and no others.", err=True)
