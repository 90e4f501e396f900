"""Keep-alive options of gRPC connections, for both ends."""

from typing import TypeAlias

ChannelOptions: TypeAlias = tuple[tuple[str, int], ...]


def keepalive(every_ms: int, timeout_ms: int) -> ChannelOptions:
    """Return channel or server options that ping a silent peer every `every_ms` milliseconds.

    The connection closes if the peer does not answer within `timeout_ms`. The third option is
    needed: without it gRPC waits a minute for the answer, whatever the second option is.
    """
    return (
        ("grpc.keepalive_time_ms", every_ms),
        ("grpc.keepalive_timeout_ms", timeout_ms),
        ("grpc.http2.ping_timeout_ms", timeout_ms),
    )
