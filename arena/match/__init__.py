"""A match from its first draw to its result, without I/O: time and answers come in as arguments."""
