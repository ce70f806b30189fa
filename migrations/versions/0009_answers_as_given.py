"""What an answer was given to: the question as it was put, and the text of the choice that was taken.

A release without it goes on working: it leaves the columns empty, and such answers are told by the package of then.
"""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("follow_up_answer", sa.Column("question", sa.Text()))
    op.add_column("follow_up_answer", sa.Column("choice", sa.Text()))


def downgrade() -> None:
    op.drop_column("follow_up_answer", "choice")
    op.drop_column("follow_up_answer", "question")
