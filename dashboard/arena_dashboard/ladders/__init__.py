"""Leaderboards: their choice and table, head to head, history."""
