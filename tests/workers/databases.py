"""Databases of one server, made in a moment as copies of one another."""

from __future__ import annotations

from sqlalchemy import text

from grader.store.session import make_engine


def address_of(server: str, name: str) -> str:
    """Return the address of a database beside the one that a server's address names."""
    before, _, folder = server.partition("?")
    return f"{before.rpartition('/')[0]}/{name}?{folder}"


def fresh(server: str, name: str, like: str = "template1") -> str:
    """Make a database anew as a copy of another; return its address."""
    engine = make_engine(server)
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)"))
        connection.execute(text(f"CREATE DATABASE {name} TEMPLATE {like}"))
    engine.dispose()
    return address_of(server, name)
