"""Broken packages: each gives `InvalidPackage`, whose findings name file, key and remedy, and nothing else ever."""

from __future__ import annotations

import builtins
import keyword
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.errors import InvalidPackage, UserError
from grader.problems.files import PackageFiles
from grader.problems.loader import load_all, load_named, problem_folder, slugs
from tests.packages import DATA, SHIPPED, TINY, edited, text_of, tiny_attention, tiny_with

BROKEN: list[dict[str, Any]] = yaml.safe_load((DATA / "broken_packages.yaml").read_text())


def findings_of(files: PackageFiles) -> list[str]:
    with pytest.raises(InvalidPackage) as caught:
        load_all(files)
    prefix = f"{files.slug}/"
    assert all(finding.startswith(prefix) for finding in caught.value.findings), caught.value.findings
    return [finding.removeprefix(prefix) for finding in caught.value.findings]


def any_findings_of(files: PackageFiles) -> Sequence[str]:
    """Return the findings of a package that may as well be whole."""
    try:
        load_all(files)
    except InvalidPackage as error:
        return error.findings
    return ()


def dumped(data: object) -> str:
    text: str = yaml.safe_dump(data, allow_unicode=True)
    return text


def changed(row: dict[str, Any]) -> PackageFiles:
    if "edit" in row:
        return tiny_with({row["file"]: edited(row["file"], *row["edit"])})
    return tiny_with({row["file"]: None if row.get("missing") else row["content"]})


def test_package_is_whole_without_edits() -> None:
    problem = tiny_attention()
    assert problem.max_score == 100
    assert problem.limits.memory_mib == 64
    assert problem.first_variant == "interview"
    assert "np.exp" in problem.starter("interview")
    assert problem.statement.startswith("# A tiny attention")


@pytest.mark.parametrize("row", BROKEN, ids=lambda row: row["id"])
def test_broken_package_is_told_by_file_key_and_remedy(row: dict[str, Any]) -> None:
    assert findings_of(changed(row)) == row["findings"]


UNUSABLE: dict[str, str] = {
    **dict.fromkeys(keyword.kwlist, "is a keyword of Python, which nothing can be called"),
    **{name: "begins and ends with __, as Python's own names do" for name in dir(builtins) if name.startswith("__")},
    "__grader_call__": "begins and ends with __, as Python's own names do",
}
NO_STAGE: dict[str, str] = {
    "_masked": "begins with _, as functions do that are no stage",
    "_": "begins with _, as functions do that are no stage",
    "a__b": "holds __, which stands between a stage and the fault of an alternative",
    "a__": "holds __, which stands between a stage and the fault of an alternative",
}
NO_NAME = ("\ufb01", "\u00e9", "x" * 62, "1x", "a-b", "")


def named(key: str, name: str) -> list[str]:
    """Return the findings of the small package whose second stage, first entry or its first parameter has a name."""
    spec = yaml.safe_load(text_of("problem.yaml"))
    holder = {"entries": spec["entries"], "parameters": spec["entries"]["attend"]["parameters"]}
    if key == "stages":
        spec["stages"][1] = name
    else:
        items = [(name if number == 0 else old, each) for number, (old, each) in enumerate(holder[key].items())]
        holder[key].clear()
        holder[key].update(items)
    return findings_of(tiny_with({"problem.yaml": dumped(spec)}))


@pytest.mark.parametrize("name", UNUSABLE)
def test_name_that_no_source_can_have_is_told_at_its_key(name: str) -> None:
    end = f"{name} {UNUSABLE[name]}; correct it."
    assert f"problem.yaml: stages.1: {end}" in named("stages", name)
    assert f"problem.yaml: entries.{name}: {end}" in named("entries", name)
    assert f"problem.yaml: entries.attend.parameters.{name}: {end}" in named("parameters", name)


@pytest.mark.parametrize("name", NO_STAGE)
def test_name_that_no_stage_can_have_is_told_at_its_key(name: str) -> None:
    assert f"problem.yaml: stages.1: {name} {NO_STAGE[name]}; correct it." in named("stages", name)


@pytest.mark.parametrize("key", ["stages", "entries", "parameters"])
@pytest.mark.parametrize("name", NO_NAME)
def test_what_is_no_plain_name_is_told(key: str, name: str) -> None:
    assert any("which is not of the form ^[A-Za-z_]" in finding for finding in named(key, name))


