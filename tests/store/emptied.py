"""An upgraded PostgreSQL database as it was before anything was stored in it.

A copy of a database is several megabytes of catalogues that are written anew; this takes a twentieth of the time, on a
connection that stays: a new one reads the catalogues anew.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from sqlalchemy import make_url, text

from tests.store.engines import made_once
from tests.workers.databases import fresh

# whoever still holds something is sent away first: what a test left open would hold its rows
_EMPTY: Final = """
DO $$ DECLARE name text; BEGIN
  PERFORM pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND pid IN (SELECT pid FROM pg_locks);
  PERFORM set_config('session_replication_role', 'replica', true);  -- no trigger refuses, no reference holds
  FOR name IN SELECT quote_ident(tablename) FROM pg_tables
    WHERE schemaname = 'public' AND tablename <> 'alembic_version'
  LOOP EXECUTE 'DELETE FROM ' || name; END LOOP;
  PERFORM setval(seqrelid, seqstart, false) FROM pg_sequence;
END $$
"""


@cache
def to_be_emptied(server: str, upgraded: str) -> str:
    """Make a copy of an upgraded database, once; return its address. The other one stays as new, to be copied again."""
    return fresh(server, "emptied", like=make_url(upgraded).database or "")


def empty(url: str) -> None:
    """Take every row out of an upgraded database, and let its keys begin anew."""
    with made_once(url).begin() as connection:
        connection.execute(text(_EMPTY))
