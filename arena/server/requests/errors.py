"""`ProtocolError`: ends a call or stream with a gRPC status and a message.

Exception
└── ProtocolError    the peer did something that the protocol does not allow
"""

from typing import Final

import grpc

from arena.errors import INTERNAL_ERROR

MOST_OF_A_SENTENCE: Final = 1_500
"""The most characters of a sentence, which may quote what the peer sent."""
MOST_SENT_BYTES: Final = 6_000
"""The most bytes of a sentence as gRPC encodes it: peers refuse a status of more than 8 kB."""


class ProtocolError(Exception):
    """Ends the call with a status code and a sentence for the author of the peer."""

    def __init__(self, code: grpc.StatusCode, sentence: str) -> None:
        sentence = _shortened(sentence)
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence


def _shortened(sentence: str) -> str:
    left = MOST_SENT_BYTES
    for at, char in enumerate(sentence[: MOST_OF_A_SENTENCE + 1]):
        # gRPC writes each byte beyond ASCII's visible characters as three, such as %CE.
        left -= 1 if " " <= char <= "~" and char != "%" else 3 * len(char.encode(errors="replace"))
        if left < 0 or at == MOST_OF_A_SENTENCE:
            return sentence[:at] + "…"
    return sentence


def internal_error() -> ProtocolError:
    """Return the error that ends a call or stream after a failure of ours.

    A new one each time: an error that is raised repeatedly keeps all its tracebacks.
    """
    return ProtocolError(grpc.StatusCode.INTERNAL, INTERNAL_ERROR)


def malformed(sentence: str) -> ProtocolError:
    """Return the error for a request that is malformed, or asks for what does not exist."""
    return ProtocolError(grpc.StatusCode.INVALID_ARGUMENT, sentence)
