"""Uploaded builds, and the shifts in which workers run them."""
