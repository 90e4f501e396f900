"""The schema's history, one file per change in `versions/`. Applied by `arena.database.schema`."""
