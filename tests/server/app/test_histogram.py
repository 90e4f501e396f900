"""The histograms of the metrics, beside those of prometheus_client."""

import prometheus_client
from prometheus_client import CollectorRegistry, generate_latest

from arena.server.app.histogram import Histogram

BOUNDS = (0.001, 0.5, 1.0)
VALUES = (0.0, 0.001, 0.3, 0.5, 0.6, 1.0, 7.0)


def lines(registry: CollectorRegistry) -> list[str]:
    return [
        line for line in generate_latest(registry).decode().splitlines() if "_created" not in line
    ]


def test_many_values_at_once_are_counted_as_the_library_counts_each() -> None:
    ours, theirs = CollectorRegistry(), CollectorRegistry()
    histogram = Histogram("a_seconds", "A text", BOUNDS, ours)
    one = prometheus_client.Histogram("a_seconds", "A text", buckets=BOUNDS, registry=theirs)
    histogram.add_all(VALUES[:4])
    for value in VALUES[4:]:
        histogram.add(value)
    histogram.add_all(())
    for value in VALUES:
        one.observe(value)
    assert lines(ours) == lines(theirs)
    assert lines(ours.restricted_registry(["a_seconds_sum"])) != []
