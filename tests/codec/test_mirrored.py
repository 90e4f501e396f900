from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest

from arena.clients.event_client import EventPlace
from arena.clients.owner_client import VersionSeen
from arena.codec.mirrored import message_of, value_of
from arena.match.transcript import Entrant
from arena.v1 import event_pb2, owner_pb2, transcript_pb2

UNKNOWN: dict[str, Any] = dict.fromkeys(("faults", "connected", "playing", "check", "refused"))
NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


@dataclass
class Row:
    label: str = "2"
    registered_at: datetime = NOON
    retired_at: datetime | None = NOON
    matches: int | None = None
    unrelated: str = "not sent"


def test_a_message_has_what_a_value_calls_the_same_and_what_is_given() -> None:
    sent = message_of(owner_pb2.OwnVersion, Row(), **UNKNOWN | {"faults": 3})
    assert sent == owner_pb2.OwnVersion(
        label="2", registered_ms=int(NOON.timestamp() * 1000), retired=True, faults=3
    )
    assert not message_of(owner_pb2.OwnVersion, Row(retired_at=None), **UNKNOWN).retired


def test_a_field_that_nothing_fills_is_an_error() -> None:
    with pytest.raises(TypeError, match=r"Row has no .* for OwnVersion"):
        message_of(owner_pb2.OwnVersion, Row())


def test_a_value_has_what_a_message_calls_the_same_and_what_is_given() -> None:
    sent = message_of(owner_pb2.OwnVersion, Row(matches=7), **UNKNOWN)
    assert value_of(VersionSeen, sent, playing=1) == VersionSeen("2", NOON, True, 7, 0, 0, 1)


def test_a_number_that_may_be_absent_is_none_without_one() -> None:
    entrant = Entrant("fox", "1", "ann")
    place = event_pb2.EventStanding(place=1, entrant=message_of(transcript_pb2.Entrant, entrant))
    assert value_of(EventPlace, place, entrant=entrant).margin is None
    place.margin = 0.0
    assert value_of(EventPlace, place, entrant=entrant).margin == 0.0
