"""What the player gets: claims beside the truth, answers judged, and nothing too large."""

import json
from itertools import pairwise
from random import Random
from typing import Any
from uuid import uuid4

import pytest

from arena.games import bluff, bluff_you, make_game
from arena.games.bloeff import Ballot, Card, Deal, Number
from arena.games.bluff import Bet, Doubt, Face
from arena.games.bluff import chances as bluff_chances
from arena.games.game import DEALER
from arena.match.transcript import Entrant, Step, Transcript
from arena.records import Registered, VersionId
from arena_dashboard.reading.frames import match_json, packed
from arena_dashboard.reading.watching import Onlooker, Viewpoint, watch
from tests.dashboard.pages import unpacked
from tests.dashboard.played import Guest, creeping, play_match
from tests.dashboard.test_scenes import VARIANTS, match
from tests.dashboard.test_secrets import Pair, transcript

MOST_BYTES = 30_000
VIEWPOINTS: tuple[Viewpoint, ...] = (0, 2, Onlooker.SPECTATOR, Onlooker.EVERYTHING)


def dice(text: str) -> tuple[Face, ...]:
    return tuple(Face(int(face)) for face in text)


ROLL = bluff.CupRoll((dice("11356"), dice("22344"), dice("11236")))
"""Four ones and two stars: six dice count for a bet on ones."""


def seen(
    steps: tuple[Step, ...], viewpoint: Viewpoint, game: str = "bluff", **options: Any
) -> list[dict[str, Any]]:
    pair = Pair(game, steps, steps, tuple(options.items()))
    frames: list[dict[str, Any]] = match_json(watch(transcript(pair, steps), viewpoint))["frames"]
    return frames


def bets(*placed: tuple[int, Face], doubt: bool = True) -> tuple[Step, ...]:
    steps = [Step(DEALER, ROLL)]
    steps += [Step(seat % 3, Bet(*bet)) for seat, bet in enumerate(placed)]
    return (*steps, Step(len(placed) % 3, Doubt())) if doubt else tuple(steps)


@pytest.mark.parametrize(
    ("quantity", "verdict", "answer"),
    [(5, "true", "wrong"), (6, "exact", "wrong"), (7, "bluff", "right")],
)
def test_a_bet_is_true_an_exact_hit_or_a_bluff_and_the_doubt_right_or_wrong(
    quantity: int, verdict: str, answer: str
) -> None:
    """BL-20 to 22: there are six ones and stars; an exact hit makes the doubter wrong."""
    steps = bets((quantity, Face.ONE))
    _, _, bet, end = seen(steps, Onlooker.EVERYTHING, start_mode="seat")
    assert bet["marks"] == [verdict]
    assert bet["claim"]["truth"] == "6" and bet["claim"]["verdict"] == verdict
    assert bet["claim"]["text"] == f"{quantity} × 1" and bet["claim"]["seat"] == 0
    assert end["marks"] == ["showdown", "doubt", answer]
    for viewpoint in (0, 1, Onlooker.SPECTATOR):
        _, _, bet, end = seen(steps, viewpoint, start_mode="seat")
        assert bet["marks"] == [] and bet["claim"]["truth"] is None
        # At the showdown everybody learns it.
        assert end["claim"]["truth"] == "6" and end["claim"]["verdict"] == verdict
        assert end["marks"] == ["showdown", "doubt", answer]


def test_a_claim_is_as_likely_as_each_seat_alone_could_say() -> None:
    _, _, bet, end = seen(bets((4, Face.ONE)), Onlooker.EVERYTHING, start_mode="seat")
    # Seats hold 3, 0 and 3 of them; ten dice are hidden from each, each counts with 1/3 (BL-11).
    own = [float(bluff_chances.at_least(4 - held, 10, 2)) for held in (3, 0, 3)]
    assert bet["claim"]["chances"] == end["claim"]["chances"] == [round(one, 3) for one in own]
    for seat in range(3):
        frame = seen(bets((4, Face.ONE)), seat, start_mode="seat")[2]
        assert frame["claim"]["chances"] == [round(own[seat], 3)]


def test_dice_laid_out_with_a_bet_are_judged_as_the_others_fall_again() -> None:
    """BL-X3: the bet is made before the re-roll, and counts after it."""
    steps = (
        Step(DEALER, ROLL),
        Step(0, Bet(6, Face.ONE, dice("11"))),
        Step(DEALER, bluff.Reroll(dice("111"))),
        Step(1, Doubt()),
    )
    options = {"start_mode": "seat", "show_and_reroll": True}
    _, _, bet, rolled, end = seen(steps, Onlooker.EVERYTHING, **options)
    assert bet["claim"]["truth"] == rolled["claim"]["truth"] == end["claim"]["truth"] == "8"
    assert bet["marks"] == ["true"] and rolled["marks"] == []


def bluff_you_frames(number: int, believe: bool, viewpoint: Viewpoint) -> list[dict[str, Any]]:
    steps = (
        Step(DEALER, bluff_you.Roll((6, 5, 1))),
        Step(0, bluff_you.Win(1, number)),
        Step(1, bluff_you.Answer(believe)),
    )
    return seen(steps, viewpoint, "bluff_you")


@pytest.mark.parametrize("number", [11, 12])
@pytest.mark.parametrize("believe", [True, False])
def test_an_announcement_is_true_or_a_bluff_and_the_answer_right_or_wrong(
    number: int, believe: bool
) -> None:
    verdict = "true" if number == 12 else "bluff"
    right = "right" if believe == (number == 12) else "wrong"
    marks = ["showdown", *([] if believe else ["doubt"]), right]
    for viewpoint in (0, Onlooker.EVERYTHING):
        _, _, said, shown = bluff_you_frames(number, believe, viewpoint)
        assert said["marks"] == [verdict] and said["claim"]["truth"] == "12"
        assert shown["marks"] == marks
    for viewpoint in (1, 2, Onlooker.SPECTATOR):
        _, _, said, shown = bluff_you_frames(number, believe, viewpoint)
        assert said["marks"] == [] and said["claim"]["truth"] is None
        assert shown["marks"] == marks and shown["claim"]["verdict"] == verdict


