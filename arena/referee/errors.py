"""`ProtocolError`: ends a call or stream with a gRPC status and a message.

Exception
└── ProtocolError    the peer did something that the protocol does not allow
"""

import grpc


class ProtocolError(Exception):
    """Ends the call with a status code and a sentence for the author of the peer."""

    def __init__(self, code: grpc.StatusCode, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence


def malformed(sentence: str) -> ProtocolError:
    """The error for a request that is malformed, or asks for what there is not."""
    return ProtocolError(grpc.StatusCode.INVALID_ARGUMENT, sentence)
