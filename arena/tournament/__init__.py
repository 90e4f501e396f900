"""Tournaments among connected bots: their rules and record, and what is played next."""
