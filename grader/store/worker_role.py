"""What a worker's own role may do in the database: judge, and see no password, session, token or link."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sqlalchemy import Connection, text

from grader.errors import UserError
from grader.store.session import make_engine

READ: Final = "SELECT"
CHANGE: Final = "SELECT, INSERT, UPDATE, DELETE"
RIGHTS: Final[Mapping[str, str]] = {
    "alembic_version": READ,
    "package": READ,
    "interview": READ,
    "interview_problem": READ,
    "attempt": "SELECT, UPDATE",
    "submission": "SELECT, UPDATE",
    "sample_run": "SELECT, UPDATE",
    "evidence_record": "SELECT, UPDATE",
    "package_check": "SELECT, UPDATE",
    "rejudge": "SELECT, UPDATE",
    "rejudge_item": "SELECT, UPDATE",
    "batch_run": "SELECT, DELETE",
    "batch_source": "SELECT, UPDATE, DELETE",
    "rejudged_attempt": CHANGE,
    "group_result": CHANGE,
    "case_result": CHANGE,
    "submission_fault": CHANGE,
    "audit_entry": "INSERT, SELECT (id)",  # an insertion returns its key
    "procrastinate_jobs": CHANGE,
    "procrastinate_events": CHANGE,
    "procrastinate_workers": CHANGE,
    "procrastinate_periodic_defers": CHANGE,
}


def grant(url: str, role: str) -> None:
    """Give a role what a worker needs and take everything else away; to be repeated after each upgrade.

    Raises:
        UserError: the database is no PostgreSQL, or has no such role.
    """
    engine = make_engine(url)
    try:
        if engine.dialect.name != "postgresql":
            raise UserError("Only PostgreSQL has roles; set GRADER_DATABASE_URL to postgresql://HOST/NAME.")
        with engine.begin() as connection:
            if connection.execute(text("SELECT 1 FROM pg_roles WHERE rolname = :role"), {"role": role}).first() is None:
                raise UserError(f"There is no role {role!a}; make it first, with CREATE ROLE and LOGIN.")
            _grant(connection, engine.dialect.identifier_preparer.quote_identifier(role))
    finally:
        engine.dispose()


def _grant(connection: Connection, role: str) -> None:
    schema = connection.execute(text("SELECT quote_ident(current_schema())")).scalar_one()
    everything = f"IN SCHEMA {schema}"
    for statement in (
        f"REVOKE ALL ON ALL TABLES {everything} FROM {role}",
        f"GRANT USAGE ON SCHEMA {schema} TO {role}",
        f"GRANT USAGE ON ALL SEQUENCES {everything} TO {role}",
        *(f"GRANT {rights} ON {table} TO {role}" for table, rights in RIGHTS.items()),
    ):
        connection.exec_driver_sql(statement)
