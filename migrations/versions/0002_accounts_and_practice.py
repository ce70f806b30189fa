"""Accounts with sessions, links and failures; hints, drafts, diagnoses, sample runs, faults and ratings of practice."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

TIME = sa.DateTime(timezone=True)
UNJUDGED = sa.text("verdict IS NULL")


def key() -> sa.Column[int]:
    """Return a table's integer key."""
    return sa.Column("id", sa.Integer(), primary_key=True)


def reference(table: str) -> sa.Column[int]:
    """Return a column that names a row of another table."""
    return sa.Column(f"{table}_id", sa.Integer(), sa.ForeignKey(f"{table}.id"), nullable=False)


def upgrade() -> None:
    create_accounts()
    move_candidates()
    with op.batch_alter_table("attempt") as attempt:
        attempt.add_column(sa.Column("hint_level", sa.Integer(), nullable=False, server_default="1"))
        attempt.add_column(sa.Column("hint_cost", sa.Double(), nullable=False, server_default="0"))
        attempt.add_column(sa.Column("diagnosed_stage", sa.String(100)))
        attempt.add_column(sa.Column("diagnosed_at", TIME))
        attempt.add_column(sa.Column("draft", sa.LargeBinary()))
        attempt.add_column(sa.Column("draft_saved_at", TIME))
    with op.batch_alter_table("attempt") as attempt:  # the models give the values, the database none
        attempt.alter_column("hint_level", server_default=None)
        attempt.alter_column("hint_cost", server_default=None)
    op.add_column("submission", sa.Column("first_wrong_stage", sa.String(100)))
    op.add_column("submission", sa.Column("sample_outputs", sa.Text()))
    op.add_column("follow_up_answer", sa.Column("rating", sa.Integer()))
    op.add_column("follow_up_answer", sa.Column("rated_at", TIME))
    create_practice()


def create_accounts() -> None:
    """Create users, their sessions and links, and the failures of signing in."""
    op.create_table(
        "user_account",
        key(),
        sa.Column("public_id", sa.String(12), nullable=False),
        sa.Column("name", sa.String(60), nullable=False),
        sa.Column("name_key", sa.String(180), nullable=False),
        sa.Column("password_hash", sa.String(255)),
        sa.Column("is_interviewer", sa.Boolean(), nullable=False),
        sa.Column("is_admin", sa.Boolean(), nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.UniqueConstraint("public_id"),
        sa.UniqueConstraint("name_key"),
    )
    op.create_table(
        "web_session",
        key(),
        sa.Column("public_id", sa.String(12), nullable=False),
        sa.Column("token_sha256", sa.String(64), nullable=False),
        sa.Column("user_id", sa.Integer(), sa.ForeignKey("user_account.id"), nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("device", sa.String(60), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("seen_at", TIME, nullable=False),
        sa.Column("expires_at", TIME, nullable=False),
        sa.UniqueConstraint("public_id"),
        sa.UniqueConstraint("token_sha256"),
    )
    op.create_index("ix_web_session_user_id", "web_session", ["user_id"])
    op.create_table(
        "sign_in_link",
        key(),
        sa.Column("token_sha256", sa.String(64), nullable=False),
        sa.Column("user_id", sa.Integer(), sa.ForeignKey("user_account.id")),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("expires_at", TIME, nullable=False),
        sa.Column("used_at", TIME),
        sa.UniqueConstraint("token_sha256"),
    )
    op.create_index("ix_sign_in_link_user_id", "sign_in_link", ["user_id"])
    op.create_table(
        "sign_in_failure",
        key(),
        sa.Column("name_key", sa.String(180), nullable=False),
        sa.Column("address", sa.String(45), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("last_at", TIME, nullable=False),
        sa.UniqueConstraint("name_key", "address"),
    )
    op.create_index("ix_sign_in_failure_last_at", "sign_in_failure", ["last_at"])


def move_candidates() -> None:
    """Make each candidate a user whom only a link from an admin can let in again; equal names get their own key."""
    op.execute(
        "INSERT INTO user_account (id, public_id, name, name_key, is_interviewer, is_admin, epoch, created_at) "
        "SELECT id, public_id, name, lower(name) || ' ' || public_id, false, false, 1, created_at FROM candidate"
    )
    if op.get_bind().dialect.name == "postgresql":
        op.execute(
            "SELECT setval(pg_get_serial_sequence('user_account', 'id'), "
            "(SELECT coalesce(max(id), 0) + 1 FROM user_account), false)"
        )
    with op.batch_alter_table("attempt") as attempt:
        attempt.drop_constraint("fk_attempt_candidate_id_candidate", type_="foreignkey")
        attempt.create_foreign_key("fk_attempt_candidate_id_user_account", "user_account", ["candidate_id"], ["id"])
    op.drop_table("candidate")


def create_practice() -> None:
    """Create the faults of submissions and the runs of samples."""
    op.create_table(
        "submission_fault",
        key(),
        reference("submission"),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("fault", sa.String(100), nullable=False),
        sa.Column("sentence", sa.Text(), nullable=False),
        sa.UniqueConstraint("submission_id", "position"),
    )
    op.create_index("ix_submission_fault_fault", "submission_fault", ["fault"])
    op.create_table(
        "sample_run",
        key(),
        reference("attempt"),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("source", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("judged_at", TIME),
        sa.Column("verdict", sa.String(3)),
        sa.Column("reason", sa.String(40)),
        sa.Column("message", sa.Text()),
        sa.Column("outcome", sa.Text()),
        sa.UniqueConstraint("attempt_id", "ordinal"),
    )
    op.create_index("ix_sample_run_unjudged", "sample_run", ["id"], sqlite_where=UNJUDGED, postgresql_where=UNJUDGED)


def downgrade() -> None:
    for table in ("sample_run", "submission_fault", "sign_in_failure", "sign_in_link", "web_session"):
        op.drop_table(table)
    for column in ("rating", "rated_at"):
        op.drop_column("follow_up_answer", column)
    for column in ("first_wrong_stage", "sample_outputs"):
        op.drop_column("submission", column)
    op.create_table(
        "candidate",
        key(),
        sa.Column("public_id", sa.String(12), nullable=False),
        sa.Column("name", sa.String(60), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("left_at", TIME),
        sa.UniqueConstraint("public_id"),
    )
    op.execute(
        "INSERT INTO candidate (id, public_id, name, created_at) "
        "SELECT id, public_id, name, created_at FROM user_account"
    )
    if op.get_bind().dialect.name == "postgresql":
        op.execute(
            "SELECT setval(pg_get_serial_sequence('candidate', 'id'), "
            "(SELECT coalesce(max(id), 0) + 1 FROM candidate), false)"
        )
    with op.batch_alter_table("attempt") as attempt:
        attempt.drop_constraint("fk_attempt_candidate_id_user_account", type_="foreignkey")
        attempt.create_foreign_key("fk_attempt_candidate_id_candidate", "candidate", ["candidate_id"], ["id"])
        for column in ("hint_level", "hint_cost", "diagnosed_stage", "diagnosed_at", "draft", "draft_saved_at"):
            attempt.drop_column(column)
    op.drop_table("user_account")
