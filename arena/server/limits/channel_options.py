"""`OPTIONS`: gRPC's settings for the connections to a referee."""

from collections.abc import Sequence
from typing import Any, Final

from arena.keepalive import keepalive
from arena.server.limits.limits import MAX_METADATA_BYTES

MAX_MESSAGE_BYTES: Final = 256 * 1024
"""Limit of incoming messages: 64 answers with all dice laid out take a twentieth of it."""
LOOKAHEAD_BYTES: Final = 256 * 1024
"""The most bytes of a stream that are received before the referee reads them."""
KEEPALIVE_MS: Final = 20_000
"""A peer that is frozen or gone is noticed after this plus KEEPALIVE_TIMEOUT_MS."""
KEEPALIVE_TIMEOUT_MS: Final = 10_000
MAX_STREAMS_PER_CONNECTION: Final = 100
"""A connection is one process, which may run many bots; further streams would wait silently."""

IDLE_CONNECTION_MS: Final = 60_000
"""A connection without a call for this time is closed; its peer can open another."""
HANDSHAKE_MS: Final = 10_000
"""The timeout of the HTTP/2 handshake of a new connection."""
OPTIONS: Final[Sequence[tuple[str, Any]]] = (
    ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
    *keepalive(KEEPALIVE_MS, KEEPALIVE_TIMEOUT_MS),
    # Answering pings costs less than the new connections of a peer that is disconnected for them; a
    # peer that sends very many is cut by its bytes (see connections).
    ("grpc.http2.max_ping_strikes", 0),
    ("grpc.max_concurrent_streams", MAX_STREAMS_PER_CONNECTION),
    ("grpc.max_connection_idle_ms", IDLE_CONNECTION_MS),
    ("grpc.server_handshake_timeout_ms", HANDSHAKE_MS),
    ("grpc.max_metadata_size", MAX_METADATA_BYTES),
    ("grpc.absolute_max_metadata_size", MAX_METADATA_BYTES),
    # What comes before a call's owner is known counts as a stranger's; this bounds it. An upload
    # with a round trip of 300 ms still brings 800 kB a second. The probe would raise the bound.
    ("grpc.http2.lookahead_bytes", LOOKAHEAD_BYTES),
    ("grpc.http2.bdp_probe", 0),
    # With port reuse, two referees on one port would each get a part of its bots.
    ("grpc.so_reuseport", 0),
)
