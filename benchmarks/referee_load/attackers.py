"""Guests that take what they can get: each attack is a function, run as a process of its own.

python -m benchmarks.referee_load.attackers ATTACK PORT SECONDS < tokens
python -m benchmarks.referee_load.attackers burn 0 SECONDS < share of a core

It prints a line as it begins, and at the end the CPU seconds that it used. `burn` uses as much CPU
as an attack did and does nothing. Attacks go against 127.0.0.1 only.
"""

import asyncio
import itertools
import json
import os
import secrets
import socket
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from ipaddress import ip_address
from random import Random
from typing import Any

import grpc
import grpc.aio

from arena.v1 import referee_pb2, registry_pb2
from arena.v1.referee_pb2_grpc import RefereeServiceStub
from arena.v1.registry_pb2_grpc import RegistryServiceStub
from benchmarks.options import words
from benchmarks.referee_load.frames import FLOODS, GREETINGS, bots_first_frames, pour
from benchmarks.referee_load.players import answer

Attack = Callable[[int, Sequence[str]], Awaitable[None]]


def channel(port: int) -> grpc.aio.Channel:
    """Return a channel with a connection of its own."""
    options = [("grpc.use_local_subchannel_pool", 1), ("grpc.max_receive_message_length", -1)]
    return grpc.aio.insecure_channel(f"127.0.0.1:{port}", options=options)


def bearing(token: str) -> tuple[tuple[str, str], ...]:
    return (("authorization", f"Bearer {token}"),)


async def slow(seconds: float | None, port: int, tokens: Sequence[str]) -> None:
    """Run bots that take `seconds` for every turn; without it they never answer."""
    await asyncio.gather(*(_play_slowly(seconds, port, token) for token in tokens))


async def _play_slowly(seconds: float | None, port: int, token: str) -> None:
    async with channel(port) as line, asyncio.TaskGroup() as tasks:
        stream: Any = RefereeServiceStub(line).Play(metadata=bearing(token))
        hello = referee_pb2.Hello(protocol_version=1, games=["bluff"], max_matches=64)
        await stream.write(referee_pb2.PlayRequest(hello=hello))
        random, one_at_a_time = Random(token), asyncio.Lock()

        async def later(turn: referee_pb2.Turn) -> None:
            assert seconds is not None
            await asyncio.sleep(seconds)
            request = referee_pb2.PlayRequest()
            answer(turn, request.answers.add(), random)
            async with one_at_a_time:
                await stream.write(request)

        while (response := await stream.read()) is not grpc.aio.EOF:
            request = referee_pb2.PlayRequest()
            for offer in response.offers:
                request.joins.add(match_id=offer.match_id, entropy=secrets.token_bytes(16))
            if response.offers:
                async with one_at_a_time:
                    await stream.write(request)
            if seconds is not None:
                for turn in response.turns:
                    tasks.create_task(later(turn))


