"""When a request is whole, whatever pieces it comes in."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Final

import pytest
import yaml
from gunicorn.config import Config
from gunicorn.http.errors import NoMoreData, ParseException
from gunicorn.http.message import Request
from gunicorn.http.unreader import IterUnreader
from hypothesis import given
from hypothesis import strategies as st

from grader.web.gathering import BODY_BYTES_MAX, DISCARDED_BYTES_MAX, HEAD_BYTES_MAX, Gathering, Refused

GET = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
POST = b"POST /x HTTP/1.1\r\nHost: localhost\r\nContent-LENGTH:  5 \r\n\r\n12345"
HEADS: Final = yaml.safe_load(Path(__file__).with_name("heads.yaml").read_text())
REFUSED: Final = [(head.encode(), status) for status, heads in HEADS["refused"].items() for head in heads]
MEASURED: Final = [(head.encode(), length) for head, length in HEADS["measured"].items()]
NAMES: Final = ("\r\nContent-Length:", "\r\ncontent-length :", "\r\nTransfer-Encoding:", "\r\nExpect:", "\r\nX:")
VALUES: Final = ("chunked", "100-continue", "0" * 25, "5", "12", "²", "٥", *"\r\n\t\v\0 ,+-_")


def parsed_length(request: bytes) -> int | None:
    """Return how much of a body the parser would read; None: it refuses the request."""
    try:
        message = Request(Config(), IterUnreader([request]), ("127.0.0.1", 1))
    except (ParseException, NoMoreData):
        return None
    return int(message.body.reader.length)


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


@pytest.mark.parametrize(("head", "status"), REFUSED)
def test_some_heads_are_worth_no_thread(head: bytes, status: str) -> None:
    with pytest.raises(Refused) as refused:
        gathered(b"POST / HTTP/1.1\r\n" + head + b"\r\n\r\n")
    assert refused.value.status.startswith(f"{status} ")


def test_a_head_is_bounded() -> None:
    with pytest.raises(Refused) as refused:
        gathered(b"GET / HTTP/1.1\r\nX: " + b"x" * HEAD_BYTES_MAX)
    assert refused.value.status == "431 Request Header Fields Too Large"


@pytest.mark.parametrize(("head", "length"), MEASURED)
def test_a_request_is_as_long_as_the_parser_reads_it(head: bytes, length: int) -> None:
    gathering = gathered(b"POST / HTTP/1.1\r\n" + head + b"\r\n\r\n" + b"x" * (length - 1))
    assert gathering.is_whole == (length == 0)
    gathering.add(b"x")
    assert gathering.is_whole


@given(head=st.lists(st.sampled_from(NAMES + VALUES), max_size=12))
def test_nothing_is_whole_that_the_parser_would_wait_for(head: list[str]) -> None:
    request = b"POST / HTTP/1.1\r\nHost: x" + "".join(head).encode() + b"\r\n\r\n"
    try:
        is_whole = gathered(request).is_whole
    except Refused:
        return
    assert not is_whole or not parsed_length(request)


def test_a_length_of_more_digits_than_are_read_is_refused() -> None:
    with pytest.raises(Refused):
        gathered(b"POST / HTTP/1.1\r\nContent-Length: " + b"0" * 5000 + b"5\r\n\r\n")


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
