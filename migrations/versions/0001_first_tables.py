"""The first tables: packages, candidates, attempts, submissions with their results, follow-up answers."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
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
    op.create_table(
        "package",
        key(),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("slug", sa.String(100), nullable=False),
        sa.Column("title", sa.String(400), nullable=False),
        sa.Column("archive", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.UniqueConstraint("sha256"),
    )
    op.create_index("ix_package_slug", "package", ["slug"])
    op.create_table(
        "candidate",
        key(),
        sa.Column("public_id", sa.String(12), nullable=False),
        sa.Column("name", sa.String(60), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("left_at", TIME),
        sa.UniqueConstraint("public_id"),
    )
    op.create_table(
        "attempt",
        key(),
        sa.Column("public_id", sa.String(12), nullable=False),
        reference("candidate"),
        reference("package"),
        sa.Column("variant", sa.String(100), nullable=False),
        sa.Column("mode", sa.String(16), nullable=False),
        sa.Column("started_at", TIME, nullable=False),
        sa.Column("solved_at", TIME),
        sa.Column("given_up_at", TIME),
        sa.Column("best_score", sa.Double()),
        sa.UniqueConstraint("public_id"),
    )
    op.create_index("ix_attempt_candidate_id", "attempt", ["candidate_id"])
    op.create_index("ix_attempt_package_id", "attempt", ["package_id"])
    create_results()
    op.create_table(
        "follow_up_answer",
        key(),
        reference("attempt"),
        sa.Column("question_id", sa.String(80), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.UniqueConstraint("attempt_id", "question_id"),
    )


def create_results() -> None:
    """Create the submissions and what judging says of them."""
    op.create_table(
        "submission",
        key(),
        reference("attempt"),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("source", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("judged_at", TIME),
        sa.Column("verdict", sa.String(3)),
        sa.Column("reason", sa.String(40)),
        sa.Column("message", sa.Text()),
        sa.Column("detail", sa.Text()),
        sa.Column("score", sa.Double()),
        sa.Column("max_score", sa.Double()),
        sa.Column("import_prints", sa.Text()),
        sa.Column("judgement", sa.Text()),
        sa.UniqueConstraint("attempt_id", "ordinal"),
    )
    op.create_index("ix_submission_unjudged", "submission", ["id"], sqlite_where=UNJUDGED, postgresql_where=UNJUDGED)
    op.create_table(
        "case_result",
        key(),
        reference("submission"),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("group", sa.String(100), nullable=False),
        sa.Column("visibility", sa.String(6), nullable=False),
        sa.Column("verdict", sa.String(3)),
        sa.Column("reason", sa.String(40)),
        sa.Column("message", sa.Text()),
        sa.Column("detail", sa.Text()),
        sa.Column("prints", sa.Text(), nullable=False),
        sa.UniqueConstraint("submission_id", "position"),
    )
    op.create_table(
        "group_result",
        key(),
        reference("submission"),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("points", sa.Double(), nullable=False),
        sa.Column("max_points", sa.Double(), nullable=False),
        sa.Column("verdict", sa.String(3)),
        sa.UniqueConstraint("submission_id", "position"),
    )


def downgrade() -> None:
    for table in ("follow_up_answer", "group_result", "case_result", "submission", "attempt", "candidate", "package"):
        op.drop_table(table)
