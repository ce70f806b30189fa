"""Evidence records: what they hold, that they are of their form, and that nothing else is read as one."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from grader.errors import UserError
from grader.grading.evidence import record
from grader.grading.evidence_file import digest, read, source_of, text_of
from grader.grading.evidence_form import Evidence
from grader.grading.extra_runs import extra_runs
from grader.grading.judge import Examination, examine
from grader.grading.judge_run import Judged, not_judged
from grader.grading.replay import INPUTS, OUTPUTS, compare
from grader.grading.verdict import Reason
from grader.problems.cache import CaseCache
from grader.problems.cases import seed_of
from grader.problems.files import PackageFiles, read_folder
from grader.problems.loader import Problem, load
from grader.sandbox.pool import Lane, Pool
from tests.packages import HONEST, SHIPPED, TINY

EVIDENCE: Final = Path(__file__).parents[1] / "data/evidence"
SCHEMA: Final = Path(__file__).parents[2] / "grader/grading/evidence.schema.json"
MASK_MISSING: Final = (TINY / "submissions/wrong_answer/mask_missing.py").read_bytes()
SOFTMAX: Final = SHIPPED / "heads-never-mix/submissions/wrong_answer/softmax_over_queries.py"
GOLDEN: Final = {
    "accepted": HONEST,
    "mask_missing": MASK_MISSING,
    "raises": b"def attend(x, w):\n    print(x)\n    return {}[float(x[0, 0])]\n"
    b"def visible(lengths, n_tokens):\n    return {}[n_tokens]\n",
    "does_not_compile": b"def attend(:\n",
    "not_utf8": b"# \xff\n",
}
BAD: Final[list[dict[str, Any]]] = yaml.safe_load((EVIDENCE / "bad.yaml").read_text())
EDITS: Final[list[dict[str, Any]]] = yaml.safe_load((EVIDENCE / "edits.yaml").read_text())


def small_layer() -> Problem:
    """Return a shipped problem of the standard stages with three cases and one wrong source."""
    files = read_folder(SHIPPED / "heads-never-mix")
    specification = yaml.safe_load(files.text("problem.yaml"))
    names = ["secret_square", "secret_sizes_differ"]
    faults = yaml.safe_load(files.text("faults.yaml"))
    faults["files"] = {path: fault for path, fault in faults["files"].items() if path.endswith(f"/{SOFTMAX.name}")}
    specification["groups"] = [
        {"name": "samples", "points": 0, "cases": ["sample_format"]},
        {"name": "values", "points": 100, "cases": names},
    ]
    contents = {
        path: data
        for path, data in files.contents.items()
        if "/wrong_answer/" not in path or path.endswith(f"/{SOFTMAX.name}")
    }
    contents["problem.yaml"] = yaml.safe_dump(specification, sort_keys=False).encode()
    contents["faults.yaml"] = yaml.safe_dump(faults, sort_keys=False).encode()
    return load(PackageFiles(files.slug, contents))


def record_of(problem: Problem, source: bytes, lane: Lane, cache: CaseCache) -> dict[str, Any]:
    """Return the record of a source."""
    examination = examine(problem, source, lane, cache)
    extra = extra_runs(problem, source, examination.judgement, lane, cache)
    return record(problem, source, examination, lane, cache, extra)


def normalised(value: Any) -> Any:
    """Return a record's data with numbers rounded, and without what differs between machines."""
    if isinstance(value, dict):
        varying = ("versions", "timing", "record_sha256")
        return {key: "…" if key in varying else normalised(item) for key, item in value.items()}
    if isinstance(value, list):
        return [normalised(item) for item in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value


def changed(data: dict[str, Any], edits: dict[str, Any]) -> dict[str, Any]:
    """Return a record with values replaced: by a path of keys and positions, joined by dots."""
    copy: dict[str, Any] = json.loads(json.dumps(data))
    for path, value in edits.items():
        *parents, last = path.split(".")
        place: Any = copy
        for key in parents:
            place = place[int(key) if isinstance(place, list) else key]
        place[int(last) if isinstance(place, list) else last] = value
    return copy


@pytest.fixture(scope="module")
def records(tiny: Problem, pool: Pool, cache: CaseCache) -> dict[str, dict[str, Any]]:
    """The records of the golden sources, made once."""
    with pool.lane() as lane:
        return {name: record_of(tiny, source, lane, cache) for name, source in GOLDEN.items()}


@pytest.fixture(scope="module")
def softmax(pool: Pool, cache: CaseCache) -> dict[str, Any]:
    """The record of a layer whose softmax runs over the queries."""
    with pool.lane() as lane:
        return record_of(small_layer(), SOFTMAX.read_bytes(), lane, cache)


@pytest.mark.sandbox
@pytest.mark.parametrize("name", GOLDEN)
def test_records_are_the_golden_ones(name: str, records: dict[str, dict[str, Any]]) -> None:
    path = EVIDENCE / f"{name}.json"
    found = json.dumps(normalised(records[name]), indent=1, ensure_ascii=False) + "\n"
    if os.environ.get("UPDATE_GOLDEN") == "1":
        path.write_text(found)
    assert found == path.read_text()


def test_the_schema_is_that_of_the_form() -> None:
    """After a change of the form: write `Evidence.model_json_schema()` to the file, and raise the schema's number."""
    assert json.loads(SCHEMA.read_text()) == Evidence.model_json_schema(by_alias=True)


@pytest.mark.sandbox
@pytest.mark.parametrize("name", GOLDEN)
def test_a_record_is_read_as_it_was_written(name: str, records: dict[str, dict[str, Any]]) -> None:
    made = records[name]
    kept = read(text_of(made).encode(), "it")
    assert kept.model_dump(mode="json", by_alias=True) == made
    assert kept.record_sha256 == digest(made)
    assert source_of(kept, "it") == GOLDEN[name]
    assert kept.seeds.cases == {case.name: seed_of(case.name) for case in kept.judgement.cases}


@pytest.mark.sandbox
def test_a_source_over_1_mib_is_left_out(tiny: Problem, lane: Lane, cache: CaseCache) -> None:
    kept = read(text_of(record_of(tiny, b"#" * ((1 << 20) + 1), lane, cache)).encode(), "it")
    assert (kept.source.encoding, kept.source.text, kept.source.size) == ("omitted", "", (1 << 20) + 1)
    with pytest.raises(UserError, match="larger than 1 MiB; there is nothing to judge again"):
        source_of(kept, "it")


@pytest.mark.sandbox
def test_a_judgement_that_failed_has_a_record_without_observations(tiny: Problem, lane: Lane, cache: CaseCache) -> None:
    failed = not_judged(tiny.slug, HONEST, Reason.JUDGE_ERROR, "the sandbox was lost")
    kept = read(text_of(record(tiny, HONEST, Examination(failed, Judged(failed, ())), lane, cache)).encode(), "it")
    assert (kept.judgement.verdict, kept.judgement.reason, kept.judgement.score) == ("JE", "judge_error", None)
    assert (kept.package.sha256, kept.observations, kept.judgement.cases) == ("", (), ())


@pytest.mark.sandbox
def test_stages_of_a_traced_case_stand_beside_the_reference(softmax: dict[str, Any]) -> None:
    kept = softmax
    stages = [each for each in kept["observations"] if each["of"] == "stage"]
    case = stages[0]["case"]
    mine = {each["name"]: each for each in stages if each["case"] == case and each["by"] == "submission"}
    right = {each["name"]: each for each in stages if each["case"] == case and each["by"] == "reference"}
    assert list(mine) == ["queries", "keys", "values", "scores", "masked_scores"]
    assert list(right) == [*mine, "weights", "mixed_values", "output"]
    assert all(each["is_claim"] and each["line"] and each["form"] == "whole" for each in mine.values())
    assert not any(each["is_claim"] for each in right.values())
    assert {each["dtype"] for each in mine.values()} == {None}
    assert mine["masked_scores"]["nonfinite"] == right["masked_scores"]["nonfinite"] > 0
    assert right["weights"]["hidden_keys"]["nonzero"] == 0 < right["weights"]["hidden_keys"]["cells"]
    returned = next(
        each
        for each in kept["observations"]
        if (each["case"], each["of"], each["by"], each["name"]) == (case, "returned", "submission", "weights")
    )
    assert returned["column_sums"]["smallest"] == pytest.approx(1)
    assert returned["row_sums"]["largest"] > 1.01
    assert returned["deviation"]["off"] > 0


@pytest.mark.sandbox
def test_interpretations_stand_apart_and_say_what_they_rest_on(softmax: dict[str, Any]) -> None:
    finding, *others = softmax["interpretations"]
    assert (finding["kind"], finding["about"], finding["rests_on"]) == ("finding", "weights", "fingerprint")
    assert "softmax-over-queries" in [each["about"] for each in others if each["kind"] == "fault"]
    states = {each["about"]: each["state"] for each in others if each["kind"] == "stage"}
    assert states["weights"] == "wrong"
    assert states["output"] == "inherited"


@pytest.mark.sandbox
@pytest.mark.parametrize("case", BAD, ids=[case["id"] for case in BAD])
def test_what_is_no_record_is_told_in_one_line(case: dict[str, Any], records: dict[str, dict[str, Any]]) -> None:
    good = records["mask_missing"]
    if "text" in case:
        data = case["text"].encode("latin-1")
    elif "cut" in case:
        data = text_of(good).encode()[: case["cut"]]
    elif "replace" in case:
        old, new = case["replace"]
        data = text_of(good).replace(old, new, 1).encode()
    elif "repeat" in case:
        data = case["repeat"].encode() * 200_000
    else:
        data = json.dumps(changed(good, case["edit"])).encode()
    with pytest.raises(UserError) as told:
        source_of(read(data, "it"), "it")
    assert told.value.message.startswith(f"it is no evidence record ({case['why']}"), told.value.message
    assert told.value.message.endswith("; write it anew: grader grade PROBLEM FILE --evidence OUT.")
    assert "\n" not in told.value.message


@pytest.mark.sandbox
@pytest.mark.parametrize("case", EDITS, ids=[case["id"] for case in EDITS])
def test_an_edit_is_told_by_its_part(case: dict[str, Any], records: dict[str, dict[str, Any]]) -> None:
    """With the digest made anew an edit shows by what comes out; with the old one it also shows as an edit."""
    good = records["mask_missing"]
    edited = changed(good, case["edit"])
    source = base64.b64decode(case["source"]) if "source" in case else MASK_MISSING
    assert compare(edited, source, good).differs == tuple(dict.fromkeys(("record", *case["differs"])))
    forged = edited | {"record_sha256": digest(edited)}
    assert compare(forged, source, good).differs == tuple(case["differs"])


@pytest.mark.sandbox
@pytest.mark.parametrize(("schema", "without"), [(1, {"depth", "change", "extra_runs"}), (2, {"depth"})])
def test_records_of_earlier_schemas_are_read_and_replayed(
    schema: int, without: set[str], records: dict[str, dict[str, Any]]
) -> None:
    good = records["mask_missing"]
    old = {key: value for key, value in good.items() if key not in without} | {"schema": schema}
    old |= {"record_sha256": digest(old)}
    kept = read(text_of(old).encode(), "it")
    assert kept.depth == "full"
    found = compare(kept.model_dump(mode="json", by_alias=True, exclude_unset=True), MASK_MISSING, good)
    assert (found.differs, found.schema, set(found.not_compared)) == ((), schema, without)


@pytest.mark.sandbox
@pytest.mark.parametrize(
    ("edits", "difference"),
    [
        ({"schema": 2}, "schema 2 holds no depth"),
        ({"schema": 1}, "schema 1 holds no change; schema 1 holds no extra runs; schema 1 holds no depth"),
        ({"schema": 2, "depth": None, "versions.grader": "0.2.0"}, "grader 0.2.0 does not write schema 2"),
    ],
)
def test_a_record_that_names_a_schema_it_was_not_written_in_is_told(
    edits: dict[str, Any], difference: str, records: dict[str, dict[str, Any]]
) -> None:
    good = records["mask_missing"]
    forged = {key: value for key, value in changed(good, edits).items() if value is not None}
    kept = read(text_of(forged | {"record_sha256": digest(forged)}).encode(), "it")
    found = compare(kept.model_dump(mode="json", by_alias=True, exclude_unset=True), MASK_MISSING, good)
    assert next(part.difference for part in found.parts if part.name == "record") == difference


# what a replay goes by or does not look at: forging it changes nothing that is told
UNCOMPARED: Final = ("depth", "timing", "record_sha256")


def _other(value: Any) -> Any:
    """Return another value of the same type."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, str):
        return value[:-1] + ("0" if value[-1:] != "0" else "1")
    return value + 1 if isinstance(value, int | float) else 1


def _forgeries(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield a place of a record and what somebody could put there: each value once; lists less, more, another order."""
    if isinstance(value, dict):
        for key, item in value.items():
            if path or key not in UNCOMPARED:
                yield from _forgeries(item, f"{path}.{key}".removeprefix("."))
    elif isinstance(value, list):
        if value:
            yield path, value[:-1]
            yield path, [*value, value[0]]
            if value[::-1] != value:
                yield path, value[::-1]
        for position, item in enumerate(value):
            yield from _forgeries(item, f"{path}.{position}")
    else:
        yield path, _other(value)


@pytest.mark.sandbox
@pytest.mark.parametrize("name", GOLDEN)
def test_no_part_of_a_record_can_be_forged(name: str, records: dict[str, dict[str, Any]]) -> None:
    good = records[name]
    for path, value in _forgeries(good):
        forged = changed(good, {path: value})
        try:
            # not as lines for people: those are written by a slower encoder, thousands of times
            kept = read(json.dumps(forged | {"record_sha256": digest(forged)}).encode(), "it")
            source = source_of(kept, "it")
        except UserError:  # it is of no form that is read
            continue
        found = compare(kept.model_dump(mode="json", by_alias=True, exclude_unset=True), source, good)
        assert found.differs, path


@pytest.mark.sandbox
def test_a_hash_of_which_one_digit_is_another_is_shown_whole(records: dict[str, dict[str, Any]]) -> None:
    good = records["accepted"]
    sha256 = good["package"]["sha256"]
    forged = changed(good, {"package.sha256": _other(sha256)})
    (difference,) = (part.difference for part in compare(forged, HONEST, good).parts if part.name == "package")
    assert difference == f"SHA-256 {_other(sha256)} recorded, {sha256} now"


@pytest.mark.sandbox
def test_a_replay_of_the_same_differs_in_nothing(
    records: dict[str, dict[str, Any]], tiny: Problem, lane: Lane, cache: CaseCache
) -> None:
    for name, source in GOLDEN.items():
        replay = compare(records[name], source, record_of(tiny, source, lane, cache))
        assert replay.differs == ()
        assert [part.name for part in replay.parts] == [*INPUTS, *OUTPUTS]
