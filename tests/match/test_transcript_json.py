"""The JSON form of a transcript says all of it, and reading it back gives the same."""

import json
import time
import tracemalloc
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.codec.transcript import from_bytes, to_bytes
from arena.match.replay import TranscriptError
from arena.match.transcript import Signature
from arena.match.transcript_json import from_json, read_json, to_json
from arena.match.verify import verify
from arena.v1 import transcript_pb2
from tests.games.contract import Case, cases
from tests.match.matches import some_match
from tests.thoroughness import tries

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


@every_case
def test_the_bytes_are_those_that_protobuf_writes(case: Case) -> None:
    plain = some_match(case, seed=6, faulty=0.2)
    whole = replace(
        plain,
        setup=replace(plain.setup, deal_id="00000000-0000-4000-8000-000000000001"),
        signature=Signature(bytes(32), bytes(64)),
    )
    for transcript in (plain, whole):
        written = to_bytes(transcript)
        message = transcript_pb2.Transcript.FromString(written)
        assert message.SerializeToString(deterministic=True) == written


@settings(max_examples=tries(30, quick=10), deadline=None)
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
    ("the transcript", None),
    ("the transcript", [1, 2]),
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
    if member == "the transcript":
        document = value
    else:
        document[member] = value
    with pytest.raises(TranscriptError) as refused:
        from_json(document)
    assert str(refused.value).startswith(member)


@pytest.mark.parametrize("member", list(to_json(some_match(BLUFF, seed=2))))
def test_every_member_must_be_there(member: str) -> None:
    document = to_json(some_match(BLUFF, seed=2))
    del document[member]
    with pytest.raises(TranscriptError, match=rf"^{member} is missing$"):
        from_json(document)


def test_a_member_that_nobody_knows_is_refused() -> None:
    document = to_json(some_match(BLUFF, seed=2))
    with pytest.raises(TranscriptError, match=r"^notes: there is no such member$"):
        from_json(document | {"notes": "played on a Sunday"})


def changed(member: str, at: tuple[str | int, ...], value: Any) -> Any:
    """A match of Bluff with one thing said otherwise; without `value`, with it left out."""
    document: Any = to_json(some_match(BLUFF, seed=2))
    target = document[member]
    for key in at[:-1]:
        target = target[key]
    if value is LEFT_OUT:
        del target[at[-1]]
    else:
        target[at[-1]] = value
    return document


LEFT_OUT = "(left out)"  # compared by identity
BET = next(
    at for at, s in enumerate(to_json(some_match(BLUFF, seed=2))["steps"]) if "quantity" in str(s)
)
WORDS: list[tuple[str, tuple[str | int, ...], Any, str]] = [
    ("steps", (BET, "action", "quantity"), "3", 'found "3"; allowed is a whole number'),
    ("steps", (BET, "action", "quantity"), 72.0, "found 72.0; allowed is a whole number"),
    ("steps", (BET, "action", "quantity"), True, "found true; allowed is a whole number"),
    ("steps", (BET, "action", "face"), 6, 'found 6; a face is 1, 2, 3, 4, 5 or "*"'),
    ("steps", (BET, "action", "quantity"), LEFT_OUT, "is missing"),
    ("steps", (BET, "action", "show"), [], "found []; here this member is left out"),
    ("steps", (BET, "action", "bluff"), 1, "bet has no such member"),
    ("steps", (BET, "action"), [], "found []; allowed is an object"),
    ("steps", (BET, "ms"), LEFT_OUT, "is missing"),
    ("steps", (BET, "ms"), 2**31, "found 2147483648; allowed is 2147483647 or less"),
    ("steps", (BET, "stand_in"), False, "found false; here this member is left out"),
    ("steps", (BET, "fault"), None, "found null; here this member is left out"),
    ("steps", (BET, "actor"), "0", 'found "0"; an actor is the number of a seat, or "dealer"'),
    ("steps", (BET, "actor"), True, "found true; an actor is the number of a seat"),
    ("steps", (0, "ms"), 0, "found 0; here this member is left out"),
    ("options", ("dice_per_player",), "5", 'found "5"; allowed is a whole number'),
    ("options", ("dice_per_player",), 5.0, "found 5.0; allowed is a whole number"),
    ("options", ("dice_per_player",), 99, "found 99; allowed is 16 or less"),
    ("options", ("dice_per_player",), LEFT_OUT, "is missing"),
    ("options", ("start_mode",), "toss", 'found "toss"; allowed is "roll" or "seat"'),
    ("options", ("show_and_reroll",), 0, "found 0; allowed is true or false"),
    ("seats", (1, "owner"), 7, "found 7; allowed is a text"),
    ("seats", (0, "bot"), "\ud800", "a text has no lone surrogates"),
    ("result", ("forfeited", 1), 0, "found 0; allowed is true or false"),
    ("result", ("placings", 0), 1.0, "found 1.0; allowed is a whole number"),
    ("opening", ("entropies", 0), "ABAB", 'found "ABAB"; bytes are lowercase hexadecimal'),
    ("time_control", ("bank_ms",), -1, "found -1; allowed is 0 or more"),
]


