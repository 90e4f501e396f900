"""Matches: the search, the page of one, its notes, and the one that is shown live."""
