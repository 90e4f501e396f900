"""Ids of matches and blocks."""

import time
from uuid import RFC_4122, UUID

from arena.identifiers import new_id
from arena.match.match_id import is_match_id


def test_an_id_is_a_uuid_of_version_7_that_begins_with_the_time_in_milliseconds() -> None:
    before = time.time_ns() // 1_000_000
    text = new_id()
    after = time.time_ns() // 1_000_000
    known = UUID(text)
    assert is_match_id(text)
    assert (known.version, known.variant) == (7, RFC_4122)
    assert before <= known.int >> 80 <= after


def test_ids_of_the_same_moment_differ_in_all_bits_that_are_left_to_chance() -> None:
    ids = [UUID(new_id()).int for _ in range(1_000)]
    assert len(set(ids)) == 1_000
    always_set = always_clear = (1 << 128) - 1
    for one in ids:
        always_set &= one
        always_clear &= ~one
    fixed = always_set | always_clear
    by_chance = (1 << 76) - 1 & ~(3 << 62)
    assert not fixed & by_chance
