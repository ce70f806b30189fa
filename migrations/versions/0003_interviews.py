"""Interviews: problems, interviewers, invitations, reviews, rejudging; tokens of programs; the audit log."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

TIME = sa.DateTime(timezone=True)
REFUSAL = "the audit log is only added to"


def key() -> sa.Column[int]:
    """Return a table's integer key."""
    return sa.Column("id", sa.Integer(), primary_key=True)


def upgrade() -> None:
    create_interviews()
    create_reviews()
    create_access()
    guard_audit_log()
    with op.batch_alter_table("attempt") as attempt:
        for column in ("invitation_id", "interview_problem_id", "claimed_by_id"):
            attempt.add_column(sa.Column(column, sa.Integer()))
        attempt.add_column(sa.Column("claimed_at", TIME))
        attempt.create_index("ix_attempt_interview_problem_id", ["interview_problem_id"])
        attempt.create_unique_constraint(
            "uq_attempt_invitation_id_interview_problem_id", ["invitation_id", "interview_problem_id"]
        )
        attempt.create_foreign_key("fk_attempt_invitation_id_invitation", "invitation", ["invitation_id"], ["id"])
        attempt.create_foreign_key(
            "fk_attempt_interview_problem_id_interview_problem", "interview_problem", ["interview_problem_id"], ["id"]
        )
        attempt.create_foreign_key("fk_attempt_claimed_by_id_user_account", "user_account", ["claimed_by_id"], ["id"])
    with op.batch_alter_table("package") as package:
        package.add_column(sa.Column("uploaded_by_id", sa.Integer()))
        package.create_foreign_key("fk_package_uploaded_by_id_user_account", "user_account", ["uploaded_by_id"], ["id"])
    with op.batch_alter_table("submission") as submission:
        submission.add_column(sa.Column("is_by_clock", sa.Boolean(), nullable=False, server_default=sa.false()))
        submission.create_index("ix_submission_course", ["attempt_id", "ordinal", "verdict"])
    with op.batch_alter_table("submission") as submission:  # the models give the value, the database none
        submission.alter_column("is_by_clock", server_default=None)


