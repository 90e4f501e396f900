"""`arena event` and its commands."""