@pytest.mark.parametrize(("game", "options"), VARIANTS)
def test_marks_are_what_the_whole_match_shows(game: str, options: dict[str, object]) -> None:
    for seed in range(4):
        frames = match_json(watch(match(game, seed, **options), Onlooker.EVERYTHING))["frames"]
        made = [
            now["claim"]
            for before, now in pairwise(frames)
            if now["claim"] and now["marks"] and now["marks"][0] in ("true", "bluff", "exact")
        ]
        assert made and all(claim["truth"] is not None for claim in made)
        for frame in frames:
            claim = frame["claim"]
            if claim is None:
                continue
            assert len(claim["chances"]) == 3
            if claim["text"].endswith(": a bust"):  # nobody can doubt it
                assert claim["chances"] == [None] * 3 and claim["verdict"] is None
                continue
            if game != "bluff":
                # Who made it knows whether it is true.
                assert claim["chances"][claim["seat"]] == (claim["verdict"] == "true")
            elif claim["verdict"] == "bluff":
                assert max(claim["chances"]) < 1
            else:
                assert min(claim["chances"]) > 0


@pytest.mark.parametrize(("game", "options"), VARIANTS)
@pytest.mark.parametrize("viewpoint", VIEWPOINTS)
def test_a_match_is_small_on_the_wire_and_its_rounds_follow_each_other(
    game: str, options: dict[str, object], viewpoint: Viewpoint
) -> None:
    for seed in range(4):
        content = match_json(watch(match(game, seed, **options), viewpoint))
        sent = packed(content)
        assert len(sent) < MOST_BYTES
        assert unpacked(sent) == json.loads(json.dumps(content))
        rounds = [frame["round"] for frame in content["frames"]]
        assert rounds[0] == 0 and all(
            after - before in (0, 1) for before, after in pairwise(rounds)
        )
        assert all(frame["told"] for frame in content["frames"])


@pytest.mark.slow
def test_a_match_of_a_thousand_steps_is_small_on_the_wire() -> None:
    long = long_match()
    assert len(long.steps) >= 1000
    content = match_json(watch(long, Onlooker.EVERYTHING))
    assert len(packed(content)) < MOST_BYTES


def long_match() -> Transcript:
    """The longest kind of match: all bets of every round, six seats."""
    game = make_game("bluff", {"start_mode": "seat", "dice_per_player": 9})
    names = [
        Guest(Registered(VersionId(seat), Entrant(f"bot{seat}", "1", "x"), False), creeping)
        for seat in range(6)
    ]
    return play_match(game, names, str(uuid4()), Random(1))


def test_a_bust_is_marked_and_shows_its_card_to_who_laid_it() -> None:
    """BO-17: nobody else ever sees it."""
    game = make_game("bloeff")
    deck = list(game.start(3).draw_pile)
    deck.remove(Card.FOUR)
    other = Number(4, 4)
    steps = (Step(DEALER, Deal((Card.FOUR, *deck))), Step(0, other))
    steps += (Step(1, Ballot(False)), Step(2, Ballot(False)))
    state = game.start(3)
    for step in steps:
        state = game.apply(state, step.actor, step.action)
    # Three more announcements reach the limit of 10.
    for _ in range(8):
        seat = game.to_act(state)[0]
        view = game.view(state, seat)
        play = next(
            one
            for one in game.choices(view)
            if isinstance(one, Number) and one.announce == view.highest
        )
        steps += (Step(seat, play),)
        state = game.apply(state, seat, play)
        if play.announce > 10:
            break
        for ballot in game.to_act(state):
            steps += (Step(ballot, Ballot(False)),)
            state = game.apply(state, ballot, Ballot(False))
    for viewpoint in (*range(3), Onlooker.SPECTATOR, Onlooker.EVERYTHING):
        last = seen(steps, viewpoint, "bloeff")[-1]
        assert last["marks"] == ["bust"] and last["round"] == 1
        assert last["claim"]["text"] == f"Total {play.announce}: a bust"
        laid_by, said, card = last["table"]["laid"][-1]
        assert laid_by == seat and said == play.announce
        known = viewpoint in (seat, Onlooker.EVERYTHING)
        assert card == (play.value if known else None)


def test_a_doubted_card_is_shown_to_all_beside_what_was_announced() -> None:
    """BO-21."""
    game = make_game("bloeff")
    deck = list(game.start(3).draw_pile)
    deck.remove(Card.FOUR)
    steps = (
        Step(DEALER, Deal((Card.FOUR, *deck))),
        Step(0, Number(4, 2)),
        Step(1, Ballot(True)),
        Step(2, Ballot(False)),
    )
    for viewpoint in (*range(3), Onlooker.SPECTATOR, Onlooker.EVERYTHING):
        frames = seen(steps, viewpoint, "bloeff")
        laid = next(frame for frame in frames if frame["step"] == 2)
        knows = viewpoint in (0, Onlooker.EVERYTHING)
        assert laid["table"]["laid"] == [(0, 2, 4 if knows else None)]
        assert laid["marks"] == (["bluff"] if knows else [])
        end = frames[-1]
        assert end["table"]["laid"][-1] == (0, 2, 4)
        assert end["marks"] == ["showdown", "doubt", "right"]
        assert end["claim"]["truth"] == "4" and end["round"] == 1
