"""What a decision costs a referee beside a bare gRPC server that exchanges the same messages."""

from dataclasses import replace
from typing import Final

from arena.server.play.session import MAX_MATCHES
from benchmarks.scale_load.crowd import FEW, Connected, played, played_bare
from benchmarks.scale_load.verdicts import Runs, together

MATCHES: Final = 32
"""Of each of a few bots."""
TOGETHER: Final = 18
"""How many of their turns share a message at a referee, apart from messages without turns."""
BARE: Final = "a bare server's CPU µs"
RATIO: Final = "relative to it"


def beside_bare(crowd: int, rounds: int) -> dict[str, Runs]:
    """By load, of alternating rounds: a decision's CPU at both and their ratio, and how many
    decisions a second and turns a message there were. The loads are a crowd whose players have a
    match each, so that nearly each turn has a message of its own, and a few bots with many matches.
    """
    found: dict[str, Runs] = {}
    for load, at_bare in (
        (alone := Connected(crowd, min(crowd, FEW * MAX_MATCHES), 1), alone),
        (few := Connected(FEW, FEW, MATCHES), replace(few, matches=TOGETHER)),
    ):
        rows = []
        for _ in range(rounds):
            bare, referee = played_bare(at_bare), played(load)
            rows.append(
                {
                    "CPU µs": referee["CPU µs"],
                    BARE: bare["CPU µs"],
                    RATIO: referee["CPU µs"] / bare["CPU µs"],
                }
                | {
                    f"{name}{at}": figures[name]
                    for at, figures in (("", referee), (" at it", bare))
                    for name in ("decisions a second", "a message")
                }
            )
        found[str(load)] = together(rows)
    return found
