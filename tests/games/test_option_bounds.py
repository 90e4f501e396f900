"""What every option of every game is by default, and how far it can be set."""

from typing import Any

import pytest
from pydantic import ValidationError

from arena.games.bloeff import BloeffOptions
from arena.games.bluff import BluffOptions
from arena.games.bluff_you import BluffYouOptions
from arena.games.game import Options

NUMBERS = [
    (BluffOptions, "players_min", 2, 2, 6),  # BL-1
    (BluffOptions, "players_max", 2, 6, 6),  # BL-1
    (BluffOptions, "dice_per_player", 1, 5, 16),  # BL-3
    (BluffOptions, "start_rerolls", 0, 10, 100),  # BL-4
    (BluffYouOptions, "players_min", 2, 2, 6),  # BY-1
    (BluffYouOptions, "players_max", 2, 4, 6),  # BY-1
    (BluffYouOptions, "swap_min_give", 1, 2, 15),  # BY-17
    (BluffYouOptions, "swap_max_per_turn", 0, 1, 8),  # BY-18
    (BluffYouOptions, "no_win_limit", 0, 0, 1_000),  # BY-22
    (BloeffOptions, "players_min", 2, 2, 10),  # BO-1
    (BloeffOptions, "players_max", 2, 6, 10),  # BO-1
    (BloeffOptions, "doubt_penalty", 0, 2, 52),  # BO-21
    (BloeffOptions, "bust_penalty", 0, 2, 52),  # BO-17
    (BloeffOptions, "call_penalty", 0, 2, 52),  # BO-16
    (BloeffOptions, "points_blue", 0, 1, 1_000),  # BO-24
    (BloeffOptions, "points_other", 0, 2, 1_000),  # BO-24
    (BloeffOptions, "max_turns", 1, 200, 10_000),  # BO-23
]
OTHERS: dict[type[Options], dict[str, Any]] = {
    BluffOptions: {
        "start_mode": "roll",  # BL-4
        "start_star_value": 6,  # BL-4
        "bet_cap": "dice_in_play",  # BL-16
        "show_and_reroll": False,  # BL-X
        "exact_hit": "all_but_bettor_lose_1",  # BL-21
        "loss_clamp": True,  # BL-23
        "elimination_tie": "shared",  # BL-27
        "reroll_trigger": "dice_laid_out_in_this_action",  # BL-X3
        "silent_action": "doubt_or_lowest",  # BL-31
    },
    BluffYouOptions: {
        "first_bluffer": 0,  # BY-5
        "chip_points": (5, 4, 3, 3, 2, 2, 1, 1, 1, 1, 2, 2, 3, 3, 4, 5),  # BY-2
        "announce_missing_chip": "illegal",  # BY-8
        "steal_takes": "named_chip",  # BY-14
        "gift_choice": "after_reveal",  # BY-15
        "silent_action": "lowest_win_believe_cheapest",  # BY-27
        "final_tie": "shared",  # BY-21
    },
    BloeffOptions: {
        "limits": (10, 8, 6, 4, 2, 0),  # BO-3
        "first_seat": 0,  # BO-5
        "below_zero": "floor",  # BO-7
        "announce_range": "plausible",  # BO-12
        "call_mode": "explicit",  # BO-16
        "draw2_ends_turn": False,  # BO-9
        "caught_card_returns": False,  # BO-21
        "doubt_choice": "random",  # BO-F3
        "doubt_window": "platform_clock",  # BO-F1
        "publish_ballots": "chosen",  # BO-F2
        "final_tie": "shared",  # BO-25
        "red_order": "oldest_first",  # BO-9
        "skips_per_turn": 1,  # BO-9
        "red_stacking": True,  # BO-13
        "red_target_self": False,  # BO-13
        "total_after_action": "unchanged",  # BO-15
        "needless_call": "ignored",  # BO-16
        "voluntary_bust": "allowed",  # BO-17
        "bust_card_shown": False,  # BO-17
        "last_card_doubtable": True,  # BO-19
        "last_action_effect": False,  # BO-19
        "direction_reset": False,  # BO-22
        "recycle": "centre_when_empty",  # BO-8
        "front_cards_score": 0,  # BO-24
        "silent_action": "smallest_number_honest",  # BO-28
    },
}
TABLES = {"deck", "deal"}
"""Blöff's cards, which have tests of their own."""


