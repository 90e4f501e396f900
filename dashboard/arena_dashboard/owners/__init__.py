"""Owners: who is signed in, by key or by an identity provider; their inbox, teams and webhooks."""
