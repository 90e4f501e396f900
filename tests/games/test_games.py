"""The table of games and the making of one from a name and options."""

from collections.abc import Mapping
from time import process_time

import pytest

from arena.games import GAMES, OptionsError, UnknownGameError, make_game
from arena.games.bluff import Bluff, BluffOptions


def test_a_game_is_made_under_its_defaults() -> None:
    game = make_game("bluff")
    assert isinstance(game, Bluff)
    assert game.options == BluffOptions()
    assert game.options.changed() == {}


def test_every_game_stands_under_its_own_name() -> None:
    for name, kind in GAMES.items():
        assert kind.name == name
        assert make_game(name).options.changed() == {}


ACCEPTED = [
    ({"dice_per_player": 3}, {"dice_per_player": 3}),
    ({"dice_per_player": "3"}, {"dice_per_player": 3}),
    ({"show_and_reroll": "true"}, {"show_and_reroll": True}),
    ({"show_and_reroll": "False"}, {}),
    ({"start_star_value": "5"}, {"start_star_value": 5}),
    ({"loss_clamp": "True", "start_mode": "seat"}, {"start_mode": "seat"}),
    ({"players_max": 2}, {"players_max": 2}),
]


@pytest.mark.parametrize(("given", "changed"), ACCEPTED)
def test_options_may_be_words_from_a_command_line(
    given: Mapping[str, object], changed: Mapping[str, object]
) -> None:
    assert make_game("bluff", given).options.changed() == changed


REFUSED = [
    ({"dice_per_player": 17}, ["dice_per_player", "17", "1 to 16"]),
    ({"dice_per_player": "many"}, ["dice_per_player", "'many'", "1 to 16"]),
    ({"start_star_value": "7"}, ["start_star_value", "'7'", "0, 5, 6"]),
    ({"start_star_value": "5", "players_min": "9"}, ["players_min", "'9'", "2 to 6"]),
    ({"start_mode": "dice"}, ["start_mode", "'dice'", "roll, seat"]),
    ({"show_and_reroll": "maybe"}, ["show_and_reroll", "'maybe'", "true, false"]),
    ({"loss_clamp": "false"}, ["loss_clamp", "'false'", "true"]),
    ({"dice": 5}, ["'dice'", "dice_per_player"]),
    ({"players_min": 5, "players_max": 3}, ["players_min", "players_max"]),
]


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("x" * 100_000, {}),
        ("bluff", {"x" * 100_000: 1}),
        ("bluff", {"dice_per_player": "x" * 100_000}),
        ("bluff", {"dice_per_player": [9] * 100_000}),
        ("bluff", {"dice_per_player": "[" * 100_000}),
        ("bluff", {"dice_per_player": 10**5_000}),
    ],
    ids=["game", "option", "text", "list", "nested", "number"],
)
def test_a_refusal_does_not_repeat_all_of_a_long_text(
    name: str, given: Mapping[str, object]
) -> None:
    with pytest.raises((UnknownGameError, OptionsError)) as refusal:
        make_game(name, given)
    assert len(str(refusal.value)) < 400


def test_thousands_of_wrong_options_are_refused_as_fast_as_they_are_read() -> None:
    began = process_time()
    with pytest.raises(OptionsError, match="no option 'option 0'"):
        make_game("bluff", {f"option {number}": number for number in range(5_000)})
    # It took a minute when the cost was that of their square.
    assert process_time() - began < 5


@pytest.mark.parametrize(("given", "parts"), REFUSED)
def test_a_refused_option_is_named_with_its_value_and_what_is_allowed(
    given: Mapping[str, object], parts: list[str]
) -> None:
    with pytest.raises(OptionsError) as refusal:
        make_game("bluff", given)
    message = str(refusal.value)
    assert message.startswith("bluff: ")
    for part in parts:
        assert part in message


def test_an_unknown_game_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UnknownGameError) as refusal:
        make_game("bridge")
    assert "'bridge'" in str(refusal.value)
    for name in GAMES:
        assert name in str(refusal.value)


@pytest.mark.parametrize(("length", "told"), [(58, f"'{58 * 'x'}'"), (59, f"'{58 * 'x'}…")])
def test_of_a_long_name_sixty_characters_are_shown(length: int, told: str) -> None:
    with pytest.raises(UnknownGameError) as refusal:
        make_game(length * "x")
    assert str(refusal.value).startswith(f"there is no game {told};")


@pytest.mark.parametrize("name", GAMES)
def test_a_game_for_one_number_of_seats_says_so(name: str) -> None:
    with pytest.raises(ValueError, match="is played by exactly 2 seats, not 3"):
        make_game(name, {"players_min": 2, "players_max": 2}).start(3)


@pytest.mark.parametrize(
    ("game", "option", "least", "most", "others"),
    [
        ("bloeff", "doubt_penalty", 0, 52, {}),  # BO-21
        ("bloeff", "bust_penalty", 0, 52, {}),  # BO-17
        ("bloeff", "call_penalty", 0, 52, {}),  # BO-16
        ("bluff", "players_min", 2, 6, {}),
        ("bluff", "players_max", 2, 6, {}),
        ("bluff_you", "players_min", 2, 6, {"players_max": 6}),
        ("bluff_you", "players_max", 2, 6, {}),
    ],
)
def test_a_number_is_taken_from_its_least_to_its_most_and_no_further(
    game: str, option: str, least: int, most: int, others: dict[str, int]
) -> None:
    for allowed in (least, most):
        assert getattr(make_game(game, {option: allowed} | others).options, option) == allowed
    for refused in (least - 1, most + 1):
        with pytest.raises(OptionsError, match=option):
            make_game(game, {option: refused} | others)
