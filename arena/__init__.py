"""Bluff Arena: a referee, trustworthy ratings and replays for bots in games of bluff."""

__version__ = "0.1.0"
