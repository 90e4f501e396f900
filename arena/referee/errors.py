"""What a call or a stream ends with.

Exception
└── ProtocolError    the peer did something that the protocol does not allow: a status, a sentence
"""

import grpc


class ProtocolError(Exception):
    """Ends the call with a status code and a sentence for whoever wrote the peer."""

    def __init__(self, code: grpc.StatusCode, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence
