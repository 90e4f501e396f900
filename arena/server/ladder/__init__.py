"""Pairing on the rated ladder: which connected bots play each other next, block after block."""
