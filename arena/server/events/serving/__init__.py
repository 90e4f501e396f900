"""Stored events, the calls about them, and the keeper of their dates."""
