"""The final of an event: its draw, its play, its publication and its archive."""
