"""Bots with a pace rest when they have begun as many matches as it allows."""

import pytest

from arena.scheduling.bot_paces import BotPaces, read_bot_pace


def matches_in(paces: BotPaces, seconds: int, *, since: int = 0, version: int = 1) -> int:
    """Begin a match in every second in which the version may; return how many it began."""
    begun = 0
    for now in range(since, since + seconds):
        list(paces.woken(now))
        if version not in paces.resting:
            paces.spend(version, 1, now)
            begun += 1
    return begun


def test_an_hours_matches_may_begin_at_once_and_then_the_pace_holds() -> None:
    paces = BotPaces()
    paces.came(1, "fox", 60)
    assert matches_in(paces, 60) == 60
    assert matches_in(paces, 36_000, since=60) == 600


def test_a_block_that_is_larger_than_the_rest_is_paid_for_later() -> None:
    paces = BotPaces()
    paces.came(1, "fox", 2)
    assert paces.spend(1, 10, 0.0) == {1}
    assert paces.next_end == 10 * 1800 - 1800
    assert list(paces.woken(16_199)) == []
    assert list(paces.woken(16_200)) == [1]


def test_the_versions_of_a_bot_share_its_pace() -> None:
    paces = BotPaces()
    for version in (1, 2):
        paces.came(version, "fox", 1)
    paces.came(3, "owl", 1)
    assert paces.spend(1, 2, 0.0) == {1, 2}
    assert paces.resting == {1, 2}


@pytest.mark.parametrize("meanwhile", [None, 1, 100])
def test_neither_another_pace_nor_a_new_connection_gives_matches_back(
    meanwhile: int | None,
) -> None:
    paces = BotPaces()
    paces.came(1, "fox", 10)
    assert matches_in(paces, 20) == 10
    paces.left(1)
    paces.came(1, "fox", meanwhile)
    paces.came(1, "fox", 10)
    assert matches_in(paces, 300, since=20) == 0
    assert matches_in(paces, 360, since=320) == 1


def test_a_bot_that_gets_a_faster_pace_rests_no_longer_than_that_asks() -> None:
    paces = BotPaces()
    paces.came(1, "fox", 1)
    paces.spend(1, 2, 0.0)
    paces.came(1, "fox", 3600)
    assert paces.next_end == 7200 - 3600 + 1
    paces.came(1, "fox", None)
    assert not paces.resting


def test_of_bots_that_have_left_only_so_many_are_remembered() -> None:
    paces = BotPaces(remembered=1)
    for version, bot in ((1, "fox"), (2, "owl")):
        paces.came(version, bot, 1)
        paces.spend(version, 2, 0.0)
        paces.left(version)
    for version, bot in ((1, "fox"), (2, "owl")):
        paces.came(version, bot, 1)
    assert paces.resting == {2}


def test_a_pace_is_read_from_text() -> None:
    assert read_bot_pace("60") == 60
    assert read_bot_pace(" Max ") is None
    for text in ("0", "-1", "1.5", "1000001", "", "sixty", "²", "9" * 5000):
        with pytest.raises(ValueError, match="write 1 to 1,000,000 matches an hour"):
            read_bot_pace(text)
