"""The server: one room for each thing that it does; `app` puts them together."""
