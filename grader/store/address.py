"""Addresses of databases: how they are read, checked, and shown without what nobody else should know."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from grader.errors import UserError

HIDDEN: Final = "***"
_TIMEOUT: Final = "PGCONNECT_TIMEOUT"  # libpq's own
# options whose values anybody may see; of all others, of which libpq gets new ones, only the names are shown
_SHOWN_OPTIONS: Final = frozenset(
    {
        "application_name",
        "channel_binding",
        "client_encoding",
        "connect_timeout",
        "dbname",
        "host",
        "hostaddr",
        "keepalives",
        "load_balance_hosts",
        "options",
        "port",
        "require_auth",
        "sslmode",
        "sslnegotiation",
        "sslrootcert",
        "target_session_attrs",
        "tcp_user_timeout",
        "timeout",
        "user",
    }
)
# a server that is gone, or a network that swallows what it is sent, is noticed within half a minute, not two hours
_NOTICING: Final[Mapping[str, str]] = {
    "connect_timeout": "10",
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "4",
    "tcp_user_timeout": "30000",
}
_SQLITE_OPTIONS: Final = frozenset({"cached_statements", "check_same_thread", "detect_types", "timeout"})
_UNREADABLE: Final = "The database's address cannot be read; write sqlite:///FILE or postgresql://HOST/NAME."


def read_address(url: str) -> URL:
    """Return a database's address in its parts.

    Raises:
        UserError: it cannot be read, or names no database that the service works with.
    """
    try:
        address = make_url(url)
    except ArgumentError:
        raise UserError(_UNREADABLE) from None
    except ValueError:
        raise UserError(
            "The port in the database's address is no number; write postgresql://HOST:PORT/NAME, "
            "an IPv6 address in [brackets]."
        ) from None
    if any("\0" in part for part in (address.username, address.database, address.host, address.password) if part):
        raise UserError(_UNREADABLE)
    if address.get_backend_name() == "sqlite":
        return _sqlite(address)
    if address.drivername in ("postgres", "postgresql"):
        address = address.set(drivername="postgresql+psycopg")
    if address.drivername != "postgresql+psycopg":
        raise UserError(
            f"The database {address.drivername!a} is not supported; use sqlite:///FILE or postgresql://HOST/NAME."
        )
    if "@" in f"{address.host}" or ("@" in f"{address.database}" and "%40" not in url):
        # what is left of a password would be taken for a host or a name, and told
        raise UserError(
            "The database's address has more than one @; write those in a name or password as %40, a / as %2F."
        )
    _check_options(address)
    return address


def shown_address(url: str) -> str:
    """Return an address as a terminal or a log may show it: neither a password nor what else could be secret.

    Raises:
        UserError: it cannot be read.
    """
    address = read_address(url)
    query = {name: value if name in _SHOWN_OPTIONS else HIDDEN for name, value in address.query.items()}
    text = address.set(drivername=address.drivername.partition("+")[0], query=query)
    return text.render_as_string(hide_password=True).replace("=%2A%2A%2A", f"={HIDDEN}")


def to_be_completed(url: str) -> str:
    """Return what is said behind a command that shows an address, where the command does not work as it stands.

    Raises:
        UserError: it cannot be read.
    """
    return f" (put what is secret in place of {HIDDEN})" if HIDDEN in shown_address(url) else ""


def noticing(address: URL) -> URL:
    """Return a server's address whose connections notice it when nothing answers; what is set already stands."""
    new = {name: value for name, value in _NOTICING.items() if name != "connect_timeout" or _TIMEOUT not in os.environ}
    return address.set(query={**new, **address.query})


def connect_options(address: URL) -> dict[str, str]:
    """Return what libpq is given for an address, by its own names, as the sessions' connections have it."""
    _, options = address.get_dialect()().create_connect_args(address)
    return {name: str(_last(value)) for name, value in options.items()}


def public_options(options: Mapping[str, str]) -> dict[str, str]:
    """Return those of libpq's options that others may see, as on a command line."""
    return {name: value for name, value in options.items() if name in _SHOWN_OPTIONS}


def _last(value: object) -> object:
    return value[-1] if isinstance(value, tuple | list) else value


def _sqlite(address: URL) -> URL:
    unknown = sorted(address.query.keys() - _SQLITE_OPTIONS)
    if unknown:
        raise UserError(f"The address of a SQLite database has no option {unknown[0]!a}; leave it out.")
    try:
        address.get_dialect()().create_connect_args(address)
    except ValueError:
        raise UserError("An option in the database's address has no usable value; mend it, or leave it out.") from None
    return address


def _check_options(address: URL) -> None:
    """Have libpq's own reader look at the options, where it is installed; otherwise nothing connects anyway."""
    try:
        from psycopg import ProgrammingError
        from psycopg.conninfo import make_conninfo
    except ModuleNotFoundError:
        return
    try:
        options = connect_options(address)
        for name in options:
            make_conninfo(**{name: ""})
        int(options.get("connect_timeout") or 0)
    except ProgrammingError:
        raise UserError(
            f"The database's address has an option {name!a}, which PostgreSQL does not know; mend it, or leave it out."
        ) from None
    except (ArgumentError, ValueError):
        raise UserError(
            "An option in the database's address has no usable value (ports and times are whole numbers); mend it."
        ) from None
