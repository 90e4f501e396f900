"""Very cheap Bluff bots, so that a benchmark measures the referee's work.

python -m benchmarks.referee_load.players play PORT MATCHES_AT_ONCE SECONDS [WARM_UP] < tokens
python -m benchmarks.referee_load.players deal PORT MATCHES_IN_ALL SECONDS WARM_UP THINKING < tokens
python -m benchmarks.referee_load.players count PORT MATCHES_AT_ONCE SECONDS < tokens
python -m benchmarks.referee_load.players until PORT MATCHES_AT_ONCE DECISIONS < tokens
python -m benchmarks.referee_load.players crowd PORT MATCHES_AT_ONCE PLAYERS SECONDS < tokens
python -m benchmarks.referee_load.players idle PORT [GAME [SHARING]] < tokens

They use the protocol like any bot and play like the sample bot `timid`: the smallest raise, and a
doubt a fifth of the time.

`play` prints decisions/s, the median time from an answer to the next turn of its match in µs,
decisions per match and per message. `deal` prints the same for bots that have MATCHES_IN_ALL at all
referees in use, play here their part of these, as the SDK deals them out, and take THINKING seconds
for each turn. `count` prints the number of decisions so far for ten moments per second. `until`
plays DECISIONS and prints how many were refused, by kind of fault. `crowd` connects all bots, lets
the first PLAYERS play and the others wait, prints a line when it begins to count, and figures.
`idle` connects bots, of Bluff or another game, SHARING over each connection, prints a line and
stays connected.
"""

import asyncio
import itertools
import json
import secrets
import statistics
import sys
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from random import Random
from time import monotonic, perf_counter
from typing import Any

import grpc
import grpc.aio

from arena.v1 import bluff_pb2, referee_pb2, referee_pb2_grpc, transcript_pb2
from benchmarks.options import words
from benchmarks.referee_load.echo import OWN_CONNECTION

DOUBTS = 0.2
FACES = bluff_pb2.BluffFace.values()[1:]
"""The faces in the order of `lowest`, without BLUFF_FACE_UNSPECIFIED."""
AT_ONCE = 100
SETTLING = 5.0
"""Seconds between the last bot's connecting and the first decision that counts."""


def shared(number: int) -> list[tuple[str, int]]:
    """Channel options: channels with the same number share a connection."""
    # Only channels whose options are equal do; gRPC knows no option of this name.
    return [("benchmark.connection", number)]


class Load:
    """The counts of all bots of this process."""

    def __init__(self) -> None:
        self.counting = False
        self.connected = asyncio.Semaphore(0)
        self.decisions = self.messages = self.ends = 0
        self.times: list[float] = []
        self.names: set[str] = set()
        self.among_us: set[str] = set()
        """Matches in which only bots of this process sit."""
        self.refused: Counter[str] = Counter()
        """Refusals by kind of fault."""
        self.answered_at: dict[str, float] = {}
        """The time of the last answer by match; the referee's time ends with the next turn."""
        self.running: set[str] = set()
        """Matches that have begun and not ended."""

    async def connections(self, count: int) -> None:
        """Wait until `count` more bots are connected."""
        for _ in range(count):
            await self.connected.acquire()

    def heard(self, response: referee_pb2.PlayResponse) -> None:
        """Is called with each message of the referee, before it is answered."""


async def play(
    port: int,
    token: str,
    matches: int,
    load: Load,
    game: str = "bluff",
    *,
    waits: bool = False,
    deals: bool = False,
    thinking: float = 0.0,
    connection: Sequence[tuple[str, int]] = OWN_CONNECTION,
) -> None:
    """Run one bot until its stream ends. One that `waits` plays nothing; one that `deals` plays its
    part of the matches here; `thinking` is the seconds that it takes for each turn."""
    random, own = Random(token), ""
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}", connection) as channel:
        metadata = (("authorization", f"Bearer {token}"),)
        stream = referee_pb2_grpc.RefereeServiceStub(channel).Play(metadata=metadata)
        places = -1 if deals else matches
        hello = referee_pb2.Hello(protocol_version=1, games=[game], max_matches=places)
        if waits:
            hello.challenges = referee_pb2.CHALLENGE_POLICY_OWN_ONLY
        await stream.write(referee_pb2.PlayRequest(hello=hello))
        while isinstance(response := await stream.read(), referee_pb2.PlayResponse):
            now = perf_counter()
            load.heard(response)
            request = referee_pb2.PlayRequest()
            if deals and (response.HasField("welcome") or response.HasField("referees")):
                welcomed = response.HasField("welcome")
                own = response.welcome.address if welcomed else own
                referees = response.welcome.referees if welcomed else response.referees
                request.places.max_matches = share(matches, referees, own)
            for offer in response.offers:
                request.joins.add(match_id=offer.match_id, entropy=secrets.token_bytes(16))
            for begin in response.begins:
                load.running.add(begin.match_id)
                if all(entrant.bot in load.names for entrant in begin.entrants):
                    load.among_us.add(begin.match_id)
            for turn in response.turns:
                answered = load.answered_at.get(turn.match_id)
                if answered is not None and load.counting and turn.match_id in load.among_us:
                    load.times.append(now - answered)
                answer(turn, request.answers.add(), random)
            for refusal in response.refusals:
                load.refused[transcript_pb2.FaultKind.Name(refusal.kind)] += 1
            if response.HasField("welcome"):
                load.names.add(response.welcome.entrant.bot)
                load.connected.release()
            if load.counting:
                load.messages += 1
                load.decisions += len(response.turns)
                load.ends += len(response.ends)
            for end in response.ends:
                load.answered_at.pop(end.match_id, None)
                load.among_us.discard(end.match_id)
                load.running.discard(end.match_id)
            if thinking and response.turns:
                await asyncio.sleep(thinking * len(response.turns))
            if response.offers or response.turns or request.HasField("places"):
                now = perf_counter()
                for turn in response.turns:
                    load.answered_at[turn.match_id] = now
                await stream.write(request)


