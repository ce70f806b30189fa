"""Which submissions' findings were made although nobody looked whether a known fault returns the same.

Until now that was read from the stored result, which is long. A release without the column goes on working: it leaves
it empty, and such findings count as looked up.
"""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("submission", sa.Column("is_not_looked_up", sa.Boolean()))
    # the result has this key only where it is false; within its texts quotes have a backslash before them
    submission = sa.table("submission", sa.column("is_not_looked_up", sa.Boolean()), sa.column("judgement", sa.Text()))
    is_told = submission.c.judgement.contains('"looked_up":', autoescape=True)
    op.execute(submission.update().where(is_told).values(is_not_looked_up=True))


def downgrade() -> None:
    op.drop_column("submission", "is_not_looked_up")
