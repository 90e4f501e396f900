"""Leases, and what a referee leaves to the others so that no match is lost."""
