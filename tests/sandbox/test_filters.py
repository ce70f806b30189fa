"""The committed seccomp programs: are they the policy's, and what do they answer?

The programs are interpreted here, instruction by instruction, so that both architectures are tested on either.
"""

from __future__ import annotations

import csv
import errno
import hashlib
import struct
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from types import ModuleType

import pytest

from grader.sandbox import filters
from grader.sandbox.filters import FOLDER, INSTRUCTION_BYTES, MACHINES, POLICY_NAMES, FilterMissing, PolicyName, load
from grader.sandbox.policy import CHILD, POLICIES, ZYGOTE, Action, Call, Policy

ARCHITECTURES = {"x86_64": 0xC000003E, "x32": 0xC000003E, "aarch64": 0xC00000B7, "i386": 0x40000003, "arm": 0x40000028}
X32_BIT = 0x4000_0000
CALL_NUMBERS = range(1024)  # further than any architecture counts
ACTIONS = {
    0x7FFF0000: Action.ALLOW,
    0x80000000: Action.KILL,
    0x00050000 | errno.EPERM: Action.EPERM,
    0x00050000 | errno.ENOSYS: Action.ENOSYS,
}
STRICTNESS = (Action.ALLOW, Action.EPERM, Action.ENOSYS, Action.KILL)
CASES = list(csv.DictReader(Path(__file__).with_name("filter_cases.csv").read_text().splitlines()))
BUILDS = [(policy, machine) for policy in POLICY_NAMES for machine in MACHINES]


def decide(program: bytes, architecture: int, number: int, arguments: Sequence[int] = ()) -> Action:
    """Run a classic BPF program over one struct seccomp_data, as the kernel does."""
    padded = [*arguments, 0, 0, 0, 0, 0, 0][:6]
    data = struct.pack("<IIQ6Q", number, architecture, 0, *padded)
    accumulator, counter = 0, 0
    while True:
        code, if_true, if_false, constant = struct.unpack_from("<HBBI", program, counter * INSTRUCTION_BYTES)
        counter += 1
        match code:
            case 0x20:  # load a word of the data
                (accumulator,) = struct.unpack_from("<I", data, constant)
            case 0x54:  # and
                accumulator &= constant
            case 0x05:  # jump always
                counter += constant
            case 0x15:  # jump if equal
                counter += if_true if accumulator == constant else if_false
            case 0x25:  # jump if greater
                counter += if_true if accumulator > constant else if_false
            case 0x35:  # jump if greater or equal
                counter += if_true if accumulator >= constant else if_false
            case 0x45:  # jump if any bit is set
                counter += if_true if accumulator & constant else if_false
            case 0x06:  # return
                return ACTIONS[constant]
            case _:
                raise AssertionError(f"instruction {counter - 1} has the unexpected code {code:#x}")


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    """The module that generates the filters; it needs libseccomp, which only developers have."""
    try:
        from grader.sandbox import build_filters
    except (ImportError, RuntimeError) as error:  # no package, no shared library
        pytest.skip(f"filters cannot be generated again: {error}")
    return build_filters


def case_name(case: dict[str, str]) -> str:
    return "-".join((case["policy"], case["architecture"], case["call"] or case["number"], case["arguments"]))


@pytest.mark.parametrize("case", CASES, ids=case_name)
def test_call_is_decided_as_the_table_says(case: dict[str, str]) -> None:
    policy: PolicyName = "child" if case["policy"] == "child" else "zygote"
    arguments = [int(word, 0) for word in case["arguments"].split()]
    action = decide(
        load(policy, case["machine"]), ARCHITECTURES[case["architecture"]], int(case["number"], 0), arguments
    )
    assert action.value == case["action"]


def test_table_covers_both_policies_on_all_architectures() -> None:
    covered = {(case["policy"], case["architecture"]) for case in CASES}
    assert covered == set(product(POLICY_NAMES, ARCHITECTURES))


def test_table_numbers_calls_as_libseccomp_does(generator: ModuleType) -> None:
    named = [case for case in CASES if case["call"] and case["architecture"] == case["machine"]]
    wrong = [case for case in named if generator.number(case["machine"], case["call"]) != int(case["number"])]
    assert named
    assert not wrong


def test_committed_files_are_what_the_policy_generates(generator: ModuleType) -> None:
    files = generator.artifacts()
    listing = (FOLDER / generator.LISTING).read_text()
    if f"libseccomp {generator.libseccomp_version()}\n" in listing:
        committed = {path.name: path.read_bytes() for path in FOLDER.iterdir()}
        assert committed == files
    else:  # another library may order instructions differently; it must not decide differently
        for policy, machine in BUILDS:
            fresh = files[f"{machine}.{policy}.bpf"]
            assert decisions(fresh, machine) == decisions(load(policy, machine), machine)


