"""What a refusal quotes of a request is bounded."""

import grpc

from arena.server.requests.errors import MOST_OF_A_SENTENCE, malformed


def test_a_sentence_that_quotes_a_long_request_is_cut() -> None:
    error = malformed("no bot " + "x" * 1_000_000)
    assert error.code is grpc.StatusCode.INVALID_ARGUMENT
    assert error.sentence == str(error) == ("no bot " + "x" * 1_000_000)[:MOST_OF_A_SENTENCE] + "…"
