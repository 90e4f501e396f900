"""Bluff: what bets say about dice, and what actions are worth by search."""
