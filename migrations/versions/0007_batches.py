"""Batches that workers judge: rows that come and go with a command."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "batch_run",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("seen_at", TIME, nullable=False),
        sa.Column("finding", sa.String(8), nullable=False),
        sa.Column("has_evidence", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_batch_run"),
    )
    op.create_index("ix_batch_run_seen_at", "batch_run", ["seen_at"])
    op.create_table(
        "batch_source",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("batch_run_id", sa.Integer(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("package_id", sa.Integer(), nullable=False),
        sa.Column("source", sa.LargeBinary(), nullable=False),
        sa.Column("judged_at", TIME),
        sa.Column("result", sa.Text()),
        sa.Column("evidence", sa.Text()),
        sa.Column("trouble", sa.Text()),
        sa.PrimaryKeyConstraint("id", name="pk_batch_source"),
        sa.ForeignKeyConstraint(["batch_run_id"], ["batch_run.id"], name="fk_batch_source_batch_run_id_batch_run"),
        sa.ForeignKeyConstraint(["package_id"], ["package.id"], name="fk_batch_source_package_id_package"),
        sa.UniqueConstraint("batch_run_id", "ordinal", name="uq_batch_source_batch_run_id_ordinal"),
    )
    op.create_index("ix_batch_source_package_id", "batch_source", ["package_id"])
    is_waiting = sa.text("judged_at IS NULL")
    op.create_index(
        "ix_batch_source_unjudged",
        "batch_source",
        ["batch_run_id"],
        sqlite_where=is_waiting,
        postgresql_where=is_waiting,
    )


def downgrade() -> None:
    op.drop_table("batch_source")
    op.drop_table("batch_run")
