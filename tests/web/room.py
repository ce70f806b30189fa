"""An interview that Ada takes and Lena leads, with what each of them reads of it."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Final

from flask import Flask
from sqlalchemy import Engine, select, update

from grader.services.packages import Packages
from grader.store.account_queries import user_named
from grader.store.interview_models import Invitation
from grader.store.models import User
from grader.store.session import read_session, write_session
from tests.services.interviewing import make_interview, make_invitations
from tests.web.browsing import Browser, make_user
from tests.web.test_taking import begin

TIME: Final = r"\d\d \w{3} \d{4} \d\d:\d\d UTC"


class Room:
    """An interview of Lena's that Ada has begun."""

    def __init__(self, app: Flask, engine: Engine, problems: Path, ada: Browser, **settings: object) -> None:
        make_user(engine, "Lena")
        with write_session(engine) as session:
            session.execute(update(User).where(User.name == "Lena").values(is_interviewer=True))
        with read_session(engine) as session:
            lead = user_named(session, "lena")
        assert lead is not None
        self.lena, self.ada = Browser(app, "Lena"), ada
        self.interview = make_interview(engine, Packages(problems), lead, **settings)
        (invited,) = make_invitations(engine, lead, self.interview, "Ada L.")
        self.taking = begin(ada, invited.token)
        with read_session(engine) as session:
            self.invitation = session.scalars(select(Invitation.public_id)).one()
        self.exports = f"/interviews/{self.interview.public_id}/exports"
        self.review = ada.attempt.replace("/attempts/", "/reviews/")
        self.candidate = f"/interviews/{self.interview.public_id}/candidates/{self.invitation}"

    def candidate_reads(self) -> str:
        assert words(self.ada.text(self.taking), "Changes of your time") == words(
            self.ada.text(self.ada.attempt), "Changes of your time"
        )
        return words(self.ada.text(self.taking), "Changes of your time")

    def timeline(self) -> str:
        return words(self.lena.text(self.review), "Timeline")

    def packet(self) -> str:
        page = self.lena.post(f"{self.exports}/packet", invitation=self.invitation).get_data(as_text=True)
        return words(page, "What changed the time")


def words(page: str, start: str) -> str:
    """Return the text of a list that follows a heading or is named so, times blanked."""
    part = page.partition(start)[2].partition("</section>")[0].partition("</ol>")[0].partition("</ul>")[0]
    text = html.unescape(re.sub(r"<[^>]*>", " ", part.partition(">")[2]))
    return re.sub(TIME, "TIME", " ".join(text.split()))
