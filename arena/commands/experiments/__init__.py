"""`arena run`: repeatable experiments, described by a file and played into a folder."""
