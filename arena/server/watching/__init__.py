"""Running matches, shown to whoever watches."""
