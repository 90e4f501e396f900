"""Leases, and the state that a referee leaves to the others so that no match is lost."""
