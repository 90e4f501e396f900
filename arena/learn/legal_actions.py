"""Rows of masks, compiled: random choices among the legal actions, and illegal ones found."""

from numba import njit

from arena.learn.draws import below


@njit(cache=True, nogil=True)
def choose_legal(mask, streams, actions):  # type: ignore[no-untyped-def]
    """Write a uniformly random legal action of each row of masks; -1 where none is legal."""
    for i in range(mask.shape[0]):
        row = mask[i]
        legal = 0
        for a in range(row.shape[0]):
            if row[a]:
                legal += 1
        actions[i] = -1
        if legal:
            left = below(streams, i, legal)
            a = 0
            while True:
                if row[a]:
                    if left == 0:
                        break
                    left -= 1
                a += 1
            actions[i] = a


@njit(cache=True, nogil=True)
def first_illegal(mask, actions):  # type: ignore[no-untyped-def]
    """Return the first row whose action its mask forbids; -1 if all are legal."""
    for i in range(mask.shape[0]):
        a = actions[i]
        if a < 0 or a >= mask.shape[1] or not mask[i, a]:
            return i
    return -1
