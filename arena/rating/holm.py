"""P-values corrected for the number of tests."""

from collections.abc import Sequence


def holm(ps: Sequence[float], tests: int | None = None) -> list[float]:
    """Return p-values corrected for their number, or for `tests` if that is more.

    The chance that any true null hypothesis has a corrected value below q is at most q, however the
    tests depend on each other (Holm 1979, A simple sequentially rejective multiple test procedure).
    """
    tests, highest = max(tests or 0, len(ps)), 0.0
    corrected = [1.0] * len(ps)
    for rank, at in enumerate(sorted(range(len(ps)), key=ps.__getitem__)):
        highest = max(highest, min(1.0, (tests - rank) * ps[at]))
        corrected[at] = highest
    return corrected
