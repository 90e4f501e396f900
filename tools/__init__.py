"""Tools for developers of the arena."""
