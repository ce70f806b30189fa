"""Speaks with a grader elsewhere, by the interface for programs that it serves under /api/v1."""

from __future__ import annotations

import json
import os
import re
import socket
import stat
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from email.message import Message
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from typing import IO, Any, Final
from urllib.parse import quote, urlsplit

from grader.errors import JudgeError, NotFound, UserError
from grader.report.visible import visible

DEFAULT: Final = "http://127.0.0.1:8000"  # where grader serve listens
TIMEOUT_S: Final = 30.0
REPLY_MAX: Final = 16 << 20
PATIENCE_S: Final = 60.0  # how long a server may ask to come again later
TRIES: Final = 4  # of a request that the network lost
_TOKEN: Final = re.compile(r"[\w.~+/=-]{8,200}", re.ASCII)
_LOCAL: Final = frozenset({"localhost", "127.0.0.1", "::1"})


class Refused(UserError):
    """The server does not do what was asked; the sentence is its own."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.answered = status


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: the token would go wherever it leads."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Message, newurl: str
    ) -> None:
        return None


class Server:
    """A grader at an address, and the token that it is shown."""

    def __init__(self, address: str, token: str) -> None:
        """Take an address as people write it.

        Raises:
            UserError: it is none.
        """
        self.address = address.rstrip("/")
        try:
            parts = urlsplit(self.address)
            is_address = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        except ValueError:
            is_address = False
        if not is_address or parts.username or parts.query or parts.fragment:
            raise UserError(f"{address!a} is no address of a server; write http:// or https:// and a host name.")
        self.is_open = parts.scheme == "http" and parts.hostname not in _LOCAL
        self._token = token
        self._opener = urllib.request.build_opener(_NoRedirect)

    def get(self, *path: str, query: str = "") -> Any:
        """Return what is told at a path, whose parts are written as they are."""
        return self._call("GET", path, query, None, {})

    def post(self, *path: str, document: Mapping[str, object]) -> Any:
        """Send a JSON document."""
        return self._call("POST", path, "", json.dumps(document).encode(), {"Content-Type": "application/json"})

    def hand_in(self, *path: str, source: bytes, key: str) -> Any:
        """Send a source as it is; the key makes it safe to send it again when the network loses the answer."""
        headers = {"Content-Type": "application/octet-stream", "Idempotency-Key": key}
        return self._call("POST", path, "", source, headers)

    def _call(
        self, method: str, path: tuple[str, ...], query: str, body: bytes | None, headers: Mapping[str, str]
    ) -> Any:
        url = "/".join([f"{self.address}/api/v1", *(quote(part, safe="") for part in path)]) + query
        sent = {"Authorization": f"Bearer {self._token}", "Accept": "application/json", **headers}
        is_safe = method == "GET" or "Idempotency-Key" in headers  # to be sent twice
        deadline, lost = time.monotonic() + PATIENCE_S, 0
        while True:
            try:
                return self._once(urllib.request.Request(url, body, sent, method=method))  # noqa: S310 - checked above
            except _Later as later:
                if time.monotonic() + later.wait_s > deadline:
                    raise Refused(later.sentence, later.status) from None
                time.sleep(later.wait_s)
            except _Lost as error:
                lost += 1
                if not is_safe or lost >= TRIES:
                    raise UserError(
                        f"{self.address} does not answer ({error.why}); is it the right --server, and is it running?"
                    ) from None
                time.sleep(0.3 * lost)

    def _once(self, request: urllib.request.Request) -> Any:
        try:
            with self._opener.open(request, timeout=TIMEOUT_S) as reply:
                return self._read(reply)
        except urllib.error.HTTPError as error:
            with error:
                raise self._refusal(error) from None
        except urllib.error.URLError as error:
            raise _Lost(_why(error.reason)) from None
        except (OSError, HTTPException) as error:
            raise _Lost(_why(error)) from None

    def _read(self, reply: HTTPResponse) -> Any:
        data = reply.read(REPLY_MAX + 1)
        try:
            return json.loads(data[:REPLY_MAX])
        except (ValueError, RecursionError):
            raise self._foreign() from None

    def _refusal(self, error: urllib.error.HTTPError) -> Exception:
        """Return what an answer that is none means, in the server's own words."""
        if 300 <= error.code < 400:
            where = visible(error.headers.get("Location", "another address"), keep="")[:200]
            return UserError(f"{self.address} sends on to {where}; name that address with --server.")
        try:
            told = json.loads(error.read(REPLY_MAX))
            sentence = visible(str(told["detail"]), keep="")
        except (ValueError, KeyError, TypeError, RecursionError, OSError):
            return self._foreign()
        if error.code in (429, 503):
            after = error.headers.get("Retry-After", "")
            return _Later(sentence, error.code, min(float(after), PATIENCE_S) if after.isdigit() else 1.0)
        if error.code >= 500:
            return JudgeError(f"{self.address}: {sentence}")
        return NotFound(sentence) if error.code == 404 else Refused(sentence, error.code)

    def _foreign(self) -> UserError:
        return UserError(f"{self.address} does not answer as a grader does; name the address of one with --server.")


class _Later(Exception):
    """The server asks to come again."""

    def __init__(self, sentence: str, status: int, wait_s: float) -> None:
        super().__init__(sentence)
        self.sentence, self.status, self.wait_s = sentence, status, wait_s


class _Lost(Exception):
    """No answer came."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


def _why(error: object) -> str:
    if isinstance(error, (TimeoutError, socket.timeout)):
        return "it takes too long"
    return visible(str(getattr(error, "strerror", None) or error), keep="") or type(error).__name__


def read_token(file: Path | None, variable: str | None) -> str:
    """Return the token of a file that nobody else can read, otherwise of GRADER_TOKEN.

    Raises:
        UserError: there is none, others can read it, or it is none.
    """
    if file is None and not variable:
        raise UserError(
            "No token is given; make one on your account's page of the server and name its file with --token-file, "
            "or set GRADER_TOKEN."
        )
    token = (_own_file(file) if file else variable or "").strip()
    if not _TOKEN.fullmatch(token):
        raise UserError(f"What {file or 'GRADER_TOKEN'} holds is no token; it begins with grd_ and stands on one line.")
    return token


def _own_file(path: Path) -> str:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    except (OSError, ValueError) as error:
        raise UserError(f"{path} cannot be read ({getattr(error, 'strerror', None) or error}); name a file.") from None
    with open(descriptor, "rb") as file:
        facts = os.fstat(descriptor)
        if not stat.S_ISREG(facts.st_mode):
            raise UserError(f"{path} is no regular file; name the file that holds the token.")
        if facts.st_mode & 0o077:
            raise UserError(f"Others can read or write {path}; run: chmod 600 {path}")
        return file.read(4096).decode("utf-8", "replace")


def warn_if_open(server: Server) -> None:
    """Say when a token goes over the network for everybody to read."""
    if server.is_open:
        print(f"grader: {server.address} is not https, so others on the way can read the token.", file=sys.stderr)
