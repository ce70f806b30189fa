"""Uploaded archives: what is taken, and what is refused without being unpacked."""

from __future__ import annotations

import resource
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from grader.errors import InvalidPackage
from grader.problems.files import read_folder
from grader.problems.uploads import read_upload
from tests.archives import files_of, hostile, small_package, zipped
from tests.packages import SHIPPED

ARCHIVES: Final[dict[str, Any]] = yaml.safe_load(
    (Path(__file__).parents[1] / "data" / "package_archives.yaml").read_text()
)
BUILT_ON_STANDARD: Final = "heads-never-mix"


def test_the_hostile_archives_are_there() -> None:
    assert len(ARCHIVES) >= 20


@pytest.mark.parametrize("name", ARCHIVES)
def test_a_hostile_archive_is_refused(name: str, tmp_path: Path) -> None:
    data = hostile(ARCHIVES[name], tmp_path)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(InvalidPackage) as refused:
        read_upload(data, "", "mine.zip")
    assert ARCHIVES[name]["says"] in refused.value.findings[0]
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 << 10  # KiB


@pytest.mark.parametrize("top", ["", "mine"])
def test_a_package_is_read_with_a_folder_around_it_and_without(top: str, tmp_path: Path) -> None:
    contents = small_package(tmp_path)
    files = read_upload(zipped(contents, top), "", "other.zip")
    assert files.contents == contents
    assert files.slug == (top or "other")


def test_a_name_that_is_given_counts_before_that_of_the_folder(tmp_path: Path) -> None:
    assert read_upload(zipped(small_package(tmp_path), "mine"), "given-name", "other.zip").slug == "given-name"


@pytest.mark.parametrize("name", ["Mine", "a_b", "a--b", "-a", "a b", "ä", "a" * 101, "../a"])
def test_a_name_that_is_none_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidPackage, match="lower-case words joined by '-'"):
        read_upload(zipped(small_package(tmp_path)), name, "mine.zip")


def test_what_no_package_holds_is_passed_over(tmp_path: Path) -> None:
    contents = small_package(tmp_path)
    more = {
        ".gitignore": b"x",
        ".git/config": b"x",
        "__pycache__/cases.cpython-312.pyc": b"x",
        "starters/.only.py.swp": b"x",
    }
    archive = zipped({f"mine/{path}": data for path, data in (contents | more).items()} | {"__MACOSX/mine/._x": b"x"})
    assert read_upload(archive, "", "mine.zip").contents == contents


def test_the_standard_layer_is_the_shipped_one() -> None:
    folder = SHIPPED / BUILT_ON_STANDARD
    files = read_upload(zipped(files_of(folder), "mine"), "", "mine.zip")
    assert files.sha256 == read_folder(folder).sha256
    assert any(path.startswith("_standard/") for path in files.contents)


def test_what_was_downloaded_is_the_same_package_again() -> None:
    files = read_folder(SHIPPED / BUILT_ON_STANDARD)
    assert read_upload(files.archive(), BUILT_ON_STANDARD, "x.zip") == files


def test_a_standard_layer_beside_the_package_counts_before_the_shipped_one() -> None:
    own = files_of(SHIPPED / BUILT_ON_STANDARD)
    shipped = read_folder(SHIPPED / BUILT_ON_STANDARD).contents
    layer = next(path for path in shipped if path.startswith("_standard/"))
    name = layer.split("/")[1]
    beside = {f"mine/{path}": data for path, data in own.items()} | {
        f"_standard/{name}/stages.py": b"own",
        "_standard/another/stages.py": b"left out",
    }
    files = read_upload(zipped(beside), "", "x.zip")
    standard = {path: data for path, data in files.contents.items() if path.startswith("_standard/")}
    assert standard == {f"_standard/{name}/stages.py": b"own"}


@given(st.binary(max_size=400))
def test_bytes_that_are_no_archive_are_refused(data: bytes) -> None:
    with pytest.raises(InvalidPackage):
        read_upload(data, "mine", "mine.zip")


@given(data=st.data())
def test_a_damaged_archive_is_refused_or_read(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    whole = bytearray(zipped(small_package(tmp_path_factory.mktemp("package")), "mine"))
    for _ in range(data.draw(st.integers(1, 4))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    try:
        files = read_upload(bytes(whole[: data.draw(st.integers(0, len(whole)))]), "mine", "mine.zip")
    except InvalidPackage:
        return
    assert all(not path.startswith("/") and ".." not in path.split("/") for path in files.contents)
