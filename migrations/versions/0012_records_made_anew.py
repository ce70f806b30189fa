"""When an evidence record was made that is being made anew, so that it stays where that fails.

A release without the column goes on working: it leaves the column as it is, and replaces the record as before.
"""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("evidence_record", sa.Column("made_before_at", sa.DateTime(timezone=True)))


def downgrade() -> None:
    op.drop_column("evidence_record", "made_before_at")
