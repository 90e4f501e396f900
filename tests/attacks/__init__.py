"""Guests that take what they can get, against a real referee."""
