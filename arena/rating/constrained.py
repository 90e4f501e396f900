"""Maximum-likelihood distributions under a hypothesis, compared by the sequential test.

Given observed frequencies q_k of block scores a_k, the most likely distribution among those with a
given mean, or a given t-value (mean - reference) / sd, is p_k = q_k / (1 + x phi_k); x solves the
secular equation sum_k q_k phi_k / (1 + x phi_k) = 0.

All functions work on many distributions at once: the last axis runs over the scores.

Source: Michel Van den Bergh, "Comments on Normalized Elo" and "The GSPRT" (the mathematics behind
fishtest), proposition 1.1 and section 4.1.
"""

import numpy as np

from arena.rating.elo import FloatArray
from arena.rating.errors import RatingError

_STEPS_MAX = 100
_CLOSE_ENOUGH = 1e-14


def log_ratio_with_mean(
    frequencies: FloatArray, scores: FloatArray, mean: float, below_one: float | None = None
) -> FloatArray:
    """Return ln(p_k / q_k) for the most likely distribution p with the given mean.

    Args:
        frequencies: q (..., k), positive, summing to 1.
        scores: (k,) block scores.
        mean: The mean of p; it must lie between the lowest and the highest score.
        below_one: 1 - mean, for means so near to 1 that they equal it as floats.

    Returns:
        (..., k) log ratios.

    Raises:
        RatingError: No distribution of these scores has the mean.
    """
    below_one = 1.0 - mean if below_one is None else below_one
    phi = np.where(scores > 0.5, (scores - 1.0) + below_one, scores - mean)
    if not phi.min() < 0 < phi.max():
        raise RatingError(
            f"no distribution of block scores {scores.min():g} to {scores.max():g} has the mean "
            f"{mean:g}"
        )
    log_ratio: FloatArray = -np.log(
        _denominators(frequencies, np.broadcast_to(phi, frequencies.shape))
    )
    return log_ratio


def log_ratio_with_t_value(
    frequencies: FloatArray, scores: FloatArray, reference: float, t_value: float
) -> FloatArray:
    """Return ln(p_k / q_k) for the most likely p with (mean - reference) / sd = t_value.

    With a = scores - reference (t > 0; else all is mirrored), s = sqrt(E a^2) and
    c = t / sqrt(1 + t^2), the hypothesis is E a = c s, and the most likely p for a given s is that
    of phi = a - c (s + a^2 / s) / 2, which is above 0 where s is within a factor g of a,
    ln g = arsinh(1 / t). Where s enters the first of ranges that overlap, all mass moves to its
    score and E a^2 > s^2; where it leaves the last, E a^2 < s^2. So there is a solution in between,
    for any t. A large t has one near each score above the reference; the most likely of these
    counts.

    Args:
        frequencies: q (..., k), positive, summing to 1.
        scores: (k,) block scores.
        reference: The score from which the mean is measured.
        t_value: The distance of the mean in standard deviations of a block score.

    Returns:
        (..., k) log ratios.

    Raises:
        RatingError: No distribution of these scores has the t-value.
    """
    if t_value == 0:
        return log_ratio_with_mean(frequencies, scores, reference)
    a = (scores - reference) if t_value > 0 else (reference - scores)
    t = abs(t_value)
    q = frequencies.reshape(-1, len(scores))
    best, likelihood = np.zeros(q.shape), np.full(len(q), -np.inf)
    if _exists(a, t):
        for points in _ranges(a, t):
            values = [_excess(q, a, t, np.full(len(q), w)) for w in points[1:-1]]
            width = 2.0 * _ln_g(t)
            values = [np.full(len(q), width), *values, np.full(len(q), -width)]
            for at in range(len(points) - 1):
                rows = np.flatnonzero((values[at] > 0) & (values[at + 1] <= 0))
                ends = (points[at], points[at + 1])
                excess = (values[at][rows], values[at + 1][rows])
                log_ratio = _between(q[rows], a, t, ends, excess)
                found = (q[rows] * log_ratio).sum(axis=-1)
                more = found > likelihood[rows]
                best[rows[more]], likelihood[rows[more]] = log_ratio[more], found[more]
    if np.isneginf(likelihood).any():
        raise RatingError(
            f"no distribution of block scores {scores.min():g} to {scores.max():g} has a mean "
            f"{t_value:g} standard deviations from {reference:g}"
        )
    return best.reshape(frequencies.shape)


def _exists(a: FloatArray, t: float) -> bool:
    """Return whether a distribution with some mass on each of `a` has mean / sd = t > 0."""
    low, high = float(a.min()), float(a.max())
    # Without a value below 0, mean / sd is least for the two ends alone.
    return high > 0 and (low <= 0 or t * (high - low) > 2.0 * (low * high) ** 0.5)


def _ln_g(t: float) -> float:
    """Return ln g = arsinh(1 / t), half the width in ln s of the range around a score."""
    return float(np.arcsinh(1.0 / t))


