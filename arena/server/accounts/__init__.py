"""Owners, their keys and sign-ins, and the bots that they register."""
