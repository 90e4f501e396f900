"""`ProtocolError`: ends a call or stream with a gRPC status and a message.

Exception
└── ProtocolError    the peer did something that the protocol does not allow
"""

from typing import Final

import grpc

from arena.errors import INTERNAL_ERROR

MOST_OF_A_SENTENCE: Final = 1_500
"""Characters: sentences may quote what the peer sent. In UTF-8 they fit into a status of 8 kB."""


class ProtocolError(Exception):
    """Ends the call with a status code and a sentence for the author of the peer."""

    def __init__(self, code: grpc.StatusCode, sentence: str) -> None:
        if len(sentence) > MOST_OF_A_SENTENCE:
            sentence = sentence[:MOST_OF_A_SENTENCE] + "…"
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence


def internal_error() -> ProtocolError:
    """How a call or stream ends that we broke.

    A new one each time: an error that is raised again and again keeps all its tracebacks.
    """
    return ProtocolError(grpc.StatusCode.INTERNAL, INTERNAL_ERROR)


def malformed(sentence: str) -> ProtocolError:
    """Return the error for a request that is malformed, or asks for what there is not."""
    return ProtocolError(grpc.StatusCode.INVALID_ARGUMENT, sentence)
