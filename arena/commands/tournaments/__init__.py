"""`arena tournament …`."""
