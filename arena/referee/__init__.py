"""The gRPC side of the arena: streams, sessions and services."""
