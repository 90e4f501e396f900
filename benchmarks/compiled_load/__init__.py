"""Matches that the compiled rules of Bluff and the Python rules play alike."""
