"""Tournaments: their rules and records, running them, and summaries for display."""
