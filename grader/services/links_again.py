"""Links of invitations whose page was never seen: a form came twice, and browsers show the second reply alone.

A link's token is stored nowhere, so it cannot be shown again; it is made anew.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime

from sqlalchemy.orm import Session

from grader.services import audit
from grader.services.invitations import Invitations, Invited, require_startable
from grader.services.sessions import hash_of, new_token
from grader.store import interview_queries, invitation_queries
from grader.store.held import held
from grader.store.interview_models import Invitation, Part
from grader.store.models import User


def to_remember(session: Session, user: User, public_id: str, invited: Invitations) -> str:
    """Return what a repeat has to know of a list that was just invited, which holds no token."""
    interview = interview_queries.interview_of(session, user, public_id, Part.LEAD)
    hashes = [hash_of(one.token) for one in invited.made]
    made = invitation_queries.invitations_with(session, interview, hashes)
    return json.dumps({"made": [made[one].public_id for one in hashes], "left_out": invited.left_out})


def made_again(session: Session, user: User, public_id: str, remembered: str, now: datetime) -> Invitations:
    """Make the links of a list anew, which ends those of the first time; who was invited by them already keeps theirs.

    Args:
        session: stores the links.
        user: a lead of the interview.
        public_id: the interview's.
        remembered: as `to_remember` returned it.
        now: the time.

    Raises:
        NotFound: the user leads no such interview.
        NotNow: nobody can start it any more.
    """
    interview = interview_queries.interview_of(session, user, public_id, Part.LEAD, lock=True)
    require_startable(interview, now)
    before = json.loads(remembered)
    mine = Invitation.interview_id == interview.id, Invitation.public_id.in_(before["made"])
    rows = held(session, Invitation, *mine)
    made = [_renewed(row) for row in rows if row.accepted_at is None and row.revoked_at is None]
    if made:
        audit.record(session, user, "invitation.renew", interview, now, interview, number=len(made))
    return Invitations(tuple(made), (*_others(rows, made), *before["left_out"]), ())


def _renewed(row: Invitation) -> Invited:
    token = new_token()
    row.token_sha256 = hash_of(token)
    return Invited(row.label, token)


def _others(rows: Sequence[Invitation], made: Sequence[Invited]) -> list[str]:
    renewed = {one.label for one in made}
    return [row.label for row in rows if row.label not in renewed]
