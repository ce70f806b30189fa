"""Figures for whoever watches the service, in Prometheus's format: no names, and few values for each label.

Every process counts for itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from sqlalchemy import Engine, event
from sqlalchemy.engine import ExceptionContext

from grader.grading.verdict import Verdict
from grader.sandbox.pool import Pool
from grader.services.load import Load

REQUEST_S: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
JUDGING_S: Final = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0)

disable_created_metrics()  # type: ignore[no-untyped-call]  # they would double the figures


class Metrics:
    """The counts of one process."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)  # memory, processor time, descriptors
        self._requests = Counter("grader_requests", "Requests.", ("route", "method", "status"), registry=self.registry)
        self._request_s = Histogram(
            "grader_request_seconds", "Time to answer.", ("route",), buckets=REQUEST_S, registry=self.registry
        )
        self._judged = Counter("grader_judged", "Submissions judged.", ("verdict",), registry=self.registry)
        self._judging_s = Histogram(
            "grader_judging_seconds", "Time to judge a submission.", buckets=JUDGING_S, registry=self.registry
        )
        self._sign_ins = Counter("grader_sign_in_failures", "Sign-ins refused.", registry=self.registry)
        self._database = Counter("grader_database_errors", "Errors of the database.", registry=self.registry)
        self._waiting = Gauge("grader_waiting", "Submissions and sample runs not judged yet.", registry=self.registry)
        self._oldest = Gauge(
            "grader_oldest_waiting_seconds", "How long the oldest of them waits.", registry=self.registry
        )
        for verdict in Verdict:
            self._judged.labels(verdict.value)  # so that each begins with 0

    def watch(self, engine: Engine, pool: Pool) -> None:
        """Count what goes wrong with a database, and what a sandbox's lanes do."""

        def count(context: ExceptionContext) -> None:
            self._database.inc()

        event.listen(engine, "handle_error", count)
        self.registry.register(_Lanes(pool))

    def request(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count a request."""
        self._requests.labels(route, method, str(status)).inc()
        self._request_s.labels(route).observe(seconds)

    def judged(self, verdict: Verdict, seconds: float) -> None:
        """Count a submission that was judged."""
        self._judged.labels(verdict.value).inc()
        self._judging_s.observe(seconds)

    def sign_in_failed(self) -> None:
        """Count a sign-in that was refused."""
        self._sign_ins.inc()

    def text(self, found: Load | None) -> bytes:
        """Return all figures, with those of the queue at this moment; None: they are not known."""
        self._waiting.set(found.waiting if found else math.nan)
        self._oldest.set(found.oldest_s if found else math.nan)
        return generate_latest(self.registry)


class _Lanes(Collector):
    """What a pool says of itself whenever it is asked."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    def collect(self) -> Iterator[Metric]:
        yield GaugeMetricFamily("grader_lanes", "Lanes of the sandbox.", value=self._pool.size)
        yield GaugeMetricFamily("grader_lanes_busy", "Lanes that judge.", value=self._pool.busy)
        yield CounterMetricFamily("grader_zygotes_started", "Zygotes started.", value=self._pool.zygotes_started)
