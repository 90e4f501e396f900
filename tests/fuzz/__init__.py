"""Bytes, messages and orders of messages that nobody would send, from bots that hold tokens.

The suite tries a few thousand cases. `python -m tests.fuzz --cases 1000000` tries any number.
"""
