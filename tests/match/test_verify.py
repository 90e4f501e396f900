"""No fact of a transcript can be altered without `verify` saying where.

What a seat did is its own affair: an action exchanged for another that was just as legal, and
leads to the same end, makes another match that might have been. Everything else is bound by the
commitment, the rules or the policy of faults.
"""

import copy
import re
from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from arena.games.bluff import Bet, Doubt, Face
from arena.games.game import DEALER
from arena.match.flow import OpenTurn, TimedAction
from arena.match.replay import TranscriptError
from arena.match.transcript_json import to_json
from arena.match.verify import verify
from tests.games.contract import Case
from tests.match.forging import Document, altered, complaint, document, flipped, vandalise
from tests.match.matches import ABSENT, LATE, Playing, game, transcript_of
from tests.thoroughness import tries

CASES = (
    Case("bluff", (), 2),
    Case("bluff", (("show_and_reroll", True),), 3),
    Case("bluff_you", (), 3),
    Case("bloeff", (), 4),
)
every_case = pytest.mark.parametrize("case", CASES, ids=str)


@every_case
def test_the_untouched_match_is_in_order(case: Case) -> None:
    assert complaint(document(case)) == ""
    assert complaint(document(case, faulty=0.1)) == ""


@pytest.mark.slow
@every_case
def test_every_digit_of_the_secret_and_of_the_commitment_is_bound(case: Case) -> None:
    original = document(case)
    for at in range(64):
        changed = flipped(original["opening"]["secret"], at)
        said = complaint(altered(original, "opening", "secret", to=changed))
        assert "the opened secret does not match the commitment" in said
        changed = flipped(original["commitment"], at)
        assert "commitment" in complaint(altered(original, "commitment", to=changed))


@every_case
def test_every_entropy_is_bound_by_the_draws(case: Case) -> None:
    original = document(case)
    entropies = original["opening"]["entropies"]
    for seat, entropy in enumerate(entropies):
        changed = altered(original, "opening", "entropies", seat, to=flipped(entropy, 7))
        assert re.match(
            r"step 1: the dealer drew .+ at action\..+, but the opening gives ", complaint(changed)
        )
        short = altered(original, "opening", "entropies", seat, to=entropy[:14])
        assert f"the entropy of seat {seat} has 7 bytes" in complaint(short)
        shortest = altered(original, "opening", "entropies", seat, to=entropy[:16])
        assert "the dealer drew" in complaint(shortest)
    fewer = altered(original, "opening", "entropies", to=entropies[:-1])
    assert "not one entropy for each seat" in complaint(fewer)
    turned = altered(original, "opening", "entropies", to=entropies[::-1])
    assert "the dealer drew" in complaint(turned)


@every_case
def test_the_match_id_is_bound_by_the_draws(case: Case) -> None:
    original = document(case)
    changed = altered(original, "match_id", to="11111111-2222-4333-8444-555555555556")
    assert "the dealer drew" in complaint(changed)


@every_case
def test_every_draw_is_bound_by_the_opening(case: Case) -> None:
    original = document(case)
    draws = [n for n, step in enumerate(original["steps"]) if step["actor"] == "dealer"]
    assert draws
    for index in draws:
        for action in other_draws(original["steps"][index]["action"]):
            changed = altered(original, "steps", index, "action", to=action)
            assert complaint(changed).startswith((f"step {index + 1}: ", f"steps[{index + 1}]."))


def other_draws(action: Any) -> Iterator[Any]:
    """The same draw with one number another one, at each place."""
    places = list(numbers(action))
    for path in places[:12]:
        copied = copy.deepcopy(action)
        target = copied
        for key in path[:-1]:
            target = target[key]
        target[path[-1]] = 2 if target[path[-1]] != 2 else 3
        yield copied


