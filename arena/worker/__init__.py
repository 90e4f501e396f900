"""Hosted bots: programs of strangers, played in a sandbox for a shift at a time."""