def keys_of(path: str, node: Any, prefix: str = "") -> Iterator[str]:
    """Return the dotted path of every key of a YAML file, lists counted."""
    items = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in items:
        if isinstance(node, dict):
            yield f"{prefix}{key}"
        yield from keys_of(path, value, f"{prefix}{key}.")


OPTIONAL = {
    *("accepts", "exact_zeros", "limits", "case_s", "total_s", "memory_mib", "roles"),
    *("exemptions", "standard", "left", "multiple_choice", "rubric", "unlocked_by", "lessons", "sources"),
}
NAMED_FREELY = ("entries", "parameters", "accepts", "outputs", "exact_zeros", "variants", "files", "exemptions")
KEYS = [
    (path, key)
    for path in ("problem.yaml", "faults.yaml", "interview.yaml")
    for key in keys_of(path, yaml.safe_load(text_of(path)))
]


def holder_of(data: Any, key: str) -> tuple[Any, str]:
    """Return the mapping that holds a dotted key, and the key's last part; a file's name has a dot of its own."""
    parts = key.replace(".py", "/py").split(".")
    for part in parts[:-1]:
        data = data[int(part)] if isinstance(data, list) else data[part.replace("/py", ".py")]
    return data, parts[-1].replace("/py", ".py")


def is_required(key: str) -> bool:
    """Whether a key is one of the format's; an entry's, parameter's, variant's or file's own name is none."""
    *_, parent, last = ["", *key.replace(".py", "/py").split(".")]
    return parent not in NAMED_FREELY and last not in OPTIONAL


@pytest.mark.parametrize(("path", "key"), [pair for pair in KEYS if is_required(pair[1])])
def test_each_missing_key_is_named(path: str, key: str) -> None:
    data = yaml.safe_load(text_of(path))
    holder, last = holder_of(data, key)
    del holder[last]
    assert f"{path}: the key {key} is missing; add it." in findings_of(tiny_with({path: yaml.safe_dump(data)}))


WRONG_TYPES: tuple[object, ...] = (None, True, 7.5, "text", [], {}, [[]], {"a": {"b": []}}, -1, 10**30, "", "\u202e")


@pytest.mark.parametrize(("path", "key"), KEYS)
def test_value_of_another_type_is_a_finding_or_fine(path: str, key: str) -> None:
    for value in WRONG_TYPES:
        data = yaml.safe_load(text_of(path))
        holder, last = holder_of(data, key)
        holder[last] = value
        assert all(len(finding) < 500 for finding in any_findings_of(tiny_with({path: dumped(data)})))


NOT_UTF8 = ("problem.yaml", "faults.yaml", "interview.yaml", "statement.md", "cases.py", "starters/interview.py")


@pytest.mark.parametrize("path", NOT_UTF8)
@pytest.mark.parametrize(
    "content", [b"\xff\xfea", "ä".encode("latin-1"), b"\xed\xa0\x80"], ids=["utf-16", "latin", "half"]
)
def test_file_that_is_not_utf8_is_named(path: str, content: bytes) -> None:
    assert findings_of(tiny_with({path: content})) == [f"{path}: the file is not UTF-8; save it as UTF-8."]


def test_byte_order_mark_is_accepted() -> None:
    load_all(tiny_with({"problem.yaml": "\ufeff" + text_of("problem.yaml")}))


@pytest.mark.parametrize(
    "bomb",
    ["[" * 300_000, "{a: " * 100_000, "- " * 300_000, "? " * 300_000, "a:\n" * 100_000, "!" * 300_000, "'" * 300_001],
    ids=lambda text: text[:3],
)
def test_bomb_of_yaml_is_one_short_finding(bomb: str) -> None:
    (finding,) = findings_of(tiny_with({"problem.yaml": bomb}))
    assert finding.startswith("problem.yaml")
    assert len(finding) < 300


def test_many_unknown_keys_are_a_bounded_number_of_findings() -> None:
    many = "".join(f"key_{number}: 1\n" for number in range(20_000))
    assert len(findings_of(tiny_with({"problem.yaml": text_of("problem.yaml") + many}))) == 100


