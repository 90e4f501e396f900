"""Maximum-likelihood distributions under a hypothesis, compared by the sequential test.

Given observed frequencies q_k of block scores a_k, the most likely distribution among those with a
given mean, or a given t-value (mean - reference) / sd, is p_k = q_k / (1 + x phi_k); x solves the
secular equation sum_k q_k phi_k / (1 + x phi_k) = 0.

All functions work on many distributions at once: the last axis runs over the scores.

Source: Michel Van den Bergh, "Comments on Normalized Elo" and "The GSPRT" (the mathematics behind
fishtest), propositions 1.1 and section 4.1.
"""

import numpy as np

from arena.rating.elo import FloatArray
from arena.rating.errors import RatingError

_ITERATIONS_MAX = 2000
_CLOSE_ENOUGH = 1e-12


def log_ratio_with_mean(frequencies: FloatArray, scores: FloatArray, mean: float) -> FloatArray:
    """ln(p_k / q_k) (..., k) for the most likely p with this mean.

    frequencies (..., k): positive, summing to 1. scores (k,). The mean must lie between the lowest
    and the highest score: `RatingError` otherwise.
    """
    if not scores.min() < mean < scores.max():
        raise RatingError(
            f"no distribution of block scores {scores.min()} to {scores.max()} has the mean {mean}"
        )
    phi = np.broadcast_to(scores - mean, frequencies.shape)
    log_ratio: FloatArray = -np.log(_denominators(frequencies, phi))
    return log_ratio


def log_ratio_with_t_value(
    frequencies: FloatArray, scores: FloatArray, reference: float, t_value: float
) -> FloatArray:
    """ln(p_k / q_k) (..., k) for the most likely p with (mean - reference) / sd = t_value.

    Starting from the uniform distribution, the constraint is linearised at the current p and
    solved, until p converges. `RatingError` if it does not (t-values far outside what the scores
    allow).
    """
    p = np.full(frequencies.shape, 1.0 / len(scores))
    for _ in range(_ITERATIONS_MAX):
        mean = (p * scores).sum(axis=-1, keepdims=True)
        sd = np.sqrt((p * (scores - mean) ** 2).sum(axis=-1, keepdims=True))
        phi = scores - reference - 0.5 * t_value * sd * (1.0 + ((mean - scores) / sd) ** 2)
        if (phi.min(axis=-1) >= 0).any() or (phi.max(axis=-1) <= 0).any():
            break
        log_ratio: FloatArray = -np.log(_denominators(frequencies, phi))
        moved = frequencies * np.exp(log_ratio)
        change = float(np.abs(moved - p).max())
        p = moved / moved.sum(axis=-1, keepdims=True)
        if change < _CLOSE_ENOUGH:
            return log_ratio
    raise RatingError(f"no distribution of block scores with t-value {t_value} found")


def _denominators(frequencies: FloatArray, phi: FloatArray) -> FloatArray:
    """1 + x phi_k (..., k) at the root x of sum_k q_k phi_k / (1 + x phi_k).

    The sum falls from one pole to the other, so the root lies between 0 and the pole on the side of
    sum_k q_k phi_k. The unknown is the distance u from that pole, because with very rare scores the
    root is too near to the pole for the precision of x. Newton within a bracket, bisected wherever
    Newton is slow.
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
        step = value / (frequencies * terms**2).sum(axis=-1)
        found = np.abs(step) <= 1e-14 * np.abs(u)
        if found.all():
            break
        inside = (u + step - near) * (u + step - far) < 0
        quick = np.abs(step) <= 0.5 * np.abs(last)
        # Converged entries stay as they are, so that rounding cannot make them bisect again.
        following = np.where(found | (inside & quick), u + step, 0.5 * (near + far))
        last = np.where(found, last, following - u)
        u = following
    denominators: FloatArray = at_pole + u[..., None] * phi
    return denominators
