"""The commands `arena tournament …`."""
