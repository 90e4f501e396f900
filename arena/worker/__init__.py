"""Hosted bots: untrusted programs that run in a sandbox, one shift at a time."""
