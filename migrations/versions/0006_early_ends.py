"""Ends of a candidate's time before it was over: by whom, and why; those of before are told by the audit log."""

import json

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

TOLD = """
SELECT invitation.id AS invitation, user_account.id AS actor, audit_entry.at AS at, audit_entry.detail AS detail
FROM audit_entry
JOIN invitation ON audit_entry.subject = 'invitation ' || invitation.public_id
JOIN user_account ON user_account.public_id = audit_entry.actor
WHERE audit_entry.action = 'invitation.end'
ORDER BY audit_entry.id
"""


def upgrade() -> None:
    table = op.create_table(
        "early_end",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("invitation_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("is_told", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["invitation_id"], ["invitation.id"]),
        sa.ForeignKeyConstraint(["user_id"], ["user_account.id"]),
    )
    op.create_index("ix_early_end_invitation_id", "early_end", ["invitation_id"])
    told = sa.text(TOLD).columns(at=sa.DateTime(timezone=True))
    rows = [
        {
            "invitation_id": invitation,
            "user_id": user,
            "reason": json.loads(detail).get("reason", ""),
            "is_told": False,
            "created_at": at,
        }
        for invitation, user, at, detail in op.get_bind().execute(told)
    ]
    if rows:
        op.bulk_insert(table, rows)


def downgrade() -> None:
    op.drop_table("early_end")
