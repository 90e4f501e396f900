"""A referee with a crowd of connected bots, beside one with a few at as many running matches, and
beside a bare gRPC server that exchanges the same messages."""

import asyncio
import json
import subprocess
from dataclasses import dataclass, replace
from functools import partial
from importlib.util import find_spec
from typing import Final

from arena.processes import processor_seconds
from arena.server.limits.channel_options import MAX_STREAMS_PER_CONNECTION
from arena.server.play.session import MAX_MATCHES
from benchmarks.memory import resident_mb
from benchmarks.referee_load.stage import (
    bare_server,
    client,
    database,
    next_line,
    referee,
    register,
)
from benchmarks.rounds import Figures, Runs, alternate, ratios

FEW: Final = 8
SECONDS: Final = 8.0
STREAMS: Final = MAX_STREAMS_PER_CONNECTION
IDLE_REFEREE: Final = "the referee"
OF_THE_FEW: Final = "of the few's "
NOBODYS_GAME: Final = "bloeff"
"""No table of the referee plays it."""
MATCHES_EACH: Final = 32
"""The matches of each of the few bots that are compared with a bare server."""
TOGETHER: Final = 18
"""How many of their turns share a message at a referee, not counting messages without turns."""
ALONE: Final = "a turn a message"
RATIO: Final = "relative to the bare server"
_RULES: Final = {"compiled rules": "true"} if find_spec("bluff_arena_fast") else {}
RULES: Final = {"rules in Python": "false"} | _RULES
"""The setting that chooses what plays at the referee, by its name in the table."""


@dataclass(frozen=True, slots=True)
class Connected:
    """A number of connected bots, of which some play and the others wait."""

    bots: int
    players: int
    matches: int
    """The matches at once of each bot that plays."""

    def __str__(self) -> str:
        return f"{self.bots:,} bots, {self.players} of them with {self.matches} matches each"


def decisions(crowd: int, rounds: int) -> dict[str, Runs]:
    """Return by load and round, in turns: decisions a second, the referee's CPU for one, turns that
    share a message, the matches that ran, seconds until all were connected, and the referee's
    memory; then the decisions and their CPU relative to those of the few. The loads are a few bots;
    a crowd of which the same few play; and a crowd with as many matches, one for each player.
    """
    found: dict[str, Runs] = {}
    for matches in (MAX_MATCHES, 1):
        few = Connected(FEW, FEW, matches)
        # With one match each, the two crowds are the same.
        loads = [few, Connected(crowd, FEW, matches), Connected(crowd, FEW * matches, 1)]
        measured = alternate({load: partial(played, load) for load in loads}, rounds)
        for load, runs in measured.items():
            for name in ("decisions a second", "CPU µs"):
                runs[f"{OF_THE_FEW}{name}"] = ratios(runs[name], measured[few][name])
            found[str(load)] = runs
    return found


def beside_bare(crowd: int, rounds: int) -> dict[str, Runs]:
    """Return by load and server, in turns: decisions a second, the CPU of one, also relative to the
    bare server's in the same round, and the turns that share a message. The loads are a crowd whose
    players have a match each, so that nearly each turn has a message of its own, and a few bots
    with many matches.
    """
    found: dict[str, Runs] = {}
    for name, load, at_bare in (
        (ALONE, one := Connected(crowd, min(crowd, FEW * MAX_MATCHES), 1), one),
        ("many", few := Connected(FEW, FEW, MATCHES_EACH), replace(few, matches=TOGETHER)),
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


def played(arm: Connected, **settings: str) -> Figures:
    """Return what a new referee with these settings needs for a load."""
    # A new database each time: a referee continues the matches that the previous one has left.
    with database() as url:
        tokens = asyncio.run(register(url, arm.bots, "bot"))
        with referee(url, "arena", None, **settings) as at:
            return _played(*at, tokens, arm)


def played_bare(arm: Connected) -> Figures:
    """Return what a bare gRPC server needs to exchange the same messages."""
    with bare_server("bare") as at:
        return _played(*at, [f"token{n}" for n in range(arm.bots)], arm)


def _played(
    port: int, process: "subprocess.Popen[bytes]", tokens: list[str], arm: Connected
) -> Figures:
    playing = ("players", "crowd", port, arm.matches, arm.players, SECONDS)
    with client(*playing, tokens=tokens) as players:
        next_line(players)
        before = processor_seconds(process.pid)
        figures: Figures = json.loads(next_line(players))
        spent = processor_seconds(process.pid) - before
    if not figures["decisions"]:
        raise RuntimeError(f"no decision was made in {SECONDS:.0f} s: {arm}")
    return {
        "decisions a second": figures["per_second"],
        "CPU µs": 1e6 * spent / figures["decisions"],
        "a message": figures["decisions_per_message"],
        "matches running": figures["running"],
        "connected after s": figures["connected_after"],
        "MB": resident_mb(process.pid),
    }


def idle_memory(bots: int) -> Figures:
    """Return the memory in MB with `bots` that wait: the referee's if each has a connection of its
    own, and if STREAMS bots share one, as those of a worker do; and that of a bare gRPC server with
    as many connections."""
    with database() as url:
        tokens = asyncio.run(register(url, bots, "idle"))
        return {
            IDLE_REFEREE: _idle_referee(url, tokens, 1),
            f"{STREAMS} bots a connection": _idle_referee(url, tokens, STREAMS),
            "a bare gRPC server": _idle_server(bots),
        }


def _idle_server(connections: int) -> float:
    with (
        bare_server("echo", "serve") as (port, process),
        client("echo", "hold", port, connections) as holding,
    ):
        return _memory_of(process, holding)


def _idle_referee(url: str, tokens: list[str], sharing: int) -> float:
    with (
        referee(url) as (port, process),
        client("players", "idle", port, NOBODYS_GAME, sharing, tokens=tokens) as players,
    ):
        return _memory_of(process, players)


def _memory_of(server: "subprocess.Popen[bytes]", clients: "subprocess.Popen[str]") -> float:
    """Return the server's memory, once all clients are connected."""
    next_line(clients)
    memory = resident_mb(server.pid)
    clients.kill()
    return memory