def _ranges(a: FloatArray, t: float) -> list[list[float]]:
    """Return the values of ln s between which solutions are searched, one rising list per range.

    A range joins the overlapping ranges of scores above the reference. Its list has the two ends
    and, in between, the scores and the middles of neighbouring scores.
    """
    above = np.log(np.sort(a[a > 0]))
    found: list[list[float]] = []
    for at in above.tolist():
        start, end = at - _ln_g(t), at + _ln_g(t)
        if found and start < found[-1][-1]:
            before = found[-1][-2]
            found[-1][-1:] = [0.5 * (before + at), at, end]
        else:
            found.append([start, at, end])
    return found


def _phi(a: FloatArray, t: float, w: FloatArray) -> FloatArray:
    """Return phi (n, k) for w = ln s (n,), times a positive number: (s g - a) (a - s / g)."""
    s, ln_g = w[:, None], _ln_g(t)
    above = a > 0
    # Near a score both factors are small; expm1 keeps their digits.
    away = s - np.log(np.where(above, a, 1.0))
    near = -np.expm1(away + ln_g) * np.expm1(away - ln_g) * a**2
    return np.where(above, near, (np.exp(s + ln_g) - a) * (a - np.exp(s - ln_g)))


def _excess(q: FloatArray, a: FloatArray, t: float, w: FloatArray) -> FloatArray:
    """Return ln E a^2 - 2 ln s (n,) of the most likely distributions; nan if there is none."""
    phi = _phi(a, t, w)
    if not (phi.min(axis=-1) < 0).all() or not (phi.max(axis=-1) > 0).all():
        return np.full(len(q), np.nan)
    excess: FloatArray = np.log((q / _denominators(q, phi) * a**2).sum(axis=-1)) - 2.0 * w
    return excess


def _between(
    q: FloatArray,
    a: FloatArray,
    t: float,
    ends: tuple[float, float],
    excess: tuple[FloatArray, FloatArray],
) -> FloatArray:
    """Return ln(p_k / q_k) (n, k) of the solutions between two values of ln s.

    `excess` holds the excess at both ends. The root is found by the secant of the bracket; the
    value at an end that stays is halved (Illinois method).
    """
    low, high = (np.full(len(q), end) for end in ends)
    above, below = excess
    enough = _CLOSE_ENOUGH * min(1.0, _ln_g(t)) + np.finfo(float).eps * abs(ends[0])
    side = np.zeros(len(q))
    w = 0.5 * (low + high)
    for _ in range(_STEPS_MAX if len(q) else 0):
        value = _excess(q, a, t, w)
        if (np.abs(value) <= enough).all():
            break
        up = value > 0
        low, high = np.where(up, w, low), np.where(up, high, w)
        above = np.where(up, value, np.where(side < 0, 0.5 * above, above))
        below = np.where(up, np.where(side > 0, 0.5 * below, below), value)
        side = np.where(up, 1.0, -1.0)
        secant = low + (high - low) * above / (above - below)
        w = np.where(np.abs(value) <= enough, w, secant)
    return -np.log(_denominators(q, _phi(a, t, w)))


def _denominators(frequencies: FloatArray, phi: FloatArray) -> FloatArray:
    """Return 1 + x phi_k (..., k) at the root x of sum_k q_k phi_k / (1 + x phi_k).

    The sum falls from one pole to the other, so the root lies between 0 and the pole on the side of
    sum_k q_k phi_k. The unknown is the distance u from that pole, because with very rare scores the
    root is too near to the pole for the precision of x. The method is Newton within a bracket,
    bisected wherever Newton is slow.
    """
    surplus = (frequencies * phi).sum(axis=-1)
    pole = np.where(surplus < 0, phi.max(axis=-1), phi.min(axis=-1))[..., None]
    at_pole = (pole - phi) / pole
    near, far = np.zeros(surplus.shape), 1.0 / pole[..., 0]
    u = 0.5 * (near + far)
    last = far - near
    for _ in range(400):
        terms = phi / (at_pole + u[..., None] * phi)
        value = (frequencies * terms).sum(axis=-1)
        # The sum is infinite at the pole, with the pole's sign, and has passed 0 at x = 0.
        beyond = value * pole[..., 0] <= 0
        near, far = np.where(beyond, near, u), np.where(beyond, u, far)
        # Newton fails where the squares overflow; then the bracket is halved.
        with np.errstate(all="ignore"):
            step = value / (frequencies * terms**2).sum(axis=-1)
            inside = (u + step - near) * (u + step - far) < 0
        found = np.abs(step) <= 1e-14 * np.abs(u)
        if found.all():
            break
        quick = np.abs(step) <= 0.5 * np.abs(last)
        # Converged entries stay as they are, so that rounding cannot make them bisect again.
        following = np.where(found | (inside & quick), u + step, 0.5 * (near + far))
        last = np.where(found, last, following - u)
        u = following
    denominators: FloatArray = at_pole + u[..., None] * phi
    return denominators
