"""Generated requests to the interface for programs: whatever comes, the answer is one that its document names."""

from __future__ import annotations

from typing import Any, Final

import pytest
import schemathesis
from flask import Flask
from hypothesis import HealthCheck, Phase, given, settings, strategies
from schemathesis import APIOperation
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from grader.web.api.v1 import PREFIX, operations
from tests.services.tiny_package import SLUG
from tests.web.world import World, make_world

EXAMPLES: Final = 12  # of each operation; a fixed seed, so that a build is not broken by luck
CHECKED: Final = [
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    negative_data_rejection,
]
BOUNDED: Final = settings(
    max_examples=EXAMPLES,
    derandomize=True,
    database=None,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@pytest.mark.parametrize("state", ["running", "over"])
def test_every_answer_is_one_that_the_document_names(app: Flask, state: str) -> None:
    world = make_world(app, state)
    schema = schemathesis.openapi.from_wsgi(f"{PREFIX}/openapi.json", app)
    tried = []
    for found in schema.get_all_operations():
        assert isinstance(found, Ok)
        operation = found.ok()
        tried.append(operation.label)
        ask(world, operation)
    assert len(tried) == len(operations.listed)


def ask(world: World, operation: APIOperation[Any, Any, Any, Any]) -> None:
    """Send an operation requests that its document allows."""

    @BOUNDED
    @given(case=operation.as_strategy(), exists=strategies.booleans())
    def send(case: Any, exists: bool) -> None:
        is_review = "/interviews" in case.path
        if exists:
            known = {"public_id": world.ids["/interviews" if is_review else "/attempts"], "slug": SLUG, "ordinal": 1}
            case.path_parameters = {name: known[name] for name in case.path_parameters}
        token = world.tokens["lead" if is_review else "own"]
        reply = case.call(headers={"Authorization": f"Bearer {token}"})
        assert reply.status_code < 500
        case.validate_response(reply, checks=CHECKED)
        world.go_back()

    send()
