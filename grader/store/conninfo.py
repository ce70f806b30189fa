"""A PostgreSQL address as libpq reads it, for programs beside SQLAlchemy; the two quote an address differently."""

from __future__ import annotations

from grader.store.address import connect_options, noticing, public_options, read_address


def conninfo_of(url: str) -> str:
    """Return the connection string of a database's address, with its password.

    Raises:
        UserError: the address cannot be read.
    """
    from psycopg.conninfo import make_conninfo  # of the extra that PostgreSQL needs

    return make_conninfo(**connect_options(noticing(read_address(url))))


def public_conninfo(url: str) -> tuple[str, dict[str, str]]:
    """Return a connection string that others may see, as on a command line, and the variables that complete it.

    Raises:
        UserError: the address cannot be read.
    """
    from psycopg.conninfo import conninfo_to_dict, make_conninfo
    from psycopg.pq import Conninfo

    options = conninfo_to_dict(conninfo_of(url))
    public = public_options({name: str(value) for name, value in options.items()})
    variables = {
        known.envvar.decode(): str(options[name])
        for known in Conninfo.get_defaults()
        if known.envvar and (name := known.keyword.decode()) in options and name not in public
    }
    return make_conninfo(**public), variables
