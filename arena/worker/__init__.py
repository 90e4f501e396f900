"""Hosted bots: untrusted programs, played in a sandbox for a shift at a time."""
