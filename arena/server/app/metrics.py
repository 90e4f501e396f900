"""A referee's metrics for Prometheus, and its readiness, over HTTP on a port of their own.

/metrics    the figures
/ready      200 when results are recorded as they should be, else 503 with the reason
/live       200 while the process runs
/address/N  200 if bots reach this referee at the Nth of ARENA_PUBLIC_ADDRESS, else 404: for a
            proxy in front of several referees
"""

import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Final
from wsgiref.simple_server import WSGIRequestHandler, make_server

from prometheus_client import CollectorRegistry, Counter, Gauge
from prometheus_client.core import CounterMetricFamily
from prometheus_client.exposition import ThreadingWSGIServer, make_wsgi_app
from prometheus_client.registry import Collector

from arena.addresses import host_port
from arena.errors import UserError
from arena.games.game import DEALER
from arena.records import FinishedMatch
from arena.server.app.histogram import Histogram

_THINKING = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 2.0, 5.0, 15.0, 32.0)
"""The buckets of the time for one decision, in seconds, up to the default time control's limit."""
_WAITING = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 15.0, 60.0, 300.0)
"""The buckets of the time that a result waits to be recorded, in seconds."""
_QUEUED = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0)
"""The buckets of the time that a message waits to be written, in seconds."""
_READ_SECONDS = 10.0
"""The time after which a peer that sends no request is disconnected."""


class _Total(Collector):
    """A counter whose value is read from another object."""

    def __init__(
        self, name: str, text: str, value: Callable[[], float], registry: CollectorRegistry
    ) -> None:
        self._name, self._text, self._value = name, text, value
        registry.register(self)

    def collect(self) -> Iterator[CounterMetricFamily]:
        """Yield the figure; called from another thread."""
        yield CounterMetricFamily(self._name, self._text, self._value())

    def describe(self) -> Iterator[CounterMetricFamily]:
        """Yield the figure's name.

        Without it the registry leaves the figure out of `/metrics?name[]=…`, and accepts a second
        one of the same name.
        """
        yield CounterMetricFamily(self._name, self._text)


class MetricsPortTakenError(UserError):
    """The error for an address that cannot be listened on; the message says what to do."""


class Metrics:
    """The figures of one referee. A Meter (see play.ports)."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        counter = partial(Counter, registry=self.registry)
        histogram = partial(Histogram, registry=self.registry)
        self._decisions = counter("arena_decisions", "Decisions of bots, in finished matches")
        self._finished = counter("arena_matches_finished", "Matches played to their end")
        self._recorded = counter("arena_matches_recorded", "Matches recorded in the database")
        self._thinking = histogram(
            "arena_decision_seconds",
            "How long bots took for a decision, as their clocks counted it",
            _THINKING,
        )
        self._waiting = histogram(
            "arena_recording_seconds", "How long a result waited to be recorded", _WAITING
        )
        self._faults = counter("arena_faults", "Faults of bots, by kind", ["kind"])
        self._resumed = counter(
            "arena_matches_resumed", "Matches of an earlier referee that this one continued"
        )
        self.queued: Final = histogram(
            "arena_send_queue_seconds",
            "How long what is for a bot waited to be written to its stream",
            _QUEUED,
        ).add
        """Records the seconds that a message for a bot waited to be written."""
        self._refusals = counter(
            "arena_refusals",
            "Streams that were refused or ended for a fault of the peer, by gRPC status",
            ["code"],
        )
        self._notes = counter(
            "arena_notes",
            "Notes of bots in finished matches, by whether they were cut off",
            ["cut"],
        )
        self._limited = counter(
            "arena_limited", "Calls and streams that were beyond a limit, by the limit", ["limit"]
        )

    def finished(self, match: FinishedMatch) -> None:
        """Count a match that was played to its end, its decisions and its faults."""
        self._finished.inc()
        took = []
        for step in match.transcript.steps:
            if step.actor is not DEALER and not step.stand_in:
                took.append(step.milliseconds / 1000)
            if step.fault is not None:
                self._faults.labels(step.fault.value).inc()
        self._decisions.inc(len(took))
        self._thinking.add_all(took)
        for note in match.notes:
            self._notes.labels("yes" if note.cut_off else "no").inc()

    def recorded(self, seconds: float) -> None:
        """Count a recorded result that waited `seconds` to be recorded."""
        self._recorded.inc()
        self._waiting.add(seconds)

    def resumed(self, matches: int) -> None:
        """Count matches that an earlier referee left and this one continues."""
        self._resumed.inc(matches)

    def refused(self, code: str) -> None:
        """Count a stream that was refused or ended with this gRPC status."""
        self._refusals.labels(code).inc()

    def limited(self, limit: str) -> None:
        """Count a call or stream beyond this limit."""
        self._limited.labels(limit).inc()

    def watch(self, name: str, text: str, value: Callable[[], float]) -> None:
        """Add a gauge whose value is computed whenever metrics are collected."""
        Gauge(name, text, registry=self.registry).set_function(value)

    def watch_total(self, name: str, text: str, value: Callable[[], float]) -> None:
        """Add a counter whose value is computed whenever metrics are collected.

        `_total` is added to its name.
        """
        _Total(name, text, value, self.registry)


@contextmanager
def metrics_served(
    metrics: Metrics,
    not_ready: Callable[[], str | None],
    host: str,
    port: int,
    address_number: int | None = None,
) -> Iterator[int]:
    """Serve the metrics from threads of their own while the block runs; yield the port.

    `not_ready` returns the reason why the referee is not ready, or None; `address_number` is the
    number of the public address at which it is reached. Raises MetricsPortTakenError.
    """
    figures = make_wsgi_app(metrics.registry)
    own_address = None if address_number is None else f"/address/{address_number}"

    def answer(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        match environ["PATH_INFO"]:
            case "/metrics":
                return figures(environ, start)  # type: ignore[no-any-return]
            case "/live":
                status, text = "200 OK", "live"
            case path if path == own_address:
                status, text = "200 OK", "bots reach it here"
            case "/ready":
                reason = not_ready()
                status = "200 OK" if reason is None else "503 Service Unavailable"
                text = reason or "ready"
            case _:
                status, text = "404 Not Found", "there are /metrics, /ready and /live"
        start(status, [("Content-Type", "text/plain; charset=utf-8")])
        return [f"{text}\n".encode()]

    try:
        kind = _IPv6Server if ":" in host else ThreadingWSGIServer
        server = make_server(host, port, answer, kind, handler_class=_Quiet)
    except OSError as error:
        raise MetricsPortTakenError(
            f"cannot listen on {host_port(host, port)} for metrics ({error.strerror}): choose "
            "another port with ARENA_METRICS_PORT."
        ) from error
    thread = threading.Thread(target=server.serve_forever, name="metrics", daemon=True)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _IPv6Server(ThreadingWSGIServer):
    """A server at an IPv6 address."""

    address_family = socket.AF_INET6


class _Quiet(WSGIRequestHandler):
    """A request handler with a time limit and without a log."""

    timeout = _READ_SECONDS

    def log_message(self, *_: Any) -> None:
        """Log nothing: requests come every few seconds."""
