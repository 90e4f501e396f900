"""Made-up leagues: random logs, and leagues whose true strengths are known."""

from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st

from arena.rating.elo import ELO_PER_NAT
from arena.rating.results import NO_BLOCK, MatchColumns, MatchResult, Results

Seats = Sequence[int]


def seated(rng: np.random.Generator, bots: int, matches: int, seats: int) -> np.ndarray:
    """(matches, seats): different bots at every table."""
    return np.argsort(rng.random((matches, bots)), axis=1)[:, :seats].astype(np.int32)


def placings_of(scores: np.ndarray) -> np.ndarray:
    """(n, s) competition placings, highest score first; equal scores tie."""
    return (1 + (scores[:, None, :] > scores[:, :, None]).sum(axis=2)).astype(np.int16)


def played(
    rng: np.random.Generator,
    elo: np.ndarray,
    bots: np.ndarray,
    *,
    grain: float = 0.5,
    luck: np.ndarray | float = 0.0,
) -> np.ndarray:
    """(n, s) placings: strength in nats plus Gumbel noise and `luck`, in steps of `grain` nats.

    grain 0 is exactly Plackett-Luce; steps make ties.
    """
    scores = elo[bots] / ELO_PER_NAT + rng.gumbel(size=bots.shape) + luck
    return placings_of(np.floor(scores / grain) if grain else scores)


def table(
    bots: np.ndarray, placings: np.ndarray, blocks: np.ndarray | None = None, first: int = 0
) -> MatchColumns:
    count = len(bots)
    lone = np.full(count, NO_BLOCK, np.int64)
    numbers = np.arange(first, first + count, dtype=np.int64)
    return MatchColumns(
        bots.astype(np.int32),
        placings.astype(np.int16),
        lone if blocks is None else blocks.astype(np.int64),
        numbers,
    )


def random_results(
    rng: np.random.Generator,
    *,
    bots: int,
    matches: int,
    seats: Seats = (2, 3, 4, 5, 6),
    spread: float = 150.0,
    grain: float = 0.5,
    block: int | None = None,
) -> Results[int]:
    """A league of bots 0 … bots − 1, `matches` spread over the table sizes; blocks of `block`."""
    elo = rng.normal(0, spread, bots)
    tables, first = [], 0
    for size in seats:
        count = matches // len(seats)
        if block:
            who = np.repeat(seated(rng, bots, -(-count // block), size), block, axis=0)[:count]
            blocks = first + np.arange(count) // block
        else:
            who, blocks = seated(rng, bots, count, size), None
        tables.append(table(who, played(rng, elo, who, grain=grain), blocks, first))
        first += count
    return Results.of_tables(range(bots), tables)


def matches_strategy(prefix: str = "m") -> st.SearchStrategy[list[MatchResult[str]]]:
    """A few matches of 2 to 6 of seven bots, with ties, some in blocks."""
    one = st.tuples(
        st.permutations("ABCDEFG"),
        st.lists(st.integers(0, 5), min_size=2, max_size=6),
        st.sampled_from([None, None, f"{prefix} block 1", f"{prefix} block 2"]),
    )

    def build(drawn: list[tuple[list[str], list[int], str | None]]) -> list[MatchResult[str]]:
        built = []
        for number, (bots, raw, block) in enumerate(drawn):
            places = [1 + sum(other < value for other in raw) for value in raw]
            seats = tuple(zip(bots[: len(raw)], places, strict=True))
            built.append(MatchResult(f"{prefix}{number}", seats, block))
        return built

    return st.lists(one, min_size=1, max_size=12).map(build)
