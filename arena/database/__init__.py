"""The shared part of all stores: engines, transactions, tables, migrations, the server."""
