"""Matches that the compiled core of Bluff and the Python rules play alike."""
