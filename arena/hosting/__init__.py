"""Runs matches among connected bots: which bots play next, and each match from offer to record."""
