"""The ladders of an event, which are played before its final."""
