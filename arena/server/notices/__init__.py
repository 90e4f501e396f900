"""The outbox of what happens: notices, the webhooks that get them, and their delivery."""
