"""What all stores share: engines, transactions, tables, migrations, the built-in server."""
