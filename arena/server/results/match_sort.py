"""`Sort`, the orders of a list of matches, which commands need before the database."""

from enum import Enum


class Sort(Enum):
    """The order of a list of matches, for readers."""

    NEWEST = "newest"
    CLOSEST = "closest"
    """By the points between the first and the second, among the newest that fit."""
    BOLDEST = "boldest"
    """By the largest undoubted bluff, among the newest that fit."""