def numbers(value: Any, *path: Any) -> Iterator[tuple[Any, ...]]:
    """The paths to all numbers, stars and the like inside a JSON value."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in items:
        if isinstance(inner, dict | list):
            yield from numbers(inner, *path, key)
        elif key != "type":
            yield (*path, key)


@every_case
def test_the_result_follows_from_the_steps(case: Case) -> None:
    original = document(case, faulty=0.05)
    result = original["result"]
    seats = range(len(result["placings"]))
    wrong = [
        ("placings", altered(original, "result", "placings", to=[*result["placings"], 1])),
        ("termination", altered(original, "result", "termination", to=other_end(result))),
        ("scores", altered(original, "result", "scores", to=[77 for _ in seats])),
    ]
    for seat in seats:
        wrong += [
            ("placings", altered(original, "result", "placings", seat, to=9)),
            ("faults", altered(original, "result", "faults", seat, to=9)),
            (
                "forfeited",
                altered(original, "result", "forfeited", seat, to=not result["forfeited"][seat]),
            ),
        ]
    for name, changed in wrong:
        assert complaint(changed).startswith(f"result.{name}"), name
        assert "but the steps give" in complaint(changed)


def other_end(result: Document) -> str:
    return "forfeit" if result["termination"] == "finished" else "finished"


@pytest.mark.slow
@every_case
def test_steps_cannot_be_left_out_put_in_or_exchanged(case: Case) -> None:
    original = document(case)
    steps = original["steps"]
    for index in range(len(steps)):
        without = altered(original, "steps", to=steps[:index] + steps[index + 1 :])
        assert complaint(without), f"step {index + 1} was left out"
        twice = altered(original, "steps", to=[*steps[: index + 1], *steps[index:]])
        assert complaint(twice), f"step {index + 1} came twice"
    assert complaint(altered(original, "steps", to=steps[:-1])).endswith(
        f"not over after step {len(steps) - 1}"
    )
    assert complaint(altered(original, "steps", to=[*steps, steps[-1]])).endswith(
        "the match is over already"
    )
    assert complaint(altered(original, "steps", to=[])) == "the match is not over after step 0"
    for index in range(len(steps) - 1):
        if steps[index] != steps[index + 1]:
            swapped = [*steps[:index], steps[index + 1], steps[index], *steps[index + 2 :]]
            if steps[index]["actor"] != steps[index + 1]["actor"]:
                said = complaint(altered(original, "steps", to=swapped))
                assert said.startswith(f"step {index + 1}: ")


@pytest.mark.slow
@every_case
def test_nobody_can_be_said_to_have_acted_for_another(case: Case) -> None:
    original = document(case)
    for index, step in enumerate(original["steps"]):
        for actor in ["dealer", *range(len(original["seats"]) + 1)]:
            if actor != step["actor"]:
                changed = altered(original, "steps", index, "actor", to=actor)
                changed["steps"][index].setdefault("ms", 0)
                if actor == "dealer":
                    del changed["steps"][index]["ms"]
                assert complaint(changed).startswith(f"step {index + 1}: ")


@every_case
def test_a_fault_cannot_be_invented_nor_hushed_up(case: Case) -> None:
    original = document(case, seed=4, faulty=0.15)
    assert original["faults"]
    for index, step in enumerate(original["steps"]):
        changed = copy.deepcopy(original)
        if step["actor"] == "dealer":
            continue
        if "fault" in step:
            del changed["steps"][index]["fault"]
        elif not step.get("stand_in"):
            changed["steps"][index]["fault"] = "late"
        else:
            del changed["steps"][index]["stand_in"]
            assert complaint(changed).startswith(f"step {index + 1}: ")
            assert complaint(changed).endswith(" has forfeited and cannot act")
            continue
        assert complaint(changed) == "faults: the list does not agree with the steps"
        changed["faults"] = [
            {"step": at, "seat": step["actor"], "kind": step["fault"]}
            for at, step in enumerate(changed["steps"], start=1)
            if "fault" in step
        ]
        assert complaint(changed).startswith(("step ", "result.", "the match is not over"))


@every_case
def test_a_dealer_cannot_be_at_fault_nor_be_stood_in_for(case: Case) -> None:
    original = document(case)
    for member, value in (("fault", "late"), ("stand_in", True)):
        changed = copy.deepcopy(original)
        changed["steps"][0][member] = value
        assert complaint(changed)


def test_the_number_of_seats_is_bound() -> None:
    original = document(CASES[0])
    more = altered(original, "seats", to=original["seats"] * 2)
    assert "entropy" in complaint(more)
    none = altered(original, "seats", to=[])
    none["opening"]["entropies"] = []
    assert complaint(none)


@pytest.mark.parametrize(
    ("case", "option", "value"),
    [
        (CASES[0], "dice_per_player", 4),
        (CASES[0], "start_mode", "seat"),
        (CASES[2], "no_win_limit", 1),
        (CASES[3], "limits", [10, 8]),
    ],
    ids=str,
)
def test_an_option_that_mattered_cannot_be_changed(case: Case, option: str, value: Any) -> None:
    original = document(case)
    assert complaint(altered(original, "options", option, to=value))


def test_a_match_does_not_go_on_after_forfeits_have_decided_it() -> None:
    playing = Playing(game("bluff"), 2)
    playing.to_end({}, lambda turn: TimedAction(Doubt()) if turn.view.can_doubt else first(turn))
    forged: Document = to_json(transcript_of(playing))
    own = [number for number, step in enumerate(forged["steps"], 1) if step["actor"] == 0]
    for number in own:
        forged["steps"][number - 1]["stand_in"] = True
    del forged["steps"][own[0] - 1]["stand_in"]
    forged["steps"][own[0] - 1]["fault"] = "absent"
    forged["faults"] = [{"step": own[0], "seat": 0, "kind": "absent"}]
    forged["result"] |= {"placings": [2, 1], "faults": [1, 0], "forfeited": [True, False]}
    assert complaint(forged) == f"step {own[0] + 1}: forfeits had ended the match"


def first(turn: OpenTurn) -> TimedAction:
    return TimedAction(next(game("bluff").choices(turn.view)))


def test_a_lower_fault_limit_would_have_ended_the_match_sooner() -> None:
    seeds = iter(range(1000))
    original = document(CASES[0], next(seeds), 0.1)
    while sum(original["result"]["faults"]) < 2 or any(original["result"]["forfeited"]):
        original = document(CASES[0], next(seeds), 0.1)
    most = max(original["result"]["faults"])
    assert complaint(altered(original, "fault_limit", to=most))


@pytest.mark.slow
@settings(max_examples=tries(150, quick=37), deadline=None)
@given(st.sampled_from(CASES), st.integers(0, 3), st.integers(0, 2**32))
@example(CASES[0], 0, 7475542)  # an option with one allowed value, true
def test_whatever_is_altered_anywhere_the_answer_is_a_sentence(
    case: Case, seed: int, change: int
) -> None:
    random = Random(change)
    changed = document(case, seed, faulty=0.1)
    for _ in range(random.choice((1, 1, 2, 5))):
        vandalise(changed, random)
    said = complaint(changed)  # any other exception fails the test
    # A sentence for people: nothing of how Python writes its values.
    assert not re.search(r"\w\(\w+=|<\w+\.|\bNone\b|\bTrue\b|literal\[|pydantic", said), said


def test_neither_the_dealer_nor_a_stand_in_takes_time() -> None:
    playing = Playing(game("bluff", start_mode="seat"), 3)
    playing.reply(ABSENT)
    playing.to_end({})
    transcript = transcript_of(playing)
    verify(transcript)
    for found in (lambda step: step.actor is DEALER, lambda step: step.stand_in):
        index = next(i for i, step in enumerate(transcript.steps) if found(step))
        steps = list(transcript.steps)
        steps[index] = steps[index]._replace(milliseconds=1)
        with pytest.raises(TranscriptError, match=rf"^step {index + 1}: .* no clock and no faults"):
            verify(replace(transcript, steps=tuple(steps)))


def test_seats_asked_at_the_same_moment_all_answer_before_a_forfeit_ends_the_match() -> None:
    playing = Playing(game("skull", first="seat"), 2)
    playing.reply(ABSENT, ABSENT)
    transcript = transcript_of(playing)
    assert transcript.result.forfeited == (True, True)
    verify(transcript)


def test_what_is_played_for_a_seat_at_fault_is_its_default_action() -> None:
    playing = Playing(game("bluff", start_mode="seat"), 2)
    playing.reply(LATE)
    playing.to_end({})
    transcript = transcript_of(playing)
    index = next(i for i, step in enumerate(transcript.steps) if step.fault is not None)
    steps = list(transcript.steps)
    steps[index] = steps[index]._replace(action=Bet(1, Face.TWO))
    with pytest.raises(TranscriptError, match=rf"^step {index + 1}: not the default action"):
        verify(replace(transcript, steps=tuple(steps)))
