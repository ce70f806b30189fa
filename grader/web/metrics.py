"""Figures for whoever watches the service, in Prometheus's format: no names, and few values for each label.

Every process counts for itself.
"""

from __future__ import annotations

import math
from typing import Final

from prometheus_client import Counter, Gauge, Histogram, generate_latest
from sqlalchemy import Engine, event
from sqlalchemy.engine import ExceptionContext

from grader.sandbox.pool import Pool
from grader.services.judging_metrics import JudgingMetrics
from grader.services.load import Load

REQUEST_S: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)


class Metrics:
    """The counts of one process."""

    def __init__(self) -> None:
        self.judging = JudgingMetrics()
        self.registry = self.judging.registry
        self._requests = Counter("grader_requests", "Requests.", ("route", "method", "status"), registry=self.registry)
        self._request_s = Histogram(
            "grader_request_seconds", "Time to answer.", ("route",), buckets=REQUEST_S, registry=self.registry
        )
        self._sign_ins = Counter("grader_sign_in_failures", "Sign-ins refused.", registry=self.registry)
        self._database = Counter("grader_database_errors", "Errors of the database.", registry=self.registry)
        self._waiting = Gauge("grader_waiting", "Submissions and sample runs not judged yet.", registry=self.registry)
        self._oldest = Gauge(
            "grader_oldest_waiting_seconds", "How long the oldest of them waits.", registry=self.registry
        )

    def watch(self, engine: Engine, pool: Pool) -> None:
        """Count what goes wrong with a database, and what a sandbox's lanes do."""

        def count(context: ExceptionContext) -> None:
            self._database.inc()

        event.listen(engine, "handle_error", count)
        self.judging.watch(pool)

    def request(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count a request."""
        self._requests.labels(route, method, str(status)).inc()
        self._request_s.labels(route).observe(seconds)

    def sign_in_failed(self) -> None:
        """Count a sign-in that was refused."""
        self._sign_ins.inc()

    def text(self, found: Load | None) -> bytes:
        """Return all figures, with those of the queue at this moment; None: they are not known."""
        self._waiting.set(found.waiting if found else math.nan)
        self._oldest.set(found.oldest_s if found else math.nan)
        return generate_latest(self.registry)
