"""The server: a room for each of its tasks; `app` puts them together."""
