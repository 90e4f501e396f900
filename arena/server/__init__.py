"""The server: one package for each of its tasks; `app` puts them together."""
