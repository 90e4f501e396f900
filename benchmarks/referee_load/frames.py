"""Bytes for floods: frames of HTTP/2 that no gRPC client sends, and bytes that are not HTTP/2."""

import itertools
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from arena.server.limits.limits import MAX_METADATA_BYTES
from arena.v1 import referee_pb2

DATA, HEADERS, RST_STREAM, SETTINGS, PING, WINDOW_UPDATE, CONTINUATION = 0, 1, 3, 4, 6, 8, 9
END_STREAM, END_HEADERS = 1, 4


def frame(kind: int, flags: int, stream: int, content: bytes) -> bytes:
    """A frame (RFC 9113, section 4.1)."""
    return len(content).to_bytes(3) + bytes([kind, flags]) + stream.to_bytes(4) + content


def _text(text: str) -> bytes:
    """A string of at most 16,510 bytes (RFC 7541, section 5.2); a lone surrogate stands for a byte
    that is not UTF-8."""
    content = text.encode(errors="surrogateescape")
    size = len(content)
    if size < 127:
        return bytes([size]) + content
    rest = size - 127
    return bytes([127, 128 | rest & 127, rest >> 7]) + content


def _literal(name: str, value: str) -> bytes:
    return b"\x00" + _text(name) + _text(value)


def _request(path: str, *more: tuple[str, str]) -> bytes:
    """The fields of a call's headers."""
    fields = (
        (":path", path),
        (":authority", "arena"),
        ("content-type", "application/grpc"),
        ("te", "trailers"),
        *more,
    )
    return b"\x83\x86" + b"".join(_literal(name, value) for name, value in fields)  # POST, http


def bots_first_frames(token: str) -> bytes:
    """The frames after the preface that open a bot's stream and say hello."""
    hello = referee_pb2.Hello(protocol_version=1, games=["bluff"])
    message = referee_pb2.PlayRequest(hello=hello).SerializeToString()
    headers = _request("/arena.v1.RefereeService/Play", ("authorization", f"Bearer {token}"))
    return frame(HEADERS, END_HEADERS, 1, headers) + frame(DATA, 0, 1, _message(message))


def _message(content: bytes, flag: int = 0) -> bytes:
    """A message of gRPC, with its flag of compression."""
    return bytes([flag]) + len(content).to_bytes(4) + content


_LIST_BOTS: Final = "/arena.v1.RegistryService/ListBots"
_REQUEST: Final = _request(_LIST_BOTS)
PREFACE: Final = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(SETTINGS, 0, 0, b"")
_MUCH: Final = b"".join(_literal(f"x-{number}", "y" * 120) for number in range(100))
FIRST_STREAM: Final = 3
"""The first stream of a flood; a bot may have opened one before."""
_FRAME_BYTES: Final = 16_384
"""The most bytes of a frame's content, unless the peer allows more."""
_STEP: Final = 200
"""The difference between the first streams of two pieces of a flood."""


def _calls(headers: bytes, message: bytes) -> Callable[[int], bytes]:
    """A flood of calls with one message each."""
    return lambda first: b"".join(
        frame(HEADERS, END_HEADERS, stream, headers) + frame(DATA, END_STREAM, stream, message)
        for stream in range(first, first + 20, 2)
    )


def _resets(first: int) -> bytes:
    streams = range(first, first + _STEP, 2)
    return b"".join(
        frame(HEADERS, END_HEADERS, stream, _REQUEST)
        + frame(RST_STREAM, 0, stream, (8).to_bytes(4))
        for stream in streams
    )


def _continuations(first: int) -> bytes:
    """Headers that never end, in frames without content."""
    begin = frame(HEADERS, 0, first, _REQUEST) if first == FIRST_STREAM else b""
    return begin + frame(CONTINUATION, 0, FIRST_STREAM, b"") * 200


def _undecodable(lines: int = (MAX_METADATA_BYTES - 400) // 34) -> bytes:
    """Return as many lines of metadata as fit, none of them UTF-8; a single byte repeats a line."""
    line = b"\x40\x01x\x01\xff"  # kept in the connection's table, as its newest entry, 62
    return line + bytes([0x80 | 62]) * lines


def oversized_call(stream: int, lines: int = 15_000) -> bytes:
    """A call with more metadata than the referee allows, which gRPC accepts from a client that has
    not acknowledged the referee's settings."""
    fields = _REQUEST + _undecodable(lines)
    pieces = [fields[start : start + _FRAME_BYTES] for start in range(0, len(fields), _FRAME_BYTES)]
    return b"".join(
        (
            frame(HEADERS, 0, stream, pieces[0]),
            *(frame(CONTINUATION, 0, stream, piece) for piece in pieces[1:]),
            frame(CONTINUATION, END_HEADERS, stream, b""),
            frame(DATA, END_STREAM, stream, _message(b"")),
        )
    )


FLOODS: Final[dict[str, Callable[[int], bytes]]] = {
    "reset": _resets,
    "continuation": _continuations,
    "ping": lambda _: frame(PING, 0, 0, bytes(8)) * 200,
    "settings": lambda _: frame(SETTINGS, 0, 0, b"\x00\x03\x00\x00\x00\x64") * 200,
    "window updates": lambda _: frame(WINDOW_UPDATE, 0, 0, (1).to_bytes(4)) * 200,
    "headers": lambda first: b"".join(
        frame(HEADERS, END_HEADERS, stream, _REQUEST + _MUCH)
        for stream in range(first, first + 20, 2)
    ),
    "undecodable": _calls(_REQUEST + _undecodable(), _message(b"")),
    "huge path": _calls(_request("/" + "a" * 16_000), _message(b"")),
    "undecodable path": _calls(_request("/arena.v1.\udcff/\udcfe"), _message(b"")),
    "unknown method": _calls(_request("/arena.v1.RegistryService/Nothing"), _message(b"")),
    "bad timeout": _calls(_request(_LIST_BOTS, ("grpc-timeout", "soon")), _message(b"")),
    "bad flag": _calls(_REQUEST, _message(b"", flag=255)),
    "bad protobuf": _calls(_REQUEST, _message(b"\xff" * 1_000)),
}
"""Functions that return a piece of a flood, given the first stream that it may open."""

GREETINGS: Final[dict[str, bytes]] = {
    "http/1": b"GET / HTTP/1.1\r\nHost: arena\r\n\r\n" * 100,
    # The beginning of a ClientHello of TLS 1.2.
    "tls": bytes.fromhex("16030100c8010000c40303") + bytes(194),
}
"""Beginnings of connections that are not HTTP/2."""


SEND_SECONDS: Final = 1.0
"""The time after which a connection that takes nothing is given up."""


def pour(
    connect: Callable[[], socket.socket], make: Callable[[int], bytes], first_frames: bytes = b""
) -> None:
    """Send pieces of a flood as fast as they are taken, over a connection that is reopened whenever
    it breaks. Never returns."""
    while True:
        with suppress(OSError):
            pour_over_one(connect, make, first_frames)


def pour_over_one(
    connect: Callable[[], socket.socket], make: Callable[[int], bytes], first_frames: bytes = b""
) -> None:
    """Do the same over one connection. Raises OSError when it breaks."""
    with connect() as line:
        line.settimeout(SEND_SECONDS)
        line.sendall(PREFACE + first_frames)
        for first in itertools.count(FIRST_STREAM, _STEP):
            line.sendall(make(first))
            # A socket with a timeout waits for it, whatever MSG_DONTWAIT says.
            line.settimeout(0)
            with suppress(BlockingIOError):
                while line.recv(65_536):
                    pass
            line.settimeout(SEND_SECONDS)
