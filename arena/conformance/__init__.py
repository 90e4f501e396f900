"""Checks of a bot's program by a referee that follows scripts, often with deliberate errors."""
