"""A PostgreSQL address as libpq reads it, for programs beside SQLAlchemy; the two quote an address differently."""

from __future__ import annotations

from sqlalchemy.engine import make_url


def conninfo_of(url: str, *, with_password: bool = True) -> str:
    """Return the connection string of a database's address.

    Args:
        url: the address, as settings have it.
        with_password: False where others could read it, as on a command line.
    """
    from psycopg.conninfo import make_conninfo  # of the extra that PostgreSQL needs

    parsed = make_url(url).set(drivername="postgresql+psycopg")
    _, options = parsed.get_dialect()().create_connect_args(parsed)  # as the sessions' connections have them
    if not with_password:
        options.pop("password", None)
    return make_conninfo(**options)