@pytest.mark.parametrize(("member", "at", "value", "words"), WORDS, ids=str)
def test_nothing_is_converted_and_the_place_is_named_with_steps_counted_from_1(
    member: str, at: tuple[str | int, ...], value: Any, words: str
) -> None:
    with pytest.raises(TranscriptError) as refused:
        from_json(changed(member, at, value))
    said = str(refused.value)
    first = at[0] + 1 if member == "steps" and isinstance(at[0], int) else at[0]
    path = member + (f"[{first}]" if isinstance(first, int) else f".{first}")
    path += "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in at[1:])
    assert said.startswith((f"{path}: {words}", f"{path} {words}")) or (
        said.startswith(f"{path}: ") and words in said
    )


TEXT = json.dumps(to_json(some_match(BLUFF, seed=2)))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"", "the text is empty"),
        (b"bluff", "not JSON: Expecting value (line 1, column 1)"),
        (TEXT[:-1].encode(), "not JSON: "),
        (TEXT.encode() + b"\n{}", "not JSON: Extra data"),
        (TEXT.encode("utf-16"), "not JSON: the text is UTF-16; allowed is UTF-8"),
        (TEXT.encode("utf-16-le"), "not JSON: "),
        (TEXT.encode("utf-8-sig"), "not JSON: the text begins with a byte order mark"),
        (TEXT.replace('"version"', '"versi\xf6n"').encode("latin-1"), "is not UTF-8"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"a":' * 100_000, "nested too deeply"),
        (b"[" * 900 + b"]" * 900, "the transcript: found [[["),
        (b'{"fault_limit": ' + b"9" * 10_000 + b"}", "a number of thousands of digits"),
        (b'{"fault_limit": NaN}', "not JSON: found NaN; allowed are numbers"),
        (b'{"fault_limit": -Infinity}', "not JSON: found -Infinity"),
        (TEXT.replace('"ms": ', '"ms": 1, "ms": ', 1).encode(), "].ms occurs twice"),
        (TEXT.replace("{", '{"game": "bluff", ', 1).encode(), "game occurs twice"),
    ],
    ids=lambda value: str(value)[:24],
)
def test_what_is_no_json_text_is_refused_in_a_sentence(text: bytes, words: str) -> None:
    with pytest.raises(TranscriptError) as refused:
        read_json(text)
    assert words in str(refused.value)


def test_of_a_member_that_is_there_twice_the_step_is_named() -> None:
    step = json.dumps(to_json(some_match(BLUFF, seed=2))["steps"][BET])
    twice = TEXT.replace(step, step.replace('"quantity": ', '"quantity": 1, "quantity": '))
    with pytest.raises(TranscriptError, match=rf"^steps\[{BET + 1}\].action.quantity occurs"):
        read_json(twice.encode())


def test_the_order_of_members_and_space_between_them_do_not_matter() -> None:
    transcript = some_match(BLUFF, seed=2)
    text = json.dumps(to_json(transcript), sort_keys=True, indent=7)
    assert read_json(text.encode()) == transcript


def test_repeated_members_are_found_in_one_pass() -> None:
    names = [f'"{number}":0' for number in range(100_000)]
    text = f"{{{','.join([*names, names[-1]])}}}".encode()
    began = time.process_time()
    with pytest.raises(TranscriptError, match=r"^99999 occurs twice$"):
        read_json(text)
    assert time.process_time() - began < 5


def large(name: str, value: Any) -> bytes:
    return json.dumps(to_json(some_match(BLUFF, seed=1)) | {name: value}).encode()


@pytest.mark.parametrize(
    "text",
    [
        large("steps", [{}] * 100_000),
        large("seats", [{}] * 100_000),
        large("faults", [{}] * 100_000),
        large("opening", {"secret": "", "entropies": [0] * 100_000}),
        large("time_control", {str(number): 0 for number in range(100_000)}),
        large("options", {str(number): 0 for number in range(100_000)}),
    ],
    ids=["steps", "seats", "faults", "entropies", "members", "options"],
)
def test_of_many_errors_only_the_first_takes_memory(text: bytes) -> None:
    tracemalloc.start()
    value = json.loads(text)
    tracemalloc.reset_peak()
    parsed, _ = tracemalloc.get_traced_memory()
    with pytest.raises(TranscriptError):
        from_json(value)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak - parsed < 10_000_000


@pytest.mark.parametrize("name", ["fault_limit", "a"])
def test_minus_zero_is_refused_and_a_text_like_it_is_not(name: str) -> None:
    text = large(name, "NUMBER")
    with pytest.raises(TranscriptError, match=r"^found -0; allowed is 0$"):
        read_json(text.replace(b'"NUMBER"', b"-0"))
    document = to_json(some_match(BLUFF, seed=1))
    document["seats"][0]["bot"] = "a -0 b"
    assert to_json(read_json(json.dumps(document).encode())) == document


def test_a_path_shows_no_control_characters() -> None:
    with pytest.raises(TranscriptError, match=r"^a\\x1b\[2J\\nb: there is no such member$"):
        read_json(large("a\x1b[2J\nb", 0))
