"""Builds the value tables of `arena.luck`."""