async def _calls(
    at_once: int, make: Callable[[Any], Awaitable[Any]], port: int, _tokens: Sequence[str] = ()
) -> None:
    """Run loops that call again as soon as they are answered; four share a connection."""

    async def loop(line: grpc.aio.Channel) -> None:
        stub = RegistryServiceStub(line)
        while True:
            try:
                await make(stub)
            except grpc.aio.AioRpcError:
                await asyncio.sleep(0)

    lines = [channel(port) for _ in range((at_once + 3) // 4)]
    await asyncio.gather(*(loop(lines[number // 4]) for number in range(at_once)))


_NUMBERS = itertools.count()


def _list_matches(stub: Any) -> Any:
    return stub.ListMatches(registry_pb2.ListMatchesRequest(limit=1000 - next(_NUMBERS) % 50))


def _leaderboard(stub: Any) -> Any:
    options = json.dumps({"dice_per_player": 1 + next(_NUMBERS) % 5})
    request = registry_pb2.GetLeaderboardRequest(game="bluff", options_json=options)
    return stub.GetLeaderboard(request)


def _key(stub: Any) -> Any:
    request = registry_pb2.RegisterBotRequest(bot="b", owner="o")
    return stub.RegisterBot(request, metadata=bearing(str(next(_NUMBERS))))


async def transcripts(port: int, _tokens: Sequence[str]) -> None:
    async with channel(port) as line:
        while True:
            request = registry_pb2.ListMatchesRequest(limit=100)
            with suppress(grpc.aio.AioRpcError):
                found = (await RegistryServiceStub(line).ListMatches(request)).matches
                if found:
                    break
            await asyncio.sleep(0.2)
    ids = itertools.cycle([match.match_id for match in found])
    await _calls(
        25,
        lambda stub: stub.GetTranscript(registry_pb2.GetTranscriptRequest(match_id=next(ids))),
        port,
    )


async def _streams(
    lines: Iterable[grpc.aio.Channel], token: str, messages: Callable[[], Iterable[bytes]]
) -> None:
    """Repeatedly open a bot's stream over each connection, send messages, and read until it
    ends."""

    async def loop(line: grpc.aio.Channel) -> None:
        play: Any = line.stream_stream("/arena.v1.RefereeService/Play")
        while True:
            call = play(metadata=bearing(token))
            with suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
                for message in messages():
                    await call.write(message)
                while await call.read() is not grpc.aio.EOF:
                    pass
            await asyncio.sleep(0)

    await asyncio.gather(*map(loop, lines))


def _hello(token: str) -> bytes:
    hello = referee_pb2.Hello(protocol_version=1, games=["bluff"], instance=token[-8:])
    return referee_pb2.PlayRequest(hello=hello).SerializeToString()


async def garbage(port: int, tokens: Sequence[str]) -> None:
    lines = [channel(port) for _ in range(8)]
    await _streams(lines, tokens[0], lambda: (_hello(tokens[0]), b"\xff" * 1000))


async def no_hello(port: int, tokens: Sequence[str]) -> None:
    lines = [channel(port) for _ in range(8)]
    await _streams(lines * 500, tokens[0], lambda: ())


async def flood(kind: str, as_bots: bool, port: int, tokens: Sequence[str]) -> None:
    """Send frames of HTTP/2 as fast as they are taken, over four connections that are reopened
    after each end; with `as_bots` each begins with a bot's hello."""
    for token in tokens[:4]:
        first_frames = bots_first_frames(token) if as_bots else b""
        _in_a_thread(pour, partial(_by_port, port), FLOODS[kind], first_frames)
    await asyncio.Event().wait()


async def strange_greetings(kind: str, port: int, _tokens: Sequence[str]) -> None:
    """Send what is not HTTP/2, over four connections that are reopened as soon as they close."""

    def greet() -> None:
        while True:
            with suppress(OSError), _by_port(port) as line:
                line.sendall(GREETINGS[kind])
                while line.recv(65_536):
                    pass

    for _ in range(4):
        _in_a_thread(greet)
    await asyncio.Event().wait()


def _by_port(port: int) -> socket.socket:
    """Return a connection from a new address each time, so that no limit by address stops it."""
    address = str(ip_address("127.1.0.0") + secrets.randbelow(2**20))
    return socket.create_connection(("127.0.0.1", port), timeout=1.0, source_address=(address, 0))


def _in_a_thread(act: Callable[..., None], *words: Any) -> None:
    threading.Thread(target=act, args=words, daemon=True).start()


async def messages(port: int, tokens: Sequence[str]) -> None:
    """Run bots that repeatedly say how many matches they play at once."""
    places = referee_pb2.PlayRequest(places=referee_pb2.Places(max_matches=1))
    again = itertools.repeat(places.SerializeToString())
    await asyncio.gather(
        *(
            _streams([channel(port)], token, partial(itertools.chain, [_hello(token)], again))
            for token in tokens[:4]
        )
    )


async def idle(port: int, _tokens: Sequence[str]) -> None:
    lines: list[socket.socket] = []
    for _ in range(1_100):
        with suppress(OSError):
            lines.append(socket.create_connection(("127.0.0.1", port), timeout=0.5))
    await asyncio.Event().wait()


ATTACKS: dict[str, Attack] = {
    "slow versions": partial(slow, 1.85),
    "banking": partial(slow, 6.0),
    "silent": partial(slow, None),
    "ListMatches ×25": partial(_calls, 25, _list_matches),
    "ListMatches": partial(_calls, 1, _list_matches),
    "ListBots": partial(_calls, 25, lambda stub: stub.ListBots(registry_pb2.ListBotsRequest())),
    "GetLeaderboard": partial(_calls, 25, _leaderboard),
    "GetTranscript": transcripts,
    "keys": partial(_calls, 25, _key),
    "garbage": garbage,
    "no hello": no_hello,
    "reset flood": partial(flood, "reset", False),
    "ping flood": partial(flood, "ping", False),
    "ping flood of bots": partial(flood, "ping", True),
    "settings flood": partial(flood, "settings", False),
    "window updates": partial(flood, "window updates", False),
    "headers flood": partial(flood, "headers", False),
    "continuation flood": partial(flood, "continuation", False),
    "huge path": partial(flood, "huge path", False),
    "undecodable path": partial(flood, "undecodable path", False),
    "unknown methods": partial(flood, "unknown method", False),
    "bad grpc-timeout": partial(flood, "bad timeout", False),
    "bad compression flag": partial(flood, "bad flag", False),
    "bad protobuf": partial(flood, "bad protobuf", False),
    "undecodable metadata": partial(flood, "undecodable", False),
    "HTTP/1": partial(strange_greetings, "http/1"),
    "TLS to the plain port": partial(strange_greetings, "tls"),
    "messages of bots": messages,
    "idle connections": idle,
}


def burn(share: float, seconds: float) -> None:
    """Use `share` cores for some seconds; above 1, in several processes."""
    for _ in range(int(share)):
        if os.fork() == 0:
            burn(0.999, seconds)
            os._exit(0)
    rest = share % 1
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        begun = time.monotonic()
        while time.monotonic() < begun + 0.01 * rest:
            pass
        time.sleep(0.01 * (1 - rest))


async def _run(attack: Attack, port: int, seconds: float, tokens: Sequence[str]) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await attack(port, tokens)


if __name__ == "__main__":
    name, port, seconds = words()
    tokens = sys.stdin.read().split()
    print("attacking", flush=True)
    if name == "burn":
        burn(float(tokens[0]), seconds)
    else:
        asyncio.run(_run(ATTACKS[name], port, seconds, tokens))
    used = os.times()
    print(json.dumps({"cpu_seconds": used.user + used.system}), flush=True)
    os._exit(0)
