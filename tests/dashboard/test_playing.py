"""What a person at the table is shown and can do, on matches played at random."""

import json
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from arena.bot.address import Address
from arena.codec.bot_side import Offered
from arena.games import GAMES, KITS, OptionsError, make_game
from arena.games.bloeff import BloeffRoundStarted, Number, NumberPlayed
from arena.games.bluff import BluffView, Showdown
from arena.games.bluff_you import Revealed
from arena.games.game import DEALER, AnyGame, Options
from arena.games.skull import PointWon
from arena.match.clock import TimeControl
from arena.match.result import Result, Termination
from arena.match.transcript import Entrant, Setup
from arena.person.seat import Heard, PersonSeat
from arena.person.session import PersonSession
from arena.randomness import KeyedRandomness
from arena.showing.controls import CONTROLS
from arena.showing.scenes import SCENES
from arena.showing.seen import SEEN
from arena_dashboard.playing.controls import controls
from arena_dashboard.playing.game_options import choices
from arena_dashboard.playing.picture import Pictures
from arena_dashboard.playing.reveals import shown
from arena_dashboard.playing.story import Story, frame

NAMES = ["a (you)", "b", "c"]
ENDED = Result((1, 2), (1, 0), Termination.FINISHED, (0, 0), (False, False))
SHOWN = [name for name, kit in KITS.items() if kit.part("scene")]
"""The games with a picture of their own; those without one have it in words (test_toy_game.py)."""
Turn = tuple[tuple[Any, ...], Any, Any]
"""The events since the last turn of seat 0, its view (None at the end), and its view before."""


