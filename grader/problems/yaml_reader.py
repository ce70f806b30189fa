"""Reads a package's YAML: plain data only, no anchors, aliases, tags or doubled keys, bounded depth."""

from __future__ import annotations

from typing import Any, Final

import yaml

from grader.errors import InvalidPackage

DEPTH_MAX: Final = 12
_KEY_TAGS: Final = ("tag:yaml.org,2002:str", "tag:yaml.org,2002:value")  # the second is that of a lone "="
_Base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Loader(_Base):  # type: ignore[misc]
    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode) or key.tag not in _KEY_TAGS:
                problem = "a key is no text: put it in quotes"
            elif key.value in seen:
                problem = f"the key {key.value[:80]!a} stands twice"
            else:
                seen.add(key.value)
                continue
            raise yaml.MarkedYAMLError(problem=problem, problem_mark=key.start_mark)
        mapping: dict[Any, Any] = super().construct_mapping(node, deep)
        return mapping


def read_yaml(text: str, name: str) -> Any:
    """Return a document's data.

    Args:
        name: how findings name the file.
    Raises:
        InvalidPackage: the text is no such document; the finding names the line.
    """
    try:
        _check_events(text, name)
        return yaml.load(text, _Loader)  # noqa: S506 - a subclass of the safe loader
    except yaml.MarkedYAMLError as error:
        line = f" line {error.problem_mark.line + 1}" if error.problem_mark else ""
        raise InvalidPackage([f"{name}{line}: {error.problem or 'is not YAML'}; correct it."]) from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise InvalidPackage([f"{name}: is not YAML ({str(error).partition(chr(10))[0][:200]}); correct it."]) from None


def _check_events(text: str, name: str) -> None:
    depth = 0
    for event in yaml.parse(text, _Base):
        line = event.start_mark.line + 1 if event.start_mark else 0
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise InvalidPackage([f"{name} line {line}: anchors and aliases are not allowed; write the value out."])
        if getattr(event, "tag", None) not in (None, "!"):
            raise InvalidPackage([f"{name} line {line}: tags are not allowed; write plain data."])
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > DEPTH_MAX:
                raise InvalidPackage([f"{name} line {line}: nested too deeply; flatten it."])
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
