"""Leaderboards, kept up to date, and the statistics shown with them."""
