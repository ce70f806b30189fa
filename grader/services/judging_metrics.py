"""Figures of judging in Prometheus's format, for whichever process judges: a web process or a worker."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector, disable_created_metrics
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from grader.grading.verdict import Verdict
from grader.sandbox.pool import Pool

JUDGING_S: Final = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0)

disable_created_metrics()  # type: ignore[no-untyped-call]  # they would double the figures


class JudgingMetrics:
    """What one process judged, and what it used."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)  # memory, processor time, descriptors
        self._judged = Counter("grader_judged", "Submissions judged.", ("verdict",), registry=self.registry)
        self._judging_s = Histogram(
            "grader_judging_seconds", "Time to judge a submission.", buckets=JUDGING_S, registry=self.registry
        )
        for verdict in Verdict:
            self._judged.labels(verdict.value)  # so that each begins with 0

    def watch(self, pool: Pool) -> None:
        """Count what a sandbox's lanes do."""
        self.registry.register(_Lanes(pool))

    def judged(self, verdict: Verdict, seconds: float) -> None:
        """Count a submission that was judged."""
        self._judged.labels(verdict.value).inc()
        self._judging_s.observe(seconds)


class _Lanes(Collector):
    """What a pool says of itself whenever it is asked."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    def collect(self) -> Iterator[Metric]:
        yield GaugeMetricFamily("grader_lanes", "Lanes of the sandbox.", value=self._pool.size)
        yield GaugeMetricFamily("grader_lanes_busy", "Lanes that judge.", value=self._pool.busy)
        yield CounterMetricFamily("grader_zygotes_started", "Zygotes started.", value=self._pool.zygotes_started)
