"""The application: which bots meet, and one match driven from offer to record."""
