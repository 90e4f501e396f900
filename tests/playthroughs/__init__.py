"""Printed matches: a leak or a change of rules is a difference that a person must approve.

    python -m tests.playthroughs.write

rewrites the files after such a change.
"""
