"""Notes within their limits, whatever bots send."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.match.notes import (
    MOST_OF_A_NOTE,
    MOST_OF_A_SEAT,
    Note,
    NotesTaken,
    Usage,
    cut_off,
    note_to_json,
    summed,
)


@given(st.text(max_size=60), st.integers(0, 40))
def test_a_text_is_whole_or_cut_off_at_a_character(text: str, most: int) -> None:
    cut = cut_off(text, most)
    if len(text.encode()) <= most:
        assert cut == text
    else:
        assert cut.endswith("…") and text.startswith(cut[:-1])
        assert len(cut.encode()) <= max(most, len("…".encode()))


def test_a_lone_surrogate_costs_that_character_alone() -> None:
    assert cut_off("a\ud800b") == "a?b"


def test_a_seat_has_so_many_bytes_in_a_match_and_another_seat_its_own() -> None:
    taken = NotesTaken()
    for number in range(1, 41):
        taken.take(Note(0, number, "x" * 5_000))
    taken.take(Note(0, 41, "y", Usage(output_tokens=7)))
    taken.take(Note(1, 42, "mine"))
    sizes = [len(note.text.encode()) for note in taken.notes]
    assert sizes[:32] == [MOST_OF_A_NOTE] * 32 and MOST_OF_A_NOTE * 32 == MOST_OF_A_SEAT
    assert {note.text for note in taken.notes[32:41]} == {"…"}
    assert taken.notes[40].usage == Usage(output_tokens=7)
    assert taken.notes[41].text == "mine"
    assert [note.cut_off for note in taken.notes] == [True] * 41 + [False]
    # Another referee goes on with what this one took.
    later = NotesTaken(taken.notes)
    later.take(Note(0, 43, "z"))
    assert later.notes[-1].text == "…"


def test_nothing_is_noted_of_an_empty_note() -> None:
    taken = NotesTaken()
    taken.take(Note(0, 1, ""))
    taken.take(Note(0, 2, "", Usage()))
    assert taken.notes == [Note(0, 2, "", Usage())]


@pytest.mark.parametrize(
    ("usage", "wrong"),
    [
        (Usage(output_tokens=-1), "output_tokens is -1, allowed is 0 to 1,000,000,000"),
        (Usage(cost_microusd=10**9 + 1), "cost_microusd is 1000000001, allowed is 0 to 1,"),
        (Usage(latency_ms=86_400_001), "latency_ms is 86400001, allowed is 0 to 86,400,000"),
    ],
)
def test_a_usage_that_cannot_be_is_left_out_and_the_note_says_why(usage: Usage, wrong: str) -> None:
    taken = NotesTaken()
    taken.take(Note(0, 1, "so", usage))
    (note,) = taken.notes
    assert note.usage is None and note.text.startswith(f"so\n[usage left out: {wrong}")


def test_usages_are_summed_and_a_note_is_json() -> None:
    assert summed([]) == Usage()
    assert summed([Usage(1, 2, 3, 4), Usage(10, 20, 30, 40)]) == Usage(11, 22, 33, 44)
    assert note_to_json(Note(1, 2, "so", Usage(1, 2, 3, 4))) == {
        "seat": 1,
        "turn": 2,
        "text": "so",
        "usage": {"input_tokens": 1, "output_tokens": 2, "cost_microusd": 3, "latency_ms": 4},
    }
    assert note_to_json(Note(1, 2, "so"))["usage"] is None