def create_interviews() -> None:
    """Create interviews, their problems and interviewers, invitations with extensions."""
    op.create_table(
        "interview",
        key(),
        sa.Column("public_id", sa.String(12), nullable=False),
        sa.Column("title", sa.String(120), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("archived_at", TIME),
        sa.Column("opens_at", TIME),
        sa.Column("closes_at", TIME),
        sa.Column("minutes", sa.Integer(), nullable=False),
        sa.Column("submissions_max", sa.Integer(), nullable=False),
        sa.Column("hint_level", sa.Integer(), nullable=False),
        sa.Column("verdicts", sa.String(16), nullable=False),
        sa.Column("points", sa.String(16), nullable=False),
        sa.Column("answers", sa.String(16), nullable=False),
        sa.Column("locks_practice", sa.Boolean(), nullable=False),
        sa.Column("released_at", TIME),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.UniqueConstraint("public_id"),
    )
    op.create_table(
        "interview_problem",
        key(),
        sa.Column("interview_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("package_id", sa.Integer(), nullable=False),
        sa.Column("variant", sa.String(100)),
        sa.ForeignKeyConstraint(["interview_id"], ["interview.id"]),
        sa.ForeignKeyConstraint(["package_id"], ["package.id"]),
        sa.UniqueConstraint("interview_id", "position"),
    )
    op.create_index("ix_interview_problem_package_id", "interview_problem", ["package_id"])
    op.create_table(
        "interview_member",
        key(),
        sa.Column("interview_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("part", sa.String(16), nullable=False),
        sa.ForeignKeyConstraint(["interview_id"], ["interview.id"]),
        sa.ForeignKeyConstraint(["user_id"], ["user_account.id"]),
        sa.UniqueConstraint("interview_id", "user_id"),
    )
    op.create_index("ix_interview_member_user_id", "interview_member", ["user_id"])
    op.create_table(
        "invitation",
        key(),
        sa.Column("public_id", sa.String(12), nullable=False),
        sa.Column("interview_id", sa.Integer(), nullable=False),
        sa.Column("label", sa.String(120), nullable=False),
        sa.Column("token_sha256", sa.String(64), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("revoked_at", TIME),
        sa.Column("user_id", sa.Integer()),
        sa.Column("accepted_at", TIME),
        sa.Column("started_at", TIME),
        sa.Column("ends_at", TIME),
        sa.Column("ended_at", TIME),
        sa.ForeignKeyConstraint(["interview_id"], ["interview.id"]),
        sa.ForeignKeyConstraint(["user_id"], ["user_account.id"]),
        sa.UniqueConstraint("interview_id", "user_id"),
        sa.UniqueConstraint("public_id"),
        sa.UniqueConstraint("token_sha256"),
    )
    op.create_index("ix_invitation_ends_at", "invitation", ["ends_at"])
    op.create_index("ix_invitation_user_id", "invitation", ["user_id"])
    op.create_table(
        "extension",
        key(),
        sa.Column("invitation_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("minutes", sa.Integer(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.ForeignKeyConstraint(["invitation_id"], ["invitation.id"]),
        sa.ForeignKeyConstraint(["user_id"], ["user_account.id"]),
    )
    op.create_index("ix_extension_invitation_id", "extension", ["invitation_id"])


def create_reviews() -> None:
    """Create what reviewers write, and rejudging."""
    op.create_table(
        "review",
        key(),
        sa.Column("attempt_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("private_note", sa.Text(), nullable=False),
        sa.Column("shared_note", sa.Text(), nullable=False),
        sa.Column("decision", sa.String(16)),
        sa.Column("updated_at", TIME, nullable=False),
        sa.Column("finished_at", TIME),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["attempt_id"], ["attempt.id"]),
        sa.ForeignKeyConstraint(["user_id"], ["user_account.id"]),
        sa.UniqueConstraint("attempt_id", "user_id"),
    )
    op.create_index("ix_review_user_id", "review", ["user_id"])
    op.create_table(
        "rubric_point",
        key(),
        sa.Column("review_id", sa.Integer(), nullable=False),
        sa.Column("question_id", sa.String(80), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["review_id"], ["review.id"]),
        sa.UniqueConstraint("review_id", "question_id", "position"),
    )
    op.create_table(
        "score_override",
        key(),
        sa.Column("attempt_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("score", sa.Double()),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.ForeignKeyConstraint(["attempt_id"], ["attempt.id"]),
        sa.ForeignKeyConstraint(["user_id"], ["user_account.id"]),
    )
    op.create_index("ix_score_override_attempt_id", "score_override", ["attempt_id"])
    op.create_table(
        "rejudge",
        key(),
        sa.Column("public_id", sa.String(12), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("from_package_id", sa.Integer(), nullable=False),
        sa.Column("to_package_id", sa.Integer(), nullable=False),
        sa.Column("interview_id", sa.Integer()),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("apply_asked_at", TIME),
        sa.Column("applied_at", TIME),
        sa.Column("undo_asked_at", TIME),
        sa.Column("undone_at", TIME),
        sa.Column("moved_problems", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["from_package_id"], ["package.id"]),
        sa.ForeignKeyConstraint(["interview_id"], ["interview.id"]),
        sa.ForeignKeyConstraint(["to_package_id"], ["package.id"]),
        sa.ForeignKeyConstraint(["user_id"], ["user_account.id"]),
        sa.UniqueConstraint("public_id"),
    )
    op.create_index("ix_rejudge_interview_id", "rejudge", ["interview_id"])
    op.create_table(
        "rejudge_item",
        key(),
        sa.Column("rejudge_id", sa.Integer(), nullable=False),
        sa.Column("submission_id", sa.Integer(), nullable=False),
        sa.Column("verdict", sa.String(3)),
        sa.Column("reason", sa.String(40)),
        sa.Column("score", sa.Double()),
        sa.Column("old_verdict", sa.String(3)),
        sa.Column("old_score", sa.Double()),
        sa.Column("new_rows", sa.Text()),
        sa.Column("old_rows", sa.Text()),
        sa.ForeignKeyConstraint(["rejudge_id"], ["rejudge.id"]),
        sa.ForeignKeyConstraint(["submission_id"], ["submission.id"]),
        sa.UniqueConstraint("rejudge_id", "submission_id"),
    )
    op.create_index("ix_rejudge_item_submission_id", "rejudge_item", ["submission_id"])
    op.create_index("ix_rejudge_item_verdict", "rejudge_item", ["verdict"])
    op.create_table(
        "rejudged_attempt",
        key(),
        sa.Column("rejudge_id", sa.Integer(), nullable=False),
        sa.Column("attempt_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["attempt_id"], ["attempt.id"]),
        sa.ForeignKeyConstraint(["rejudge_id"], ["rejudge.id"]),
        sa.UniqueConstraint("rejudge_id", "attempt_id"),
    )
    op.create_index("ix_rejudged_attempt_attempt_id", "rejudged_attempt", ["attempt_id"])
    op.create_table(
        "package_check",
        key(),
        sa.Column("package_id", sa.Integer(), nullable=False),
        sa.Column("done", sa.Integer(), nullable=False),
        sa.Column("total", sa.Integer(), nullable=False),
        sa.Column("checked_at", TIME),
        sa.Column("is_accepted", sa.Boolean(), nullable=False),
        sa.Column("report", sa.Text()),
        sa.Column("retired_at", TIME),
        sa.ForeignKeyConstraint(["package_id"], ["package.id"]),
        sa.UniqueConstraint("package_id"),
    )
    op.create_table(
        "evidence_record",
        key(),
        sa.Column("submission_id", sa.Integer(), nullable=False),
        sa.Column("asked_at", TIME, nullable=False),
        sa.Column("made_at", TIME),
        sa.Column("package_sha256", sa.String(64), nullable=False),
        sa.Column("record", sa.LargeBinary()),
        sa.Column("pictures", sa.Text()),
        sa.ForeignKeyConstraint(["submission_id"], ["submission.id"]),
        sa.UniqueConstraint("submission_id"),
    )
    unmade = sa.text("made_at IS NULL")
    op.create_index(
        "ix_evidence_record_unmade", "evidence_record", ["id"], sqlite_where=unmade, postgresql_where=unmade
    )


def create_access() -> None:
    """Create tokens of programs, kept replies, and the audit log, which the database refuses to alter."""
    op.create_table(
        "api_token",
        key(),
        sa.Column("public_id", sa.String(12), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("prefix", sa.String(12), nullable=False),
        sa.Column("token_sha256", sa.String(64), nullable=False),
        sa.Column("scopes", sa.String(100), nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("expires_at", TIME, nullable=False),
        sa.Column("last_used_at", TIME),
        sa.ForeignKeyConstraint(["user_id"], ["user_account.id"]),
        sa.UniqueConstraint("public_id"),
        sa.UniqueConstraint("token_sha256"),
    )
    op.create_index("ix_api_token_user_id", "api_token", ["user_id"])
    op.create_table(
        "idempotent_reply",
        key(),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("route", sa.String(200), nullable=False),
        sa.Column("key", sa.String(200), nullable=False),
        sa.Column("body_sha256", sa.String(64), nullable=False),
        sa.Column("status", sa.Integer(), nullable=False),
        sa.Column("reply", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["user_account.id"]),
        sa.UniqueConstraint("user_id", "route", "key"),
    )
    op.create_index("ix_idempotent_reply_created_at", "idempotent_reply", ["created_at"])
    op.create_table(
        "audit_entry",
        key(),
        sa.Column("at", TIME, nullable=False),
        sa.Column("actor", sa.String(12), nullable=False),
        sa.Column("action", sa.String(100), nullable=False),
        sa.Column("subject", sa.String(100), nullable=False),
        sa.Column("interview_id", sa.Integer()),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["interview_id"], ["interview.id"]),
    )
    op.create_index("ix_audit_entry_action", "audit_entry", ["action"])
    op.create_index("ix_audit_entry_actor", "audit_entry", ["actor"])
    op.create_index("ix_audit_entry_at", "audit_entry", ["at"])
    op.create_index("ix_audit_entry_interview_id", "audit_entry", ["interview_id"])


def guard_audit_log() -> None:
    """Let the database refuse changes of what is in the audit log."""
    if op.get_bind().dialect.name == "sqlite":
        for event in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER audit_entry_{event.lower()} BEFORE {event} ON audit_entry "
                f"BEGIN SELECT RAISE(ABORT, '{REFUSAL}'); END"
            )
        return
    op.execute(
        "CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN RAISE EXCEPTION '{REFUSAL}'; END $$"
    )
    op.execute(
        "CREATE TRIGGER audit_entry_is_kept BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_entry "
        "FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change()"
    )


def downgrade() -> None:
    with op.batch_alter_table("submission") as submission:
        submission.drop_index("ix_submission_course")
        submission.drop_column("is_by_clock")
    with op.batch_alter_table("package") as package:
        package.drop_constraint("fk_package_uploaded_by_id_user_account", type_="foreignkey")
        package.drop_column("uploaded_by_id")
    op.execute("UPDATE attempt SET mode = 'practice'")  # the only one that earlier releases know
    with op.batch_alter_table("attempt") as attempt:
        attempt.drop_constraint("fk_attempt_claimed_by_id_user_account", type_="foreignkey")
        attempt.drop_constraint("fk_attempt_interview_problem_id_interview_problem", type_="foreignkey")
        attempt.drop_constraint("fk_attempt_invitation_id_invitation", type_="foreignkey")
        attempt.drop_constraint("uq_attempt_invitation_id_interview_problem_id", type_="unique")
        attempt.drop_index("ix_attempt_interview_problem_id")
        for column in ("claimed_at", "claimed_by_id", "interview_problem_id", "invitation_id"):
            attempt.drop_column(column)
    for table in (
        "audit_entry",
        "idempotent_reply",
        "api_token",
        "evidence_record",
        "package_check",
        "rejudged_attempt",
        "rejudge_item",
        "rejudge",
        "score_override",
        "rubric_point",
        "review",
        "extension",
        "invitation",
        "interview_member",
        "interview_problem",
        "interview",
    ):
        op.drop_table(table)
    if op.get_bind().dialect.name == "postgresql":
        op.execute("DROP FUNCTION refuse_audit_change()")
