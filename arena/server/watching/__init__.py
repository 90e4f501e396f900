"""Running matches, shown to spectators."""
