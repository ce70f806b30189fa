"""How often what an entry of the audit log tells was read again within its stretch of time.

A release without it goes on working: it leaves the table empty, and its readings are not counted.
"""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "repeated_reading",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("entry_id", sa.Integer(), nullable=False),
        sa.Column("times", sa.Integer(), nullable=False),
        sa.Column("last_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_repeated_reading"),
        sa.ForeignKeyConstraint(["entry_id"], ["audit_entry.id"], name="fk_repeated_reading_entry_id_audit_entry"),
        sa.UniqueConstraint("entry_id", name="uq_repeated_reading_entry_id"),
    )


def downgrade() -> None:
    op.drop_table("repeated_reading")
