"""Bots: their data, tables and charts, what they lose most by, and how they bluff."""
