"""The outbox of notices, the webhooks that get them, and their delivery."""
