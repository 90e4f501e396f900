"""How pages read: rows that outlive an absent database, and matches for the player."""
