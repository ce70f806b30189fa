"""The OpenAPI document says what is so."""

from __future__ import annotations

import json
import re
from typing import Any

from flask import Flask

from grader.web.api.openapi import document
from tests.web.calling import api_routes


def resolved(schema: Any) -> list[str]:
    return re.findall(r'"\$ref": "([^"]+)"', json.dumps(schema))


def test_the_document_names_every_operation_and_its_schemas(app: Flask) -> None:
    found = document()
    assert found["openapi"] == "3.1.0"
    named = sorted(f"{method.upper()} {path}" for path, methods in found["paths"].items() for method in methods)
    listed = [
        (method, rule.removeprefix("/api/v1").replace("<", "{").replace(">", "}")) for method, rule in api_routes(app)
    ]
    rules = sorted(f"{method} {rule}" for method, rule in listed)
    assert named == rules
    names = [one["operationId"] for methods in found["paths"].values() for one in methods.values()]
    assert len(set(names)) == len(names)
    for reference in resolved(found):
        assert reference.removeprefix("#/components/schemas/") in found["components"]["schemas"]
    for path, methods in found["paths"].items():
        for one in methods.values():
            wanted = set(re.findall(r"\{(\w+)\}", path))
            assert {each["name"] for each in one["parameters"] if each["in"] == "path"} == wanted
            assert one["summary"].endswith(".")
            assert {"401", "422", "500"} <= set(one["responses"])


def test_the_document_says_what_an_empty_list_of_faults_means_and_when_to_ask_again() -> None:
    fields = document()["components"]["schemas"]["Finding"]["properties"]
    assert {"True:", "False:", "Null:"} <= set(fields["is_looked_up"]["description"].split())
    assert [each["type"] for each in fields["is_looked_up"]["anyOf"]] == ["boolean", "null"]
    assert fields["is_due"]["description"].startswith("Whether to ask again")


def test_every_object_that_is_told_or_taken_is_closed() -> None:
    for name, schema in document()["components"]["schemas"].items():
        if schema.get("type") == "object":
            assert schema["additionalProperties"] is False, name
