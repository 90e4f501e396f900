"""`arena run`: experiments from a file, played into a folder that can be repeated."""
