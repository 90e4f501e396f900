"""Tournaments: their data, tables and pictures."""
