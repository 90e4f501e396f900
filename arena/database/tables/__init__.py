"""The tables of the database; each is written by one room of the server."""