def decisions(program: bytes, machine: str) -> list[Action]:
    """What the program answers to every call and many argument values, on its own and on foreign architectures."""
    architecture = ARCHITECTURES[machine]
    own = [decide(program, architecture, number, arguments) for number, arguments in sampled_calls()]
    x32 = [decide(program, architecture, number | X32_BIT) for number in CALL_NUMBERS]
    foreign = [decide(program, other, 0) for other in ARCHITECTURES.values() if other != architecture]
    return own + x32 + foreign


def sampled_calls() -> Iterator[tuple[int, tuple[int, ...]]]:
    """Every call number with first arguments around the policy's descriptors and flags, and mmap's two words."""
    firsts = (0, 1, 2, 3, 4, 5, 0x11, 0x1200011, 0x1200111, 1 << 32)
    protections_and_flags = ((0, 0), (3, 0x22), (3, 0x21), (7, 0x22), (3, 0x122), (3, 0x2022), (3, 0x40022), (1, 0x2))
    for number in CALL_NUMBERS:
        for first in firsts:
            yield number, (first,)
        for protection, flags in protections_and_flags:
            yield number, (0, 4096, protection, flags)


def test_generating_twice_gives_the_same_bytes(generator: ModuleType) -> None:
    assert generator.artifacts() == generator.artifacts()


def test_listing_names_the_committed_hashes() -> None:
    listing = (FOLDER / "listing.txt").read_text()
    for policy, machine in BUILDS:
        assert f"sha256 {hashlib.sha256(load(policy, machine)).hexdigest()}\n" in listing


@pytest.mark.parametrize(("name", "machine"), BUILDS)
def test_nothing_but_the_named_calls_gets_through(generator: ModuleType, name: PolicyName, machine: str) -> None:
    policy = POLICIES[name]
    named = {generator.number(machine, call.name): call for call in policy.calls}
    program = load(name, machine)
    for number in CALL_NUMBERS:
        if number not in named:
            assert decide(program, ARCHITECTURES[machine], number) is policy.default
        elif not named[number].when:
            assert decide(program, ARCHITECTURES[machine], number) is named[number].action


@pytest.mark.parametrize("machine", MACHINES)
def test_child_is_nowhere_freer_than_its_zygote(machine: str) -> None:
    zygote, child = load("zygote", machine), load("child", machine)
    for number, arguments in sampled_calls():
        looser = decide(zygote, ARCHITECTURES[machine], number, arguments)
        tighter = decide(child, ARCHITECTURES[machine], number, arguments)
        assert STRICTNESS.index(tighter) >= STRICTNESS.index(looser), (number, arguments)


@pytest.mark.parametrize("policy", [ZYGOTE, CHILD], ids=lambda policy: policy.name)
def test_every_call_stands_once_and_says_why(policy: Policy) -> None:
    names = [call.name for call in policy.calls]
    assert len(names) == len(set(names))
    assert all(call.why for call in policy.calls)


def test_child_names_every_call_that_only_the_zygote_has() -> None:
    assert {call.name for call in ZYGOTE.calls} <= {call.name for call in CHILD.calls}


def test_misspelt_call_is_an_error_and_a_missing_one_is_not(generator: ModuleType) -> None:
    assert generator.number("aarch64", "dup2") is None
    with pytest.raises(generator.UnknownCall, match="'reed'"):
        generator.program(Policy("misspelt", (Call("reed", "a typing error"),)), "x86_64")


@pytest.mark.parametrize("machine", ["riscv64", "i686", "AMD64", "", "../x86_64"])
def test_architecture_without_filters_is_refused(machine: str) -> None:
    with pytest.raises(FilterMissing, match="runs on x86_64 and aarch64"):
        load("child", machine)


def test_lost_or_cut_filter_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(filters, "FOLDER", tmp_path)
    with pytest.raises(FilterMissing, match=r"cannot be read \(No such file"):
        load("child", "x86_64")
    for damaged in (b"", b"\x06\x00\x00"):
        (tmp_path / "x86_64.child.bpf").write_bytes(damaged)
        with pytest.raises(FilterMissing, match="damaged"):
            load("child", "x86_64")


def test_hash_tells_filters_apart() -> None:
    hashes = {machine: filters.filter_hash(machine) for machine in MACHINES}
    assert len(set(hashes.values())) == len(MACHINES)
    assert all(len(value) == 12 and int(value, 16) for value in hashes.values())
