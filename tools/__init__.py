"""Tools for those who change the arena."""
