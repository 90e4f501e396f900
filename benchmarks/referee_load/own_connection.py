"""The channel option by which each stream of a load test has a connection of its own."""

OWN_CONNECTION = [("grpc.use_local_subchannel_pool", 1)]
"""Channels of a process to the same address would else share one, which carries 100 streams."""
