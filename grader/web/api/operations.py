"""What the interface for programs is made of: operations, whose types say what they take, and who may call them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from functools import wraps
from typing import Any, Final, Literal, TypeVar, get_type_hints

from flask import Blueprint, Response, g, request
from pydantic import BaseModel, ConfigDict, ValidationError

from grader.errors import UserError
from grader.report.visible import visible
from grader.services import sign_in, tokens
from grader.services.tokens import Caller, Scope, TokenRefused
from grader.web.kept_text import SOURCE_FIELD, UnusableCharacter, is_kept
from grader.web.service import received_at, service

JSON: Final = "application/json"
RAW: Final = ("application/octet-stream", "text/x-python")  # kinds of a source that comes as it is
Method = Literal["GET", "POST"]
View = Callable[..., "BaseModel | bytes | Response"]
Model = TypeVar("Model", bound=BaseModel)
FINDINGS_TOLD: Final = 5
NAME_SHOWN: Final = 80  # characters of a field that nobody knows


class Input(BaseModel):
    """What a program sends: fields that are not named here are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Reply(BaseModel):
    """What a program is told: fields that are not named here are not sent."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class SourceBody(Input):
    """A source as text; other bytes are sent as application/octet-stream or text/x-python."""

    source: str


class InvalidInput(UserError):
    """A body or a query has other fields than the operation takes, or other values."""

    status = 422


class UnreadableBody(UserError):
    """A body is no JSON."""


class WrongKind(UserError):
    """A body is of a kind that the operation does not take."""

    status = 415


@dataclass(frozen=True)
class Call:
    """One call: who asks, when the whole request was there, and the bytes that came."""

    caller: Caller
    received_at: datetime
    data: bytes


@dataclass(frozen=True)
class Operation:
    """One thing that a program can ask for."""

    name: str
    method: Method
    rule: str  # as Flask writes it, under the prefix
    summary: str
    scope: Scope | None  # None: any token
    reply: type[BaseModel] | None  # None: a file
    files: tuple[str, ...]  # kinds of file that are answered
    status: int
    refusals: tuple[int, ...]  # beside those that every operation has
    query: type[Input] | None
    body: type[Input] | None
    takes_source: bool

    @classmethod
    def of(cls, view: View, **said: Any) -> Operation:
        """Return the operation that a view is: what it takes by its types, the rest as it is said."""
        hints = get_type_hints(view)
        return cls(
            name=view.__name__,
            summary=(view.__doc__ or "").strip().splitlines()[0],
            query=hints.get("query"),
            body=hints.get("body"),
            takes_source="source" in hints,
            **said,
        )


@dataclass
class Operations:
    """The operations of one version of the interface."""

    bp: Blueprint
    listed: list[Operation] = field(default_factory=list)

    def add(
        self,
        method: Method,
        rule: str,
        reply: type[BaseModel] | None,
        *,
        files: tuple[str, ...] = (),
        scope: Scope | None = "practice",
        status: int = 200,
        refusals: tuple[int, ...] = (),
    ) -> Callable[[View], View]:
        """Make a view an operation. Its parameters `query`, `body` and `source` say by their types what it takes.

        Args:
            method: of HTTP.
            rule: the address under the prefix.
            reply: what is answered when all is well; the view returns that, or its bytes. None: one of `files`.
            files: kinds of file; the view returns the whole answer.
            scope: what a token must be for.
            status: of that answer.
            refusals: statuses that this operation answers besides.
        """

        def wrap(view: View) -> View:
            operation = Operation.of(
                view,
                method=method,
                rule=rule,
                scope=scope,
                reply=reply,
                files=files,
                status=status,
                refusals=refusals,
            )
            self.listed.append(operation)
            self.bp.add_url_rule(rule, view.__name__, _answering(operation, view), methods=[method])
            return view

        return wrap


def _answering(operation: Operation, view: View) -> Callable[..., Response]:
    @wraps(view)
    def answer(**path: Any) -> Response:
        request.get_data()  # the whole body first
        came_at = received_at()
        caller = _caller(came_at)
        if operation.scope is not None:
            tokens.require(caller, operation.scope)
        taken: dict[str, Any] = {}
        if operation.query is None:
            _require_no_query()
        else:
            taken["query"] = read_query(operation.query)
        if operation.takes_source:
            taken["source"] = _source()
        elif operation.body is not None:
            taken["body"] = _body(operation.body)
        answered = view(Call(caller, came_at, request.get_data()), **taken, **path)
        if isinstance(answered, Response):
            return answered
        body = answered if isinstance(answered, bytes) else json_of(answered)
        return Response(body, operation.status, content_type=JSON)

    return answer


def json_of(reply: BaseModel) -> bytes:
    """Return a reply's bytes."""
    return reply.model_dump_json().encode()


