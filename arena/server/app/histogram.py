"""`Histogram`: a metric that takes many values in one call.

The one of prometheus_client takes a single value per call, at the cost of five calls and two locks;
a referee has thousands of values a second.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate
from math import inf
from typing import Final

from prometheus_client.core import HistogramMetricFamily
from prometheus_client.registry import Collector, CollectorRegistry
from prometheus_client.utils import floatToGoString


class Histogram(Collector):
    """Counts of values by bucket, and their sum; values are added by one thread only."""

    def __init__(
        self, name: str, text: str, bounds: Sequence[float], registry: CollectorRegistry
    ) -> None:
        """`bounds` are the largest values of the buckets, ascending, without infinity."""
        self._name, self._text = name, text
        self._bounds: Final = (*bounds, inf)
        self._counts = [0] * len(self._bounds)
        self._sum = 0.0
        registry.register(self)

    def add(self, value: float) -> None:
        """Count a value."""
        self._counts[bisect_left(self._bounds, value)] += 1
        self._sum += value

    def add_all(self, values: Sequence[float]) -> None:
        """Count these values."""
        for value in values:
            self._counts[bisect_left(self._bounds, value)] += 1
        self._sum += sum(values)

    def collect(self) -> Iterator[HistogramMetricFamily]:
        """Yield the figures; called from another thread."""
        up_to = accumulate(self._counts.copy())
        buckets = [
            (str(floatToGoString(bound)), count)  # type: ignore[no-untyped-call]
            for bound, count in zip(self._bounds, up_to, strict=True)
        ]
        yield HistogramMetricFamily(self._name, self._text, buckets=buckets, sum_value=self._sum)

    def describe(self) -> Iterator[HistogramMetricFamily]:
        """Yield the name, without which `/metrics?name[]=…` would leave the figures out."""
        yield HistogramMetricFamily(self._name, self._text)
