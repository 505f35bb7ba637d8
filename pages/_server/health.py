"""Two routes for operators: whether the server is ready, and its counters for Prometheus.

`/ready` answers 200 once the first space is loaded and the pool takes jobs, else 503. `/metrics` exists only if
`EMBEDVIZ_METRICS` is set; it names no visitor, no file and no word. Streamlit's own `/_stcore/health` says whether the
process lives.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from starlette.responses import Response
from starlette.routing import Route

from embedviz import jobs
from pages._shared.app.registry import live

if TYPE_CHECKING:
    from prometheus_client.core import Metric
    from starlette.requests import Request


class ServerState:
    """State of the server.

    Attributes:
        warm: Whether the first space is loaded.
        ended: Number of ended jobs by function and outcome.
        seconds: Seconds that the ended jobs took, by function.
    """

    def __init__(self) -> None:
        self.warm = False
        self.ended: Counter[tuple[str, str]] = Counter()
        self.seconds: Counter[str] = Counter()


def state() -> ServerState:
    """Return the state of this server, which all parts of its process share."""
    return live("state of the server", ServerState)


def sessions() -> int:
    """Return how many browser tabs are connected now."""
    from streamlit.runtime import Runtime

    return Runtime.instance()._session_mgr.num_active_sessions() if Runtime.exists() else 0


class Counters:
    """Collector for Prometheus: it reads this server's numbers at each request."""

    def collect(self) -> Iterable[Metric]:
        """Yield the metrics: sessions, unfinished jobs, ended jobs and their seconds by function, memory of workers."""
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

        yield GaugeMetricFamily("embedviz_sessions", "Connected browser tabs.", sessions())
        unfinished = Counter(job.state for job in jobs.pool().jobs() if not job.finished)
        now = GaugeMetricFamily("embedviz_jobs", "Jobs that have not ended.", labels=["state"])
        for name in ("waiting", "running"):
            now.add_metric([name], unfinished[name])
        yield now
        ended = CounterMetricFamily("embedviz_jobs_ended", "Jobs that have ended.", labels=["function", "outcome"])
        for key, count in list(state().ended.items()):  # a copy: jobs end meanwhile in other threads
            ended.add_metric(key, count)
        yield ended
        seconds = CounterMetricFamily("embedviz_job_seconds", "Seconds of ended jobs.", labels=["function"])
        for function, total in list(state().seconds.items()):
            seconds.add_metric([function], total)
        yield seconds
        yield GaugeMetricFamily("embedviz_workers_resident_bytes", "Memory of the workers.", jobs.pool().memory_held())


async def ready(request: Request) -> Response:
    """Answer 200 if the server is ready for visitors, else 503."""
    good = state().warm and not jobs.pool().closed
    return Response("ready" if good else "starting", 200 if good else 503, {"Cache-Control": "no-store"})


async def metrics(request: Request) -> Response:
    """Answer with the counters in the text format of Prometheus; 404 unless `EMBEDVIZ_METRICS` is set."""
    if not os.environ.get("EMBEDVIZ_METRICS"):
        return Response(status_code=404)
    from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, ProcessCollector, generate_latest

    registry = CollectorRegistry()
    registry.register(Counters())
    ProcessCollector(registry=registry)
    return Response(generate_latest(registry), media_type=CONTENT_TYPE_LATEST)


ROUTES = [
    Route("/{_:path}ready", ready, methods=["GET"]),
    Route("/{_:path}metrics", metrics, methods=["GET"]),
]
"""The routes for `st.App(routes=…)`."""
