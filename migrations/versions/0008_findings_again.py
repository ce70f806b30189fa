"""Which submissions' findings are made again, once what known faults return is there.

A release without it goes on working: it leaves the column empty, and makes no finding again.
"""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("submission", sa.Column("is_finding_due", sa.Boolean()))
    is_due = sa.text("is_finding_due IS NOT NULL")
    op.create_index("ix_submission_finding_due", "submission", ["id"], sqlite_where=is_due, postgresql_where=is_due)


def downgrade() -> None:
    op.drop_index("ix_submission_finding_due", "submission")
    op.drop_column("submission", "is_finding_due")
