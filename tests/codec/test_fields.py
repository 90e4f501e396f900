"""Bytes joined by hand are the bytes that protobuf writes."""

import pytest

from arena.codec.fields import field, key, varint
from arena.v1 import referee_pb2 as pb


@pytest.mark.parametrize("length", [1, 127, 128, 1_023, 1_024, 16_383, 16_384, 300_000])
def test_a_field_is_what_protobuf_writes_for_it(length: int) -> None:
    text = "x" * length
    assert (
        field(key(pb.End, "match_id"), text.encode()) == pb.End(match_id=text).SerializeToString()
    )


@pytest.mark.parametrize("number", [0, 1, 127, 128, 300, 16_384, 2**31 - 1])
def test_a_number_is_what_protobuf_writes_for_it(number: int) -> None:
    written = pb.Turn(turn_number=number).SerializeToString()
    assert written[1:] == (varint(number) if number else b"")


def test_a_message_is_its_parts_one_after_the_other() -> None:
    ends = [pb.End(match_id="one"), pb.End(match_id="two")]
    keyed = key(pb.PlayResponse, "ends")
    joined = b"".join(field(keyed, end.SerializeToString()) for end in ends)
    assert joined == pb.PlayResponse(ends=ends).SerializeToString()
