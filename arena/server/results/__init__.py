"""Recorded results: written once, searched, exported and signed."""
