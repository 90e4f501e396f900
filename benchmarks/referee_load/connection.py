"""Channel options that say which streams of a load test share a connection."""

OWN_CONNECTION = [("grpc.use_local_subchannel_pool", 1)]
"""Channels of a process to the same address would else share one, which carries 100 streams."""


def shared_connection(number: int) -> list[tuple[str, int]]:
    """Channels with the same number share a connection."""
    # Only channels whose options are equal do; gRPC knows no option of this name.
    return [("benchmark.connection", number)]
