"""The JSON form of a transcript says all of it, and reading it back gives the same."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.codec.transcript import from_bytes, to_bytes
from arena.match.replay import TranscriptError
from arena.match.transcript_json import from_json, to_json
from arena.match.verify import verify
from tests.games.contract import Case, cases
from tests.match.matches import some_match

every_case = pytest.mark.parametrize("case", cases(), ids=str)
BLUFF = Case("bluff", (), 2)


def through_text(value: dict[str, Any]) -> object:
    return json.loads(json.dumps(value))


@every_case
@pytest.mark.parametrize("faulty", [0.0, 0.2], ids=["well", "with faults"])
def test_a_match_survives_json_and_the_wire_and_can_be_verified(case: Case, faulty: float) -> None:
    transcript = some_match(case, seed=5, faulty=faulty)
    assert from_json(through_text(to_json(transcript))) == transcript
    assert from_bytes(to_bytes(transcript)) == transcript
    verify(transcript)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32), st.floats(0, 1), st.sampled_from(cases()[:12]))
def test_however_badly_the_seats_play_the_transcript_holds(
    seed: int, faulty: float, case: Case
) -> None:
    transcript = some_match(case, seed, faulty)
    assert from_json(through_text(to_json(transcript))) == transcript
    verify(transcript)


def test_faults_are_listed_by_step_beside_the_steps() -> None:
    transcript = some_match(BLUFF, seed=1, faulty=0.5)
    document = to_json(transcript)
    assert document["faults"]
    for fault in document["faults"]:
        step = document["steps"][fault["step"] - 1]
        assert (step["actor"], step["fault"]) == (fault["seat"], fault["kind"])


def test_the_same_transcript_gives_the_same_bytes() -> None:
    one, other = some_match(BLUFF, seed=3), some_match(BLUFF, seed=3)
    assert to_bytes(one) == to_bytes(other)
    assert json.dumps(to_json(one)) == json.dumps(to_json(other))


WRONG: list[tuple[str, Any]] = [
    ("the file", None),
    ("the file", [1, 2]),
    ("format", "arena-transcript/2"),
    ("protocol_version", 2),
    ("match_id", 7),
    ("match_id", "\ud800"),
    ("game", "chess"),
    ("game", None),
    ("options", []),
    ("options", {"dice": 3}),
    ("options", {"dice_per_player": "many"}),
    ("seats", {}),
    ("seats", [{"bot": "a", "version": "1"}]),
    ("time_control", {"turn_ms": -1, "bank_ms": 0}),
    ("fault_limit", -1),
    ("fault_limit", 2.5),
    ("commitment", "xyz"),
    ("commitment", "AB"),
    ("commitment", "abc"),
    ("steps", {}),
    ("steps", [{"actor": -1, "action": {}}]),
    ("steps", [{"actor": "banker", "action": {}}]),
    ("steps", [{"actor": 0, "action": {"type": "fold"}}]),
    ("steps", [{"actor": 0, "action": {"type": "bet"}}]),
    ("steps", [{"actor": 0, "action": {"type": "bet", "quantity": "2", "face": "**"}}]),
    ("steps", [{"actor": 0, "action": {"type": "doubt"}, "fault": "rude"}]),
    ("steps", [{"actor": 0, "action": {"type": "doubt"}, "why": "because"}]),
    ("faults", [{"step": 1, "seat": 0, "kind": "late"}]),
    ("result", {}),
    ("opening", {"secret": "00"}),
]


@pytest.mark.parametrize(("member", "value"), WRONG, ids=str)
def test_what_is_no_transcript_is_refused_by_the_name_of_the_member(
    member: str, value: Any
) -> None:
    document: Any = to_json(some_match(BLUFF, seed=2))
    if member == "the file":
        document = value
    else:
        document[member] = value
    with pytest.raises(TranscriptError) as refused:
        from_json(document)
    place = {"steps": "step", "options": "option"}.get(member, member)
    assert place in str(refused.value)


@pytest.mark.parametrize("member", list(to_json(some_match(BLUFF, seed=2))))
def test_every_member_must_be_there(member: str) -> None:
    document = to_json(some_match(BLUFF, seed=2))
    del document[member]
    with pytest.raises(TranscriptError, match=member):
        from_json(document)


def test_a_member_that_nobody_knows_is_refused() -> None:
    document = to_json(some_match(BLUFF, seed=2))
    with pytest.raises(TranscriptError, match="notes"):
        from_json(document | {"notes": "played on a Sunday"})
