"""Asks a database from a thread of its own, so that whoever waits can be stopped and hears why nothing comes.

A driver that waits for a database that is frozen, or behind a network that swallows what it is sent, sees no signal and
has no end. A question may be asked again although its first try was committed and its answer alone was lost: each must
be safe to ask twice.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from queue import SimpleQueue
from typing import Any, Final, TypeVar

from sqlalchemy.exc import DBAPIError, OperationalError

from grader.batch.disk import Halted

ANSWER_S: Final = 10.0  # without an answer, before it is said
LOST_S: Final = 300.0  # that the database may be away
AGAIN_S: Final = 0.5  # before the next try
COMEBACK_S: Final = 20.0  # after which workers are connected again, and have shown it
LOOK_S: Final = 0.25  # between two looks whether somebody wants to stop
Done = TypeVar("Done")


class Left(Exception):
    """The database is away, and somebody does not want to wait for it."""


class Patience:
    """Has questions to one database answered, one after another."""

    def __init__(self, tell: Callable[[str], None], is_stopped: Callable[[], bool] = lambda: False) -> None:
        """Start the thread.

        Args:
            tell: is given a sentence when the database is away.
            is_stopped: whether somebody does not want to wait for one that is away.
        """
        self._tell, self._is_stopped = tell, is_stopped
        self._asked: SimpleQueue[tuple[Callable[[], Any], Future[Any]] | None] = SimpleQueue()
        self._is_told = False
        self._back = float("-inf")
        # a daemon: the end of the command waits for no answer
        threading.Thread(target=self._answer, name="database", daemon=True).start()

    def close(self) -> None:
        """Let the thread end as soon as it has nothing to wait for."""
        self._asked.put(None)

    @property
    def is_away(self) -> bool:
        """Whether the database was last seen not to answer."""
        return self._is_told

    @property
    def is_just_back(self) -> bool:
        """Whether the database was away so lately that others may not have found it again."""
        return self._is_told or time.monotonic() - self._back < COMEBACK_S

    def do(self, act: Callable[[], Done], lost_s: float = LOST_S) -> Done:
        """Return what an act in the database returns; when the database is away, wait for it.

        Raises:
            Left: it is away, and somebody does not want to wait.
            Halted: it does not come back in time.
        """
        end = time.monotonic() + lost_s
        while True:
            try:
                done = self.once(act, end - time.monotonic())
            except DBAPIError as error:
                if not (isinstance(error, OperationalError) or error.connection_invalidated):
                    raise
                self._say("The database does not answer; waiting for it.")
                self._may_go_on(end)
                time.sleep(AGAIN_S)
            else:
                if self._is_told:
                    self._is_told, self._back = False, time.monotonic()
                return done

    def once(self, act: Callable[[], Done], lost_s: float = LOST_S) -> Done:
        """Return what an act returns, or raise what it raises; it is not tried again.

        Raises:
            Left, Halted: there is no answer, as for `do`.
        """
        answer: Future[Done] = Future()
        self._asked.put((act, answer))
        began = time.monotonic()
        while not wait([answer], LOOK_S).done:
            if time.monotonic() - began >= ANSWER_S:
                self._say(f"The database has not answered for {ANSWER_S:.0f} s; waiting for it.")
            self._may_go_on(began + lost_s)
        return answer.result()

    def _may_go_on(self, end: float) -> None:
        if self._is_told and self._is_stopped():
            raise Left
        if time.monotonic() > end:
            raise Halted("The database does not answer; see to it")

    def _say(self, text: str) -> None:
        if not self._is_told:
            self._is_told = True
            self._tell(text)

    def _answer(self) -> None:
        while (asked := self._asked.get()) is not None:
            act, answer = asked
            try:
                answer.set_result(act())
            except BaseException as error:  # whatever it is, it is for whoever asked
                answer.set_exception(error)
