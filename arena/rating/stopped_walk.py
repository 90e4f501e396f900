"""The outcome of a Brownian motion between two absorbing bounds, ordered as in a sequential test.

A test stops at a bound, or is looked at between them. Outcomes are ordered from the worst to the
best: stopped at the lower bound, the sooner the worse; not stopped, by the value; stopped at the
upper bound, the later the worse (Siegmund 1985, section 3.4; Armitage 1957). The probability of an
outcome at most as good falls with the drift. The drift at which it is 1/2 is a median-unbiased
estimate, those at which it is 0.975 and 0.025 are the ends of an interval that covers 95 %.

Probabilities are sums over mirror images (Darling & Siegert 1953). These converge fast where a test
stops soon, while other series lose digits by cancellation there.
"""

import math
from dataclasses import dataclass

_MOST_DRIFT = 1e6
_NEGLIGIBLE = 8.0
"""The number of standard deviations beyond which images are left out."""


@dataclass(frozen=True, slots=True)
class StoppedWalk:
    """An outcome of a walk from 0 with variance 1 per unit of time."""

    lower: float
    """Below 0."""
    upper: float
    """Above 0."""
    time: float
    """The time of the stop or of the look, above 0."""
    at: float
    """The value then: at or beyond a bound if the walk has stopped."""

    def chance_of_less(self, drift: float) -> float:
        """Return the probability of an outcome at most as good, for a drift per unit of time."""
        if self.at >= self.upper:
            return 1 - _absorbed(self.upper, -self.lower, self.time, drift)
        stopped = _absorbed(-self.lower, self.upper, self.time, -drift)
        if self.at <= self.lower:
            return stopped
        return stopped + self._inside(drift)

    def drift(self, chance: float) -> float:
        """Return the drift at which an outcome at most as good has this probability."""
        from scipy.optimize import brentq

        def surplus(drift: float) -> float:
            return self.chance_of_less(drift) - chance

        middle, reach = self.at / self.time, 4 / math.sqrt(self.time)
        low, high = middle - reach, middle + reach
        while surplus(low) < 0 and low > -_MOST_DRIFT:
            low -= reach
            reach *= 2
        while surplus(high) > 0 and high < _MOST_DRIFT:
            high += reach
            reach *= 2
        if surplus(low) < 0 or surplus(high) > 0:
            return math.copysign(math.inf, middle)
        return float(brentq(surplus, low, high, xtol=1e-9 * reach))

    def _inside(self, drift: float) -> float:
        """Return the probability of being between the bounds now, at most at the present value."""
        width, root = self.upper - self.lower, math.sqrt(self.time)
        total = 0.0
        for image in _images(width, self.time):
            for centre, sign in ((2 * image * width, 1), (2 * self.upper + 2 * image * width, -1)):
                low, high = (
                    (end - centre - drift * self.time) / root for end in (self.lower, self.at)
                )
                total += sign * _between(low, high, drift * centre)
        return min(1.0, max(0.0, total))


def _absorbed(bound: float, other: float, time: float, drift: float) -> float:
    """Return the probability to reach `bound` before -`other` and by a time.

    Both are above 0.
    """
    width, root, total = bound + other, math.sqrt(time), 0.0
    for image in _images(width, time):
        distance = bound + 2 * image * width
        far = abs(distance)
        # The first passage to `far`, tilted by the drift.
        near = _scaled_cdf((abs(drift) * time - far) / root, drift * bound - abs(drift) * far)
        back = _scaled_cdf((-abs(drift) * time - far) / root, drift * bound + abs(drift) * far)
        total += math.copysign(near + back, distance)
    return min(1.0, max(0.0, total))


def _images(width: float, time: float) -> range:
    most = 1 + math.ceil(_NEGLIGIBLE * math.sqrt(time) / (2 * width))
    return range(-most, most + 1)


def _scaled_cdf(z: float, exponent: float) -> float:
    """Return exp(exponent) times the normal distribution function, without overflow."""
    from scipy.special import log_ndtr

    return math.exp(min(700.0, exponent + float(log_ndtr(z))))


def _between(low: float, high: float, exponent: float) -> float:
    """Return exp(exponent) times the normal probability between two ends."""
    if low + high > 0:  # the smaller tails cancel less
        low, high = -high, -low
    return _scaled_cdf(high, exponent) - _scaled_cdf(low, exponent)
