"""Scheduling of matches and tournaments: pure functions without I/O; seeds come in as arguments."""
