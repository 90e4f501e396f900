"""Damaged transcripts, in both forms: read and verified, or refused with the error for that."""

import json
from contextlib import suppress
from random import Random

import pytest
from google.protobuf.message import DecodeError
from hypothesis import example, given, settings
from hypothesis import strategies as st

from arena.codec.malformed import MalformedError
from arena.codec.transcript import from_bytes, to_bytes
from arena.match.replay import TranscriptError
from arena.match.transcript_json import from_json, read_json
from arena.match.verify import verify
from tests.fuzz.odd_messages import damaged
from tests.games.contract import Case
from tests.match.forging import document
from tests.thoroughness import tries

CASES = (
    Case("bluff", (("show_and_reroll", True),), 3),
    Case("bluff_you", (), 3),
    Case("bloeff", (), 4),
)
many = settings(max_examples=tries(100, quick=25), deadline=None, database=None)
every_case = pytest.mark.parametrize("case", CASES, ids=str)
seeds = given(seed=st.integers(0, 2**32 - 1))


@pytest.mark.slow
@every_case
@many
@seeds
def test_damaged_bytes_are_refused_by_name_or_verified(case: Case, seed: int) -> None:
    data = damaged(Random(seed), to_bytes(from_json(document(case))))
    with suppress(MalformedError, DecodeError, TranscriptError):
        verify(from_bytes(data))


@pytest.mark.slow
@every_case
@many
@seeds
def test_damaged_text_is_refused_by_name_or_verified(case: Case, seed: int) -> None:
    text = damaged(Random(seed), json.dumps(document(case)).encode())
    with suppress(TranscriptError):
        verify(read_json(text))


@many
@given(st.binary())
@example(b"[" * 100_000)
@example(b'{"a": ' * 10_000)
def test_any_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(TranscriptError):
        read_json(data)
    with pytest.raises((MalformedError, DecodeError)):
        from_bytes(data)
