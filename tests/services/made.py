"""Judgements and attempts that tests need, made by plain functions."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime, timedelta

from sqlalchemy import Engine

from grader.grading.verdict import CaseResult, Failure, Finding, GroupResult, Judgement, Reason, Sandbox, Verdict
from grader.services import accounts, attempts
from grader.services.packages import Packages
from grader.services.passwords import Passwords
from grader.store.models import Attempt, Submission, User
from grader.store.session import write_session
from tests.services.tiny_package import SLUG, WRONG

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def after(minutes: float) -> datetime:
    return NOON + timedelta(minutes=minutes)


def cheap_passwords() -> Passwords:
    """Return passwords whose hashes take little work, for many tests sign in."""
    return Passwords("scrypt:512:8:1")


def make_candidate(engine: Engine, name: str | None = None) -> User:
    """Return a new user; without a name it is one that nobody else has."""
    with write_session(engine) as session:
        return accounts.add(session, name or f"Candidate {secrets.token_hex(4)}", None, NOON)


def make_attempt(engine: Engine, packages: Packages, candidate: User, variant: str = "only") -> Attempt:
    with write_session(engine) as session:
        return attempts.start(session, candidate, packages.named(SLUG), variant, packages, NOON)


def make_submission(
    engine: Engine, candidate: User, attempt: Attempt, source: bytes = WRONG, minutes: float = 1
) -> Submission:
    with write_session(engine) as session:
        return attempts.submit(session, candidate, attempt.public_id, source, after(minutes))


def make_judgement(verdict: Verdict = Verdict.AC, faults: tuple[str, ...] = (), stage: str | None = None) -> Judgement:
    """Return a judgement of the tiny package: AC, WA in the first secret case, or JE."""
    stages = ((stage, "wrong"),) if stage else ()
    failures = {
        Verdict.AC: None,
        Verdict.WA: Failure.of(Reason.WRONG_VALUES, "canary detail 8642135", output="y has", right=""),
        Verdict.JE: Failure.of(Reason.JUDGE_ERROR, "canary detail of ours"),
    }
    failure = failures[verdict]
    cases: tuple[CaseResult, ...] = (
        CaseResult("sample_format", "samples", "sample", Verdict.AC, None, "printed in the sample \u202e\x1b[31m\0"),
        CaseResult("secret_canary_name", "values", "secret", verdict, failure, "8642135 printed"),
        CaseResult("secret_b", "values", "secret", Verdict.AC),
        CaseResult("secret_c", "shapes", "secret", Verdict.AC),
    )
    groups: tuple[GroupResult, ...] = (
        GroupResult("samples", 0, 0, Verdict.AC),
        GroupResult("values", 0 if failure else 60, 60, verdict),
        GroupResult("shapes", 40, 40, Verdict.AC),
    )
    ours = verdict is Verdict.JE
    message = failure.message if failure else "Every case agrees with the reference."
    return Judgement(
        problem=SLUG,
        package_sha256="0" * 64,
        source_sha256="0" * 64,
        verdict=verdict,
        failure=failure,
        score=None if ours else 40.0 if failure else 100.0,
        max_score=None if ours else 100.0,
        groups=() if ours else groups,
        cases=() if ours else cases,
        finding=Finding(message, stage, faults, "fingerprint" if faults else "none", stages),
        sandbox=Sandbox(("seccomp",)),
        import_prints="" if ours else "printed at import",
    )
