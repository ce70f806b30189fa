"""A user's name, browsers and attempts, as a JSON document that they can take along; of secret cases nothing is in it.

What an interview does not show its candidates, or not yet, is left out here as well.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from datetime import datetime
from typing import Final

from sqlalchemy import Engine
from sqlalchemy.orm import Session

from grader.grading.verdict import Verdict
from grader.services import feedback, sessions
from grader.services.earlier_package import EarlierAnswer, as_given, versions_had
from grader.services.feedback import Feedback
from grader.services.packages import Packages
from grader.services.practice_lock import ClosedMeanwhile
from grader.store import account_queries as queries
from grader.store.models import Attempt, FollowUpAnswer, SampleRun, Submission, User
from grader.store.score_queries import scores_by_hand
from grader.store.session import read_session
from grader.wording import iso_time

SCHEMA: Final = 1
Fields = dict[str, object]


def export(engine: Engine, user: User, packages: Packages, now: datetime) -> Iterator[str]:
    """Give the document piece by piece, each source read on its own: a slow reader holds no connection."""
    yield f'{{"schema": {SCHEMA}, "exported_at": {_json(now)}, "user": {_json(_user(user))}, '
    with read_session(engine) as session:
        open_sessions = [
            {"device": row.device, "since": row.created_at, "seen_at": row.seen_at, "ends_at": row.expires_at}
            for row in sessions.own(session, user, now)
        ]
        attempts = queries.own_attempts(session, user)
    yield f'"sessions": {_json(open_sessions)}, "attempts": ['
    for number, key in enumerate(attempts):
        yield (", " if number else "") + "\n"
        yield from _attempt(engine, key, packages, now)
    yield "\n]}\n"


def _attempt(engine: Engine, key: int, packages: Packages, now: datetime) -> Iterator[str]:
    with read_session(engine) as session:
        fields, shown = _whole_attempt(session, key, packages, now)
        submissions, runs = queries.submissions_and_runs(session, key)
    if shown is None:
        yield _json(fields)
        return
    yield _json(fields)[:-1] + ', "submissions": ['
    for number, row in enumerate(submissions):
        with read_session(engine) as session:
            submission = queries.whole_submission(session, row)
            told = _json(_submission(submission, shown) if submission else None)
        yield (", " if number else "") + told
    yield '], "sample_runs": ['
    for number, row in enumerate(runs):
        with read_session(engine) as session:
            run = session.get(SampleRun, row)
            told = _json(_sample_run(run) if run else None)
        yield (", " if number else "") + told
    yield "]}"


def _whole_attempt(
    session: Session, key: int, packages: Packages, now: datetime
) -> tuple[Fields | None, Feedback | None]:
    """Return an attempt's own fields, and what its candidate may see of it; without that nothing else is told."""
    attempt = queries.whole_attempt(session, key)
    if attempt is None:  # deleted meanwhile
        return None, None
    try:
        shown = feedback.of(session, attempt, now)
    except ClosedMeanwhile as error:
        return _problem_fields(attempt) | {"id": attempt.public_id, "closed": error.message}, None
    by_hand = scores_by_hand(session, [key]).get(key) if shown.by_hand else None
    fields = _attempt_fields(attempt, shown, by_hand)
    fields["answers"] = _answers(session, attempt, packages, shown)
    return fields, shown


def _user(user: User) -> Fields:
    return {
        "name": user.name,
        "created_at": user.created_at,
        "is_interviewer": user.is_interviewer,
        "is_admin": user.is_admin,
    }


def _attempt_fields(attempt: Attempt, shown: Feedback, by_hand: float | None) -> Fields:
    reached: Fields = {"solved_at": attempt.solved_at} if shown.verdict else {}
    if shown.points:
        reached |= {"points": attempt.points, "best_score": attempt.best_score}
    if by_hand is not None:
        reached["score_by_hand"] = by_hand
    return (
        reached
        | _problem_fields(attempt)
        | {
            "id": attempt.public_id,
            "title": attempt.package.title,
            "mode": attempt.mode,
            "started_at": attempt.started_at,
            "given_up_at": attempt.given_up_at,
            "hint_level": attempt.hint_level,
            "hint_cost": attempt.hint_cost,
            "diagnosed_stage": attempt.diagnosed_stage,
            "diagnosed_at": attempt.diagnosed_at,
            "draft": None if attempt.draft is None else _source(attempt.draft),
            "draft_saved_at": attempt.draft_saved_at,
        }
    )


def _problem_fields(attempt: Attempt) -> Fields:
    """Return what a problem is called; in an interview no more than its pages tell: a slug may say what is wrong."""
    if attempt.interview_problem is not None and attempt.invitation is not None:
        interview = {"invitation": attempt.invitation.public_id, "title": attempt.invitation.interview.title}
        return {"interview": interview, "place_in_interview": attempt.interview_problem.position}
    package = attempt.package
    return {"problem": package.slug, "package_sha256": package.sha256, "variant": attempt.variant}


def _answers(session: Session, attempt: Attempt, packages: Packages, shown: Feedback) -> list[Fields]:
    """Return an attempt's answers; an earlier release stored them without what they were given to.

    Where the questions are closed again, as they are once an ended time was extended, they are not told here either.
    """
    rows = queries.own_answers(session, attempt.id)
    versions = versions_had(session, attempt, packages) if any(row.question is None for row in rows) else ()
    answers = [_answer(row, as_given(versions, row)) for row in rows]
    return answers if shown.questions else [one | {"question_as_put": None, "choice": None} for one in answers]


def _answer(answer: FollowUpAnswer, given: EarlierAnswer) -> Fields:
    return {
        "question": answer.question_id,
        "question_as_put": given.question,
        "choice": given.text if answer.is_choice and given.text != answer.text else None,
        "answer": answer.text,
        "answered_at": answer.created_at,
        "rating": answer.rating,
        "rated_at": answer.rated_at,
    }


def _submission(submission: Submission, shown: Feedback) -> Fields:
    """Return what the candidate's own pages show of a submission, and its source."""
    found: Fields = {
        "number": submission.ordinal,
        "submitted_at": submission.created_at,
        "by_clock": submission.is_by_clock,
        "source": _source(submission.source),
    }
    if shown.verdict or submission.verdict is Verdict.JE:
        found |= {
            "judged_at": submission.judged_at,
            "verdict": submission.verdict,
            "reason": submission.reason,
            "message": submission.message,
            "prints_at_import": submission.import_prints,
            "prints_of_samples": {
                case.name: case.prints for case in submission.cases if case.visibility == "sample" and case.prints
            },
        }
    if shown.points:
        found |= {
            "score": submission.score,
            "max_score": submission.max_score,
            "groups": [
                {"name": group.name, "points": group.points, "max_points": group.max_points}
                for group in submission.groups
            ],
        }
    return found


def _sample_run(run: SampleRun) -> Fields:
    return {
        "number": run.ordinal,
        "submitted_at": run.created_at,
        "verdict": run.verdict,
        "reason": run.reason,
        "message": run.message,
        "source": _source(run.source),
    }


def _source(source: bytes) -> Fields:
    try:
        return {"text": source.decode()}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(source).decode()}


def _json(value: object) -> str:
    return json.dumps(value, default=_moment)  # ASCII: nothing of it needs care on its way


def _moment(value: object) -> str:
    assert isinstance(value, datetime)
    return iso_time(value)
