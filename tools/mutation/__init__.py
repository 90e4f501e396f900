"""Mutants of the code, and the tests that should notice them."""
