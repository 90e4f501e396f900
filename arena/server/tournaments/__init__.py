"""Tournaments: their state, their storage, and conducting them to the end."""
