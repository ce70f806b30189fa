"""The bytes of one request while they come in, and when it is whole: framing alone, without a socket.

gunicorn parses the request afterwards and decides; here is only told when that can happen without waiting. A head whose
body the two might measure differently is refused here, for a request that counts as whole too early passes a deadline.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

HEAD_BYTES_MAX: Final = 32 << 10
BODY_BYTES_MAX: Final = 4 << 20  # a source just over its own limit still gets its verdict
DISCARDED_BYTES_MAX: Final = 64 << 20  # of a body that is too large, so that its sender reads why
_HEAD_END: Final = b"\r\n\r\n"


class Refused(Exception):
    """The request is not worth a thread."""

    def __init__(self, status: str, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status
        self.sentence = sentence


class _Unclear(Refused):
    """Nobody can tell where the request ends."""

    def __init__(self) -> None:
        super().__init__(
            "400 Bad Request", "How long the request is cannot be told; send one Content-Length of digits alone."
        )


@dataclass
class Gathering:
    """What has come of one request."""

    data: bytearray = field(default_factory=bytearray)
    expects_continue: bool = False  # the client waits for a word before it sends the body
    is_too_large: bool = False  # then the body is not kept
    _searched: int = 0  # how much of the data holds no end of a head
    _missing: int | None = None  # bytes of the body that are still to come; None: the head is not whole

    @property
    def is_whole(self) -> bool:
        """Whether a thread can answer without waiting for the client."""
        return self._missing is not None and self._missing <= 0

    def add(self, more: bytes) -> None:
        """Take what came in.

        Raises:
            Refused: the head is too long, or does not say clearly how long the body is.
        """
        if self._missing is not None:
            self._missing -= len(more)
            if not self.is_too_large:
                self.data += more
            return
        self.data += more
        end = self.data.find(_HEAD_END, self._searched)
        if end < 0:
            self._searched = max(0, len(self.data) - len(_HEAD_END) + 1)
            if len(self.data) > HEAD_BYTES_MAX:
                raise Refused("431 Request Header Fields Too Large", "The request's head is too long.")
            return
        self._read_head(bytes(self.data[:end]), end + len(_HEAD_END))

    def _read_head(self, head: bytes, size: int) -> None:
        lengths = []
        for line in head.split(b"\r\n")[1:]:
            name, _, value = line.partition(b":")
            word = name.strip().lower()
            if word == b"transfer-encoding":
                raise Refused("411 Length Required", "Send the request's length ahead, in Content-Length.")
            if line.startswith((b" ", b"\t")):  # a folded line, which belongs to the one before
                raise _Unclear
            if word == b"content-length":
                lengths.append(_length(value.strip(b" \t")))
            if word == b"expect" and value.strip().lower() == b"100-continue":
                self.expects_continue = True
        if len(lengths) > 1:
            raise _Unclear
        length = lengths[0] if lengths else 0
        self._missing = length - (len(self.data) - size)
        if length > BODY_BYTES_MAX:
            self.is_too_large = True
            self._missing = min(self._missing, DISCARDED_BYTES_MAX)
            del self.data[size:]


def _length(value: bytes) -> int:
    """Return the length that the parser reads too, however many zeros lead; nothing else is one."""
    if not value.isdigit():
        raise _Unclear
    try:
        return int(value)
    except ValueError:  # more digits than Python reads
        raise _Unclear from None
