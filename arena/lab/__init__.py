"""Research: solving games, judging decisions, and measuring luck."""
