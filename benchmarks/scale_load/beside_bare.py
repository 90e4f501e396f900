"""What a decision costs a referee beside a bare gRPC server that exchanges the same messages."""

from dataclasses import replace
from importlib.util import find_spec
from typing import Final

from arena.server.play.session import MAX_MATCHES
from benchmarks.scale_load.crowd import FEW, Connected, played, played_bare
from benchmarks.scale_load.verdicts import Runs, together

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
        measured = [
            {"bare gRPC": played_bare(at_bare)}
            | {rules: played(load, ARENA_COMPILED=chosen) for rules, chosen in RULES.items()}
            for _ in range(rounds)
        ]
        for server in measured[0]:
            runs = together(one_round[server] for one_round in measured)
            shown = {what: runs[what] for what in ("decisions a second", "CPU µs", "a message")}
            if server in RULES:
                shown[RATIO] = [
                    one_round[server]["CPU µs"] / one_round["bare gRPC"]["CPU µs"]
                    for one_round in measured
                ]
            found[f"{name}, {server}"] = shown
    return found