def test_long_names_and_values_are_cut() -> None:
    long = {"problem.yaml": f"{text_of('problem.yaml')}{'k' * 1000}: {'v' * 100_000}\n"}
    (finding,) = findings_of(tiny_with(long))
    assert finding == f"problem.yaml: the key '{'k' * 56}... is not known; remove it or correct its spelling."
    types = edited("problem.yaml", 'mask: "bool[B,T]"', f"mask: '{'m' * 100_000}'")
    (finding,) = findings_of(tiny_with({"problem.yaml": types}))
    assert len(finding) < 200


def test_all_findings_come_at_once() -> None:
    changes = {
        "cases.py": None,
        "statement.md": None,
        "problem.yaml": edited("problem.yaml", "starters/interview.py", "starters/none.py"),
    }
    assert findings_of(tiny_with(changes)) == [
        "problem.yaml: variants.interview.starter: the file starters/none.py is missing; add it.",
        "statement.md: the file is missing; add it.",
        "cases.py: the file is missing; add it.",
    ]


def test_first_finding_is_the_message() -> None:
    error = InvalidPackage(["first.", "second.", "third."])
    assert error.message == "first. (2 more: grader check lists them all)"
    assert InvalidPackage(["only."]).message == "only."


def test_sixty_five_cases_are_too_many() -> None:
    cases = ", ".join(f"secret_{number}" for number in range(58))
    text = edited("problem.yaml", "cases: [secret_lengths]", f"cases: [{cases}]")
    assert findings_of(tiny_with({"problem.yaml": text})) == ["problem.yaml: groups: 65 cases; at most 64 are allowed."]


def test_samples_alone_are_no_problem() -> None:
    data = yaml.safe_load(text_of("problem.yaml"))
    data["groups"] = data["groups"][:1]
    assert findings_of(tiny_with({"problem.yaml": yaml.safe_dump(data)})) == [
        "problem.yaml: groups: there is no secret case; add one.",
        "problem.yaml: groups: no group has points; give some.",
    ]


@settings(max_examples=150)
@given(st.sampled_from(["problem.yaml", "faults.yaml", "interview.yaml"]), st.data())
def test_changed_text_is_a_package_or_an_invalid_one(path: str, data: st.DataObject) -> None:
    text = text_of(path)
    start = data.draw(st.integers(0, len(text)))
    stop = data.draw(st.integers(start, min(len(text), start + 20)))
    new = data.draw(st.text(st.sampled_from("[]{}:,-?&*!|>'\"%@`#\n\t =~0.aé\0\u2028\x85"), max_size=8))
    for finding in any_findings_of(tiny_with({path: text[:start] + new + text[stop:]})):
        assert finding.startswith("tiny-attention/")


@settings(max_examples=150)
@given(st.binary(max_size=60))
def test_any_bytes_are_a_package_or_an_invalid_one(content: bytes) -> None:
    with pytest.raises(InvalidPackage):
        load_all(tiny_with({"problem.yaml": content}))


def test_problem_is_found_by_slug_or_path(tmp_path: Path) -> None:
    root = TINY.parent
    assert load_named("tiny-attention", root).slug == "tiny-attention"
    assert problem_folder(str(TINY), tmp_path) == TINY
    with pytest.raises(UserError, match=r"There is no problem 'tiny-atention'; did you mean tiny-attention\?"):
        problem_folder("tiny-atention", root)
    with pytest.raises(UserError, match=r"There is no problem 'x'; grader problems lists what there is\."):
        problem_folder("x", tmp_path / "nowhere")


def test_slugs_leave_out_hidden_and_shared_folders(tmp_path: Path) -> None:
    for name in ("b", "a", "_standard", ".hidden", "empty"):
        (tmp_path / name).mkdir()
        if name != "empty":
            (tmp_path / name / "problem.yaml").touch()
    assert slugs(tmp_path) == ["a", "b"]


SHIPPED_SLUGS = slugs(SHIPPED)


def test_packages_are_shipped() -> None:
    assert SHIPPED_SLUGS


@pytest.mark.parametrize("slug", SHIPPED_SLUGS)
def test_shipped_package_is_whole(slug: str) -> None:
    problem = load_named(slug, SHIPPED)
    load_all(problem.files)
    assert problem.max_score == 100
