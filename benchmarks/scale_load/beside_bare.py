"""What a decision costs a referee beside a bare gRPC server that exchanges the same messages."""

from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from typing import Final

from arena.server.play.session import MAX_MATCHES
from benchmarks.rounds import Runs, alternate, ratios
from benchmarks.scale_load.crowd import FEW, Connected, played, played_bare

MATCHES: Final = 32
"""Of each of a few bots."""
TOGETHER: Final = 18
"""How many of their turns share a message at a referee, apart from messages without turns."""
ALONE: Final = "a turn a message"
RATIO: Final = "relative to the bare server"
_RULES: Final = {"compiled rules": "true"} if find_spec("bluff_arena_fast") else {}
RULES: Final = {"rules in Python": "false"} | _RULES
"""By what plays at the referee, the setting that chooses it."""


def beside_bare(crowd: int, rounds: int) -> dict[str, Runs]:
    """By load and server, in turns: decisions a second, the CPU of one, also relative to the bare
    server's in the same round, and the turns that share a message. The loads are a crowd whose
    players have a match each, so that nearly each turn has a message of its own, and a few bots
    with many matches.
    """
    found: dict[str, Runs] = {}
    for name, load, at_bare in (
        (ALONE, one := Connected(crowd, min(crowd, FEW * MAX_MATCHES), 1), one),
        ("many", few := Connected(FEW, FEW, MATCHES), replace(few, matches=TOGETHER)),
    ):
        arms = {"bare gRPC": partial(played_bare, at_bare)}
        for rules, chosen in RULES.items():
            arms[rules] = partial(played, load, ARENA_COMPILED=chosen)
        measured = alternate(arms, rounds)
        for server, runs in measured.items():
            shown = {what: runs[what] for what in ("decisions a second", "CPU µs", "a message")}
            relative = ratios(runs["CPU µs"], measured["bare gRPC"]["CPU µs"])
            found[f"{name}, {server}"] = shown | {RATIO: relative}
    return found
