"""Matches among connected bots: who sits down next, and each match from offer to record."""