def share(matches: int, referees: referee_pb2.Referees, own: str) -> int:
    """The part of a bot's matches that it plays at one of the referees."""
    used = min(referees.in_use or len(referees.addresses), len(referees.addresses))
    index = list(referees.addresses).index(own)
    return matches // used + (index < matches % used) if index < used else 0


def answer(turn: referee_pb2.Turn, answer: referee_pb2.Answer, random: Random) -> None:
    """Fill in the answer to a turn."""
    answer.match_id = turn.match_id
    answer.turn_number = turn.turn_number
    view = turn.view.bluff
    lowest = list(view.lowest)
    quantity = min(lowest)
    if view.can_doubt and (quantity > view.highest or random.random() < DOUBTS):
        answer.action.bluff.doubt.SetInParent()
    else:
        bet = answer.action.bluff.bet
        bet.quantity = quantity
        bet.face = FACES[lowest.index(quantity)]


@asynccontextmanager
async def playing(bots: Iterable[Coroutine[Any, Any, None]]) -> AsyncIterator[None]:
    """Run bots until the block ends."""
    tasks = [asyncio.create_task(bot) for bot in bots]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def measure(
    tokens: list[str],
    port: int,
    matches: int,
    seconds: float,
    warm_up: float = 1.0,
    thinking: float = 0.0,
    *,
    deals: bool = False,
) -> None:
    """Run all bots, measure for `seconds` after the warm-up, and print the figures."""
    load = Load()
    async with playing(
        play(port, token, matches, load, deals=deals, thinking=thinking) for token in tokens
    ):
        await asyncio.sleep(warm_up)
        load.counting = True
        await asyncio.sleep(seconds)
        load.counting = False
        times = load.times or [0.0, 0.0]
        figures = {
            "per_second": load.decisions / seconds,
            "median_us": statistics.median(times) * 1e6,
            "p99_us": statistics.quantiles(times, n=100)[98] * 1e6,
            "decisions_per_match": load.decisions / max(1, load.ends / 2),
            "decisions_per_message": load.decisions / max(1, load.messages),
            "matches_per_second": load.ends / 2 / seconds,
        }
        print(json.dumps(figures), flush=True)


async def count(tokens: list[str], port: int, matches: int, seconds: float) -> None:
    """Run all bots for `seconds` and print a list of [monotonic time, decisions so far]."""
    load, counts = Load(), []
    async with playing(play(port, token, matches, load) for token in tokens):
        await load.connections(len(tokens))
        print("connected", flush=True)
        load.counting = True
        ends = monotonic() + seconds
        while monotonic() < ends:
            load.times.clear()
            counts.append([monotonic(), load.decisions])
            await asyncio.sleep(0.1)
        print(json.dumps(counts), flush=True)


async def until(tokens: list[str], port: int, matches: int, decisions: int) -> None:
    """Run all bots until they made `decisions`, and print these and the refusals."""
    load = Load()
    load.counting = True
    async with playing(play(port, token, matches, load) for token in tokens):
        while load.decisions < decisions:
            load.times.clear()
            await asyncio.sleep(0.1)
        print(json.dumps({"decisions": load.decisions, "refused": load.refused}), flush=True)


async def crowd(tokens: list[str], port: int, matches: int, players: int, seconds: float) -> None:
    """Connect all bots, of which the first `players` play and the others wait; print a line when
    they have settled, and then figures."""
    load, began = Load(), monotonic()
    async with AsyncExitStack() as stack:
        for part in slices(tokens[::-1]):  # the players come last
            bots = (
                play(port, token, matches, load, waits=token not in tokens[:players])
                for token in part
            )
            await stack.enter_async_context(playing(bots))
            await load.connections(len(part))
        connected = monotonic() - began
        await asyncio.sleep(SETTLING)
        print("counting", flush=True)
        load.counting = True
        began, ran = monotonic(), []
        while monotonic() < began + seconds:
            await asyncio.sleep(0.1)
            ran.append(len(load.running))
            load.times.clear()
        figures = {
            "per_second": load.decisions / (monotonic() - began),
            "decisions": load.decisions,
            "decisions_per_message": load.decisions / max(1, load.messages),
            "running": statistics.mean(ran),
            "connected_after": connected,
        }
        print(json.dumps(figures), flush=True)


async def idle(tokens: list[str], port: int, game: str = "bluff", sharing: int = 1) -> None:
    """Connect all bots, print a line, and stay connected until killed."""
    load, number = Load(), itertools.count()
    async with AsyncExitStack() as stack:
        for part in slices(tokens):
            bots = (
                play(port, token, 1, load, game, connection=shared(next(number) // sharing))
                for token in part
            )
            await stack.enter_async_context(playing(bots))
            await load.connections(len(part))
        print("connected", flush=True)
        await asyncio.Event().wait()


def slices(tokens: list[str]) -> list[list[str]]:
    """The groups that connect at once: an address may have few connections that say nothing."""
    return [tokens[at : at + AT_ONCE] for at in range(0, len(tokens), AT_ONCE)]


MODES: dict[str, Callable[..., Coroutine[Any, Any, None]]] = {
    "play": measure,
    "deal": partial(measure, deals=True),
    "count": count,
    "until": until,
    "crowd": crowd,
    "idle": idle,
}

if __name__ == "__main__":
    mode, *rest = words()
    asyncio.run(MODES[mode](sys.stdin.read().split(), *rest))
