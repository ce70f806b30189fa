"""The queue of the workers, on PostgreSQL alone: nothing but it has workers."""

from pathlib import Path

from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

# what is left when the tables are gone, functions before the types that they take
REMOVE = """
DROP TABLE procrastinate_events, procrastinate_periodic_defers, procrastinate_jobs, procrastinate_workers CASCADE;
DO $$
DECLARE found regprocedure;
BEGIN
    FOR found IN
        SELECT oid::regprocedure FROM pg_proc
        WHERE proname LIKE 'procrastinate\\_%' AND pronamespace = current_schema()::regnamespace
    LOOP
        EXECUTE 'DROP FUNCTION ' || found;
    END LOOP;
END;
$$;
DROP TYPE procrastinate_job_to_defer_v1, procrastinate_job_event_type, procrastinate_job_status;
"""


def upgrade() -> None:
    _execute(Path(__file__).parents[1].joinpath("procrastinate.sql").read_text())


def downgrade() -> None:
    _execute(REMOVE)


def _execute(script: str) -> None:
    connection = op.get_bind()
    if connection.dialect.name == "postgresql":
        # past SQLAlchemy, which would look for parameters in it and have the driver prepare it as one statement
        connection.connection.driver_connection.execute(script)