def refused(kind: type[Options], name: str, value: object) -> bool:
    """Whether a value is refused for itself, not for what the other options say."""
    try:
        kind.model_validate({name: value})
    except ValidationError as error:
        return any(one["loc"][:1] == (name,) for one in error.errors())
    return False


@pytest.mark.parametrize(("kind", "name", "lowest", "default", "highest"), NUMBERS)
def test_a_number_among_the_options_can_be_set_within_its_bounds(
    kind: type[Options], name: str, lowest: int, default: int, highest: int
) -> None:
    assert getattr(kind(), name) == default
    asked = (lowest - 1, lowest, highest, highest + 1)
    assert [refused(kind, name, value) for value in asked] == [True, False, False, True]


@pytest.mark.parametrize("kind", OTHERS, ids=lambda kind: kind.__name__)
def test_the_other_options_have_the_defaults_of_the_specification(kind: type[Options]) -> None:
    numbers = {name for of, name, *_ in NUMBERS if of is kind}
    values = {name: getattr(kind(), name) for name in kind.model_fields.keys() - numbers - TABLES}
    assert values == OTHERS[kind]


@pytest.mark.parametrize(("limit", "usable"), [(-1, False), (0, True), (99, True), (100, False)])
def test_a_limit_is_a_total_that_can_be_announced_bo_3_12(limit: int, usable: bool) -> None:
    assert refused(BloeffOptions, "limits", (limit,)) is not usable


@pytest.mark.parametrize(("points", "usable"), [(0, False), (1, True), (100, True), (101, False)])
def test_every_chip_is_worth_something_by_2_23(points: int, usable: bool) -> None:
    assert refused(BluffYouOptions, "chip_points", (points,) * 16) is not usable


@pytest.mark.parametrize(("chips", "usable"), [(15, False), (16, True), (17, False)])
def test_every_chip_has_its_points_and_no_other_by_2(chips: int, usable: bool) -> None:
    assert refused(BluffYouOptions, "chip_points", (1,) * chips) is not usable


@pytest.mark.parametrize("name", ["limits", "deck"])  # BO-3, BO-2
def test_a_list_that_bloeff_cannot_do_without_is_not_empty(name: str) -> None:
    assert not refused(BloeffOptions, name, getattr(BloeffOptions(), name))
    assert refused(BloeffOptions, name, ())


@pytest.mark.parametrize(
    ("seats", "cards", "usable"),
    [(1, 6, False), (2, 0, False), (2, 1, True), (2, 26, True), (2, 27, False)],
)
def test_at_most_the_whole_deck_is_dealt_and_at_least_a_card_to_each_bo_4(
    seats: int, cards: int, usable: bool
) -> None:
    deal = [{"seats": seats, "cards": cards}]
    if usable:
        options = BloeffOptions.model_validate({"deal": deal, "players_max": seats})
        assert options.cards_dealt(seats) == cards
    else:
        with pytest.raises(ValidationError, match="deal"):
            BloeffOptions.model_validate({"deal": deal, "players_max": seats})


@pytest.mark.parametrize("seat", [-1, 2])
def test_bloeff_begins_with_a_seat_that_exists_in_every_match_bo_5(seat: int) -> None:
    with pytest.raises(ValidationError, match="first_seat"):
        BloeffOptions(first_seat=seat)
    assert BloeffOptions(first_seat=2, players_min=3).first_seat == 2


@pytest.mark.parametrize("kind", [BluffOptions, BluffYouOptions, BloeffOptions])
def test_fewest_and_most_players_may_be_the_same_number(kind: type[Options]) -> None:
    options = kind.model_validate({"players_min": 3, "players_max": 3})
    assert options.changed() == {"players_min": 3, "players_max": 3}
