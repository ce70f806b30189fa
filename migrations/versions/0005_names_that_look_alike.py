"""What a name looks like, one for names that can be taken for each other.

A release without it goes on working: it leaves the column empty, which any number of rows may. So it stays too where
names looked alike before: who was there first has it, and all of them sign in as ever.
"""

import sqlalchemy as sa
from alembic import op

from grader.services.names import look_of

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

LENGTH = 240
USERS = sa.table(
    "user_account", sa.column("id", sa.Integer), sa.column("name", sa.String), sa.column("name_key", sa.String),
    sa.column("name_look", sa.String),
)  # fmt: skip


def upgrade() -> None:
    op.add_column("user_account", sa.Column("name_look", sa.String(LENGTH)))
    looks: dict[str, int] = {}
    found = op.get_bind().execute(sa.select(USERS.c.id, USERS.c.name, USERS.c.name_key).order_by(USERS.c.id))
    for key, name, name_key in found.all():
        look = look_of(name)
        if len(look) <= LENGTH and not name_key.startswith("\x01"):  # that is a deleted account's
            looks.setdefault(look, key)
    statement = sa.update(USERS).where(USERS.c.id == sa.bindparam("key")).values(name_look=sa.bindparam("look"))
    if looks:
        op.get_bind().execute(statement, [{"key": key, "look": look} for look, key in looks.items()])
    op.create_index("ix_user_account_name_look", "user_account", ["name_look"], unique=True)


def downgrade() -> None:
    op.drop_index("ix_user_account_name_look", "user_account")
    op.drop_column("user_account", "name_look")
