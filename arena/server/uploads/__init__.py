"""Uploaded builds, and the shifts of the workers that run them."""
