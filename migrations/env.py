"""Runs the revisions on the connection that `grader.store.migrate` hands over."""

from alembic import context

from grader.store.models import Base

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    transactional_ddl=True,
    transaction_per_migration=False,
)
context.run_migrations()
