"""Learning: encodings of the games, and environments that play them for programs that learn.

`encoding` needs numpy alone, so that a trained bot can use it wherever it is run.
"""

from arena.games.encoding import EncodedField, Encoding, EncodingError, encoding

__all__ = ["EncodedField", "Encoding", "EncodingError", "encoding"]
