"""Commands that play matches without a server."""
