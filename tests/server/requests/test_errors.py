"""What a refusal quotes of a request is bounded."""

from urllib.parse import quote

import grpc
import pytest

from arena.server.requests.errors import MOST_OF_A_SENTENCE, MOST_SENT_BYTES, malformed


def test_a_sentence_that_quotes_a_long_request_is_cut() -> None:
    error = malformed("no bot " + "x" * 1_000_000)
    assert error.code is grpc.StatusCode.INVALID_ARGUMENT
    assert error.sentence == str(error) == ("no bot " + "x" * 1_000_000)[:MOST_OF_A_SENTENCE] + "…"


@pytest.mark.parametrize("char", ["%", "Ω", "語", "𝕏", "\n"])
def test_it_is_cut_by_what_grpc_sends(char: str) -> None:
    short, long = (malformed(char * count).sentence for count in (400, 3_000))
    assert short == char * 400
    kept = long.removesuffix("…")
    assert kept == char * len(kept)
    assert MOST_SENT_BYTES - 12 <= len(quote(kept, safe="")) <= MOST_SENT_BYTES or (
        len(kept) == MOST_OF_A_SENTENCE
    )
