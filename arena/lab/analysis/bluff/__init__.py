"""Bluff: what bets reveal of dice, and the values of actions by search and by tables."""