def _caller(received_at: datetime) -> Caller:
    """Return who calls, by the header alone: an address ends up in logs, a cookie is sent by any page's form.

    Raises:
        TokenRefused: no token that works.
        Slowed: there were many of those from this address.
    """
    scheme, _, value = request.headers.get("Authorization", "").partition(" ")
    try:
        if scheme.lower() != "bearer" or not re.fullmatch(r"[\w.~+/=-]{1,200}", value, re.ASCII):
            raise TokenRefused
        caller = tokens.recognise(service().engine, value, received_at)
    except TokenRefused:
        if value:  # a guess
            sign_in.count_wrong_token(service().engine, request.remote_addr, received_at)
        raise
    g.caller = caller.user.public_id
    return caller


def read_query(model: type[Model]) -> Model:
    """Return what the address asks for.

    Raises:
        InvalidInput: a name or a value is none of the operation's.
    """
    values = request.args.to_dict(flat=False)
    if doubled := next((name for name, given in values.items() if len(given) > 1), None):
        raise InvalidInput(f"{_shown(doubled)} stands in the address twice; name it once.")
    try:
        # what stands in an address is text, so numbers are read from it
        return model.model_validate({name: given[0] for name, given in values.items()}, strict=False)
    except ValidationError as error:
        raise _invalid("the address", error) from None


def _require_no_query() -> None:
    if request.args:
        raise InvalidInput(f"{_shown(next(iter(request.args)))} is no parameter of this address; leave it out.")


def _body(model: type[Model]) -> Model:
    if request.mimetype != JSON:
        more = f", {' or '.join(RAW)}" if model is SourceBody else ""
        raise WrongKind(f"Send the body as {JSON}{more}, and say so in Content-Type.")
    try:
        body = model.model_validate_json(request.get_data())
    except ValidationError as error:
        found = _invalid("the body", error)
        if error.errors()[0]["type"] == "json_invalid":
            raise UnreadableBody(f"{found.message} Send one JSON object.") from None
        raise found from None
    if not all(is_kept(value) for name, value in body if name != SOURCE_FIELD and isinstance(value, str)):
        raise UnusableCharacter("The body holds a NUL, which no text here has; take it out and send it again.")
    return body


def _source() -> bytes:
    """Return the bytes that are handed in: as they came, or the text of a JSON document."""
    if request.mimetype in RAW:
        return request.get_data()
    return _body(SourceBody).source.encode()


def _invalid(where: str, error: ValidationError) -> InvalidInput:
    found = error.errors(include_url=False, include_context=False, include_input=False)
    told = []
    for one in found[:FINDINGS_TOLD]:
        place = ".".join(_shown(str(part)) for part in one["loc"])
        message = {"extra_forbidden": "no such field"}.get(one["type"], visible(one["msg"], keep=""))
        told.append(f"{place}: {message}" if place else message)
    return InvalidInput(f"In {where}: {'; '.join(told)}.")


def _shown(name: str) -> str:
    return visible(name[:NAME_SHOWN], keep="")
