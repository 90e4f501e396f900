"""The Postgres side: tables, statements, the store, migrations and the built-in server."""
