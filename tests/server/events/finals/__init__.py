"""Finals: played in secret, live, blind; their archives, and what is left of them."""
