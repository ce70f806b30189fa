"""Rights, parts in an interview and reviews in any order: each page opens for who may read it, and no draft is told."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from grader.errors import NotFound, UserError
from grader.services import accounts, interviewers, reviews, sessions
from grader.services.reviews import read_draft
from grader.store.interview_models import Part
from grader.store.models import User
from grader.store.session import write_session
from grader.web.app import WebSettings, create_app
from grader.web.service import now
from tests.services.tiny_package import write_package
from tests.store.engines import at_one_address, made_once, upgraded_once
from tests.web.conftest import KEY, make_service
from tests.web.world import World, make_world, named

WHO: Final = st.sampled_from(["reviewer", "foreign"])
READERS: Final = ("lead", "reviewer", "foreign", "own", "other")


class Roles(RuleBasedStateMachine):
    """What two interviewers may do changes all the time; the lead and the candidate stay what they are."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        folder = Path(self.folder.name)
        shutil.copy(upgraded_once(), folder)
        write_package(folder / "problems")
        self.engine = made_once(at_one_address(folder / upgraded_once().name))
        app = create_app(WebSettings(KEY), make_service(self.engine, folder / "problems"))
        self.world: World = make_world(app, "over")
        self.attempt = self.world.ids["/reviews"]
        self.interview = self.world.ids["/interviews"]
        self.interviewers = {"lead", "reviewer", "foreign"}
        self.members = {"lead", "reviewer"}
        self.versions: dict[str, int] = {}
        self.finished: set[str] = set()

    def teardown(self) -> None:
        self.engine.dispose()
        self.folder.cleanup()

    def user(self, who: str) -> User:
        return named(self.engine, who)

    def may_write(self, who: str) -> bool:
        return who in self.interviewers and who in self.members

    @rule(who=WHO)
    def give_or_take_the_right(self, who: str) -> None:
        self.interviewers ^= {who}
        with write_session(self.engine) as session:
            user = accounts.set_rights(
                session, self.user(who), now(), is_interviewer=who in self.interviewers, is_admin=None
            )
        self.world.keep()
        assert self.world.ask(who, "GET", "/reviews/<public_id>").status_code == 303  # the old session is over
        with write_session(self.engine) as session:
            self.world.cookies[who] = sessions.begin(session, user, "Firefox", now(), is_kept=True)
        self.world.keep()

    @rule(who=WHO)
    def take_on_or_off(self, who: str) -> None:
        lead = self.user("lead")

        def act() -> None:
            with write_session(self.engine) as session:
                if who in self.members:
                    interviewers.remove(session, lead, self.interview, self.user(who).public_id, now())
                else:
                    interviewers.set_part(session, lead, self.interview, who, Part.REVIEWER, now())

        if who in self.members or who in self.interviewers:
            act()
            self.members ^= {who}
        else:  # nobody is taken on who may not interview
            assert refused(act)
        self.world.keep()

    @rule(who=WHO, is_last=st.booleans())
    def review(self, who: str, is_last: bool) -> None:
        draft = read_draft(f"canary private {who}", f"canary shared {who}", "yes", [])
        write = reviews.finish if is_last else reviews.save
        packages, version = self.world.app.extensions["grader"].packages, self.versions.get(who, 0)

        def act() -> None:
            with write_session(self.engine) as session:
                write(session, self.user(who), self.attempt, draft, version, packages, now())

        if self.may_write(who) and who not in self.finished:
            act()
            self.versions[who] = version + 1
            self.finished |= {who} if is_last else set()
        else:
            assert refused(act)
        self.world.keep()

    @invariant()
    def each_page_opens_for_who_may_read_it(self) -> None:
        for who in READERS:
            reply = self.world.ask(who, "GET", "/reviews/<public_id>")
            page = reply.get_data(as_text=True)
            assert reply.status_code == (200 if self.may_write(who) else 404), who
            for writer in {"reviewer", "foreign"} - {who}:
                has_shared = f"canary shared {writer}" in page
                assert not has_shared or (writer in self.finished and who in self.finished | {"lead"}), (who, writer)
                assert f"canary private {writer}" not in page or who == "lead", (who, writer)


def refused(act: Callable[[], None]) -> bool:
    try:
        act()
    except (NotFound, UserError):
        return True
    return False


TestRoles = Roles.TestCase
TestRoles.settings = settings(
    max_examples=6,
    stateful_step_count=12,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
