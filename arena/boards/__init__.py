"""Leaderboards kept up to date, and what is shown with a rating."""
