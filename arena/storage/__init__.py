"""Storage in Postgres: tables, statements, the store, migrations and the built-in server."""
