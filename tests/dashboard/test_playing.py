"""What a person at the table is shown and can do, on matches played at random."""

import json
import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from arena.games import GAMES, make_game
from arena.games.bloeff import Number
from arena.games.bluff import BluffView, Showdown
from arena.games.bluff_you import Revealed
from arena.games.game import DEALER, AnyGame
from arena.randomness import KeyedRandomness
from arena_dashboard.playing import picture
from arena_dashboard.playing.controls import controls, leaves
from arena_dashboard.playing.reveals import shown
from arena_dashboard.scenes import SCENES

NAMES = ["a (you)", "b", "c"]
Turn = tuple[tuple[Any, ...], Any, Any]
"""The events since the last turn of seat 0, its view (None at the end), and its view before."""


def turns(game: AnyGame, seats: int, seed: int) -> Iterator[Turn]:
    """What seat 0 hears in a match in which all play at random."""
    chance, draws = random.Random(seed), KeyedRandomness(bytes([seed]) * 32)
    state, news, before = game.start(seats), [], None
    while asked := game.to_act(state):
        answers: list[Any] = []
        for actor in [DEALER] if asked is DEALER else asked:
            if actor is DEALER:
                answers.append((actor, game.draw(state, draws)))
                continue
            view = game.view(state, actor)
            if actor == 0:
                yield tuple(news), view, before
                news, before = [], view
            answers.append((actor, chance.choice(list(game.choices(view)))))
        for actor, action in answers:
            after = game.apply(state, actor, action)
            news += game.events(state, actor, action, after)
            state = after
    yield tuple(news), None, before


@pytest.fixture(params=[(game, seats) for game in GAMES for seats in (2, 3)], ids=str)
def heard(request: pytest.FixtureRequest) -> tuple[AnyGame, list[Turn]]:
    name, seats = request.param
    game = make_game(name)
    return game, [turn for seed in range(4) for turn in turns(game, seats, seed)]


def test_the_choices_are_the_legal_actions_each_once(heard: tuple[AnyGame, list[Turn]]) -> None:
    game, found = heard
    for _, view, _ in found:
        if view is None:
            continue
        legal = list(game.choices(view))
        if game.name == "bloeff" and not view.call_due:
            # A needless call is ignored (BO-16), so nobody has to choose.
            legal = [action for action in legal if not getattr(action, "call", False)]
        offered = [
            game.notation.from_json(leaf["action"]) for leaf in leaves(controls(game, view, NAMES))
        ]
        assert sorted(map(str, offered)) == sorted(map(str, legal))


def test_every_step_of_a_choice_says_what_is_chosen_and_the_last_one_all(
    heard: tuple[AnyGame, list[Turn]],
) -> None:
    game, found = heard
    for _, view, _ in found:
        if view is not None:
            said = [leaf["words"] for leaf in leaves(controls(game, view, NAMES))]
            assert said and len(set(said)) == len(said)


def test_all_that_was_heard_is_told_once_and_what_was_opened_is_shown(
    heard: tuple[AnyGame, list[Turn]],
) -> None:
    game, found = heard
    scene = SCENES[game.name]
    opened = 0
    for events, view, before in found:
        moments = list(shown(events, view, before, game.options))
        told = [event for one in moments for event in one.told]
        assert told == list(events) or before is None
        opened += sum(isinstance(event, Showdown | Revealed) for event in events)
        for one in moments:
            frame = picture._frame(one, scene, game, 1, [])
            json.dumps(frame)
            # How likely a claim is, the person finds out alone.
            assert frame["claim"] is None or frame["claim"]["chances"] == [None]
        if view is not None:
            last = picture._frame(moments[-1], scene, game, 1, [])["table"]
            seat = last["seats"]["0"]
            assert seat["act"]
    assert opened or game.name == "bloeff"


def test_a_showdown_at_the_end_says_what_is_left() -> None:
    game = make_game("bluff")
    *_, (events, view, before) = turns(game, 2, 1)
    assert view is None and isinstance(before, BluffView)
    end = next(event for event in events if isinstance(event, Showdown))
    (one,) = [m for m in shown(events, view, before, game.options) if end in m.told]
    notes = picture._frame(one, SCENES["bluff"], game, 1, [])["table"]["seats"]
    left = [c - loss for c, loss in zip(before.dice_counts, end.losses, strict=True)]
    for seat, count in enumerate(left):
        assert notes[str(seat)]["note"].startswith(str(count))


def test_a_call_is_asked_for_where_it_matters() -> None:
    game = make_game("bloeff")
    views = [view for _, view, _ in turns(game, 2, 1) if view is not None and not view.balloted]
    due = [replace(view, hand=view.hand[:2], call_due=True) for view in views]
    assert due
    for view in due:
        for leaf in leaves(controls(game, view, NAMES)):
            action = game.notation.from_json(leaf["action"])
            if isinstance(action, Number):
                assert (", calling" in leaf["words"]) is action.call
