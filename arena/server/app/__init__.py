"""A running referee: its services, put together, started and stopped."""
