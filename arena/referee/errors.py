"""`ProtocolError`: ends a call or stream with a gRPC status and a message.

Exception
└── ProtocolError    the peer did something that the protocol does not allow
"""

from typing import Final

import grpc

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


def malformed(sentence: str) -> ProtocolError:
    """The error for a request that is malformed, or asks for what there is not."""
    return ProtocolError(grpc.StatusCode.INVALID_ARGUMENT, sentence)