def leaves(choices: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The choices that are whole actions."""
    for choice in choices:
        if "action" in choice:
            yield choice
        yield from leaves(choice.get("next", ()))


def turns(game: AnyGame, seats: int, seed: int, *, last: bool = False) -> Iterator[Turn]:
    """What seat 0 hears in a match in which all play at random; with `last`, its view at the end,
    too."""
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
    yield tuple(news), game.view(state, 0) if last else None, before


def public_moments(game: AnyGame, seats: int, seed: int) -> Iterator[tuple[Any, Any, Any, Any]]:
    """What everybody learns between the turns of seat 0: the spectator's view, the seat's own at
    that moment, and its last turn: its view and its answer."""
    chance, draws = random.Random(seed), KeyedRandomness(bytes([seed]) * 32)
    state, turn, played = game.start(seats), None, None
    while asked := game.to_act(state):
        answers: list[Any] = []
        for actor in [DEALER] if asked is DEALER else asked:
            if actor is DEALER:
                answers.append((actor, game.draw(state, draws)))
                continue
            view = game.view(state, actor)
            answer = chance.choice(list(game.choices(view)))
            if actor == 0:
                turn, played = view, answer
            answers.append((actor, answer))
        for actor, action in answers:
            state = game.apply(state, actor, action)
            yield game.view(state, None), game.view(state, 0), turn, played


@pytest.fixture(params=[(game, seats) for game in SHOWN for seats in (2, 3)], ids=str)
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
        moments = list(shown(events, view, before, game))
        told = [event for one in moments for event in one.told]
        assert told == list(events) or before is None
        opened += sum(isinstance(event, Showdown | Revealed | PointWon) for event in events)
        for one in moments:
            drawn = frame(one, scene, game, 1, [])
            json.dumps(drawn)
            # How likely a claim is, the person finds out alone.
            assert drawn["claim"] is None or drawn["claim"]["chances"] == [None]
        if view is not None:
            last = frame(moments[-1], scene, game, 1, [])["table"]
            seat = last["seats"]["0"]
            assert seat["act"]
    assert opened or game.name == "bloeff"


def test_a_showdown_at_the_end_says_what_is_left() -> None:
    game = make_game("bluff")
    *_, (events, view, before) = turns(game, 2, 1)
    assert view is None and isinstance(before, BluffView)
    end = next(event for event in events if isinstance(event, Showdown))
    (one,) = [m for m in shown(events, view, before, game) if end in m.told]
    notes = frame(one, SCENES["bluff"], game, 1, [])["table"]["seats"]
    left = [c - loss for c, loss in zip(before.dice_counts, end.losses, strict=True)]
    for seat, count in enumerate(left):
        assert notes[str(seat)]["note"].startswith(str(count))


def test_a_bust_is_shown_with_its_total() -> None:
    game, busts = make_game("bloeff"), 0
    for seed in range(12):
        news = list(turns(game, 2, seed, last=True))
        story = Story(seat_of(game, 2, news))
        story.go_on()
        laid = list(_busts(event for events, _, _ in news for event in events))
        shown_busts = [one for one in story.frames if one["marks"] == ["bust"]]
        assert [one["claim"]["text"] for one in shown_busts] == [
            f"Total {event.announce}: a bust" for event in laid
        ]
        for one, event in zip(shown_busts, laid, strict=True):
            assert one["claim"]["seat"] == event.seat
            assert one["table"]["laid"][-1][:2] == (event.seat, event.announce)
        busts += len(laid)
    assert busts > 10


def _busts(events: Iterable[object]) -> Iterator[NumberPlayed]:
    """Announcements above the limit (BO-17)."""
    limit = 0
    for event in events:
        if isinstance(event, BloeffRoundStarted):
            limit = event.limit
        elif isinstance(event, NumberPlayed) and event.announce > limit:
            yield event


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


SECRET = {"bluff": "hidden_dice", "bluff_you": "dice", "bloeff": "hand", "skull": "own_mat"}


@pytest.mark.parametrize("name", SHOWN)
def test_between_its_turns_a_seat_is_shown_its_own_hand_or_none(name: str) -> None:
    options = {"show_and_reroll": True} if name == "bluff" else {}
    game, kept = make_game(name, options), 0
    for seed in range(4):
        for public, true, turn, played in public_moments(game, 3, seed):
            known = public if turn is None else SEEN[name].between(public, turn, played)
            hand = getattr(known, SECRET[name])
            assert hand in ((), getattr(true, SECRET[name]))
            kept += bool(hand)
            # All else is what everybody sees.
            as_public = {"seat": None, SECRET[name]: getattr(public, SECRET[name])}
            if name == "bloeff":
                assert not known.face_down or known.face_down == true.face_down
                as_public["face_down"] = ()
            if name == "skull":
                assert not known.own_mat or known.hand == true.hand
                as_public["hand"] = public.hand
            bare = known._replace(**as_public) if name == "bluff" else replace(known, **as_public)
            assert bare == public
    assert kept


@pytest.mark.parametrize("name", GAMES)
def test_a_person_can_choose_the_options_within_the_bounds_of_the_game(name: str) -> None:
    game = make_game(name)
    found = list(choices(game))
    assert found or type(game.options).model_fields.keys() == Options.model_fields.keys()
    assert make_game(name, {one.name: one.default for one in found}).options == game.options
    for one in found:
        assert one.meaning
        if one.name == "first_seat":  # bounded by the seats
            continue
        for value in one.among or (one.low, one.high):
            make_game(name, {one.name: value})
        for value in () if one.among else (one.low - 1, one.high + 1):
            with pytest.raises(OptionsError):
                make_game(name, {one.name: value})


def seat_of(game: AnyGame, seats: int, news: list[Turn]) -> PersonSeat:
    """The seat of a person who has heard so much."""
    entrants = tuple(Entrant(bot, "1", bot) for bot in ("person", "b", "c")[:seats])
    setup = Setup("m", game.name, game.options, entrants, TimeControl(2000, 30_000), 3)
    seat = PersonSeat(Offered(setup, 0, b""), b"")
    seat.begin(entrants)
    seat.heard += [Heard(events, view) for events, view, _ in news]
    return seat


@pytest.mark.parametrize("seats", [2, 3])
@pytest.mark.parametrize("name", SHOWN)
def test_every_sentence_of_the_log_stands_under_the_round_in_which_it_happened(
    name: str, seats: int
) -> None:
    game, scene = make_game(name), SCENES[name]
    news = list(turns(game, seats, seed=2 if name == "bluff" else 0))
    story = Story(seat_of(game, seats, news))
    story.go_on()
    number, expected = 0, []
    for events, _, _ in news:
        for event in events:
            number = scene.round_started(event) or number
            expected.append((number, scene.tell(event, story.names)))
    assert story.log == expected
    assert number > 1


@pytest.mark.parametrize("seats", [2, 3])
@pytest.mark.parametrize("name", SHOWN)
def test_at_the_end_the_table_shows_the_last_that_was_told(name: str, seats: int) -> None:
    game = make_game(name)
    for seed in range(4):
        news = list(turns(game, seats, seed, last=True))
        as_it_went = seat_of(game, seats, news[:-1])
        story = Story(as_it_went)
        story.go_on()
        events, view, _ = news[-1]
        as_it_went.heard.append(Heard(events, view))
        as_it_went.result = ENDED
        story.go_on()
        end = story.frames[-1]
        assert end["told"]
        assert end["standing"] == list(SCENES[name].standing(view))
        if name not in ("bloeff", "skull"):  # which end with a sentence of their own
            assert end["marks"] and end["claim"]["truth"]
        if name == "bluff":
            bet = events[-1].bet
            assert end["table"]["bets"] == [[events[-1].bettor, bet.quantity, int(bet.face)]]
        # Whoever comes back afterwards is shown the same.
        later = seat_of(game, seats, news)
        later.result = ENDED
        anew = Story(later)
        anew.go_on()
        assert anew.frames == story.frames


def test_every_turn_asks_its_question_in_a_sentence(heard: tuple[AnyGame, list[Turn]]) -> None:
    game, found = heard
    asked = {CONTROLS[game.name].question(view, NAMES) for _, view, _ in found if view is not None}
    assert all(words.endswith((".", "?")) for words in asked)
    assert "Choose what to do." not in asked and len(asked) > 3


def test_who_has_sat_down_is_told_for_whom_and_about_how_long_one_waits() -> None:
    session = PersonSession(Address("127.0.0.1:1"), "", "", ("bluff",), lambda: None)
    session.awaited = "fox, owl"
    told = Pictures(session).next()
    assert told["phase"] == "waiting"
    assert told["notice"].startswith("Waiting until fox, owl can play: some seconds, or until")
    session.awaited = ""
    assert "some seconds" in Pictures(session).next()["notice"]
