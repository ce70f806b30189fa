"""When a request is whole, whatever pieces it comes in."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.web.gathering import BODY_BYTES_MAX, DISCARDED_BYTES_MAX, HEAD_BYTES_MAX, Gathering, Refused

GET = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
POST = b"POST /x HTTP/1.1\r\nHost: localhost\r\nContent-LENGTH:  5 \r\n\r\n12345"


def gathered(data: bytes) -> Gathering:
    gathering = Gathering()
    gathering.add(data)
    return gathering


@given(request=st.sampled_from([GET, POST]), cuts=st.lists(st.integers(0, 70), max_size=6))
def test_a_request_is_whole_with_its_last_byte(request: bytes, cuts: list[int]) -> None:
    gathering = Gathering()
    places = [0, *sorted(min(cut, len(request) - 1) for cut in cuts), len(request) - 1]
    for start, end in itertools.pairwise(places):
        gathering.add(request[start:end])
        assert not gathering.is_whole
    gathering.add(request[-1:])
    assert gathering.is_whole
    assert gathering.data == request


def test_what_follows_at_once_is_kept() -> None:
    gathering = gathered(GET + POST)
    assert gathering.is_whole
    assert gathering.data == GET + POST


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", "411 Length Required"),
        (b"POST / HTTP/1.1\r\nContent-Length: 3\r\ntransfer-ENCODING: gzip\r\n\r\n", "411 Length Required"),
        (b"GET / HTTP/1.1\r\nX: " + b"x" * HEAD_BYTES_MAX, "431 Request Header Fields Too Large"),
    ],
)
def test_some_heads_are_worth_no_thread(head: bytes, status: str) -> None:
    with pytest.raises(Refused) as refused:
        gathered(head)
    assert refused.value.status == status


@pytest.mark.parametrize("length", [b"x", b"-1", b"1e3", b"", b"+5", b"9" * 30, b"\xb2", b"5\r\nContent-Length: 5"])
def test_a_malformed_length_is_left_to_the_parser(length: bytes) -> None:
    assert gathered(b"POST / HTTP/1.1\r\nContent-Length: " + length + b"\r\n\r\n").is_whole


def test_a_body_that_is_too_large_is_not_kept() -> None:
    head = b"POST / HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % (BODY_BYTES_MAX + 10)
    gathering = gathered(head + b"x" * 10)
    assert (gathering.is_too_large, gathering.is_whole) == (True, False)
    gathering.add(b"x" * BODY_BYTES_MAX)
    assert gathering.is_whole
    assert gathering.data == head


def test_a_vast_body_is_not_waited_for() -> None:
    gathering = gathered(b"POST / HTTP/1.1\r\nContent-Length: 999999999999\r\n\r\n")
    for _ in range(DISCARDED_BYTES_MAX >> 20):
        assert not gathering.is_whole
        gathering.add(b"x" * (1 << 20))
    assert gathering.is_whole


def test_a_client_may_wait_for_a_word_before_its_body() -> None:
    gathering = gathered(b"POST / HTTP/1.1\r\nExpect: 100-Continue\r\nContent-Length: 2\r\n\r\n")
    assert (gathering.expects_continue, gathering.is_whole) == (True, False)
