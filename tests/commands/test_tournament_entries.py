"""From `--bots` to the field of a tournament."""

import shlex
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, cast

import pytest
from sqlalchemy import Row

from arena.commands.errors import CommandError
from arena.commands.tournaments.entries import absent, refuse_one_owner, seeded, versions_named
from arena.database.rows import BotVersion
from arena.records import VersionId
from arena.scheduling.formats import FormatName
from arena.server.tournaments.participation import Participation, obstacle

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


def version(
    number: int,
    bot: str,
    label: str = "1",
    *,
    owner: str = "",
    house: bool = False,
    retired: bool = False,
) -> BotVersion:
    retired_at = NOON if retired else None
    return BotVersion(
        VersionId(number), bot, label, owner or f"owner of {bot}", house, retired_at, NOON, 0
    )


KNOWN = [
    version(1, "a"),
    version(2, "a", "2"),
    version(3, "a", "3", retired=True),
    version(4, "b"),
    version(5, "old", retired=True),
]


CAN = {one.id: Participation("", "not connected", None) for one in KNOWN}


def test_of_a_hosted_bot_without_a_version_the_one_that_plays_is_meant() -> None:
    can = CAN | {VersionId(n): Participation("", "", "1") for n in (1, 2, 3)}
    assert [one.id for one in versions_named("a", KNOWN, can)] == [1]


def test_a_version_that_cannot_play_is_refused_with_what_to_do() -> None:
    obstacle = "has not passed its check yet: wait"
    can = CAN | {VersionId(2): Participation(obstacle, "not checked yet", "1")}
    with pytest.raises(CommandError, match=f"a 2 {obstacle}"):
        versions_named("a:2,b", KNOWN, can)


def test_versions_that_are_not_here_now_are_named_with_the_reason() -> None:
    assert absent(KNOWN[:1], CAN) == ["a 1 (not connected)"]
    assert absent(KNOWN[:1], {VersionId(1): Participation("", "", None)}) == []


def test_without_a_version_the_newest_in_service_is_meant() -> None:
    assert [one.id for one in versions_named("A, b", KNOWN, CAN)] == [2, 4]
    assert [one.id for one in versions_named("b,a:1", KNOWN, CAN)] == [4, 1]


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        ("a,nobody", "nobody is not registered"),
        ("a,a:9", "a:9 is not registered"),
        ("a,a:3", "a:3 is retired"),
        ("old", "old is retired"),
        ("a,b,a", "a 2 is named twice"),
    ],
)
def test_what_cannot_play_is_told(names: str, sentence: str) -> None:
    with pytest.raises(CommandError, match=sentence):
        versions_named(names, KNOWN, CAN)


def test_bots_of_one_owner_are_refused_but_for_the_houses() -> None:
    refuse_one_owner([version(1, "a"), version(2, "b")])
    refuse_one_owner([version(n, f"h{n}", owner="house", house=True) for n in range(3)])
    with pytest.raises(CommandError, match=r"both belong to me.*add --unrated"):
        refuse_one_owner([version(1, "a", owner="me"), version(2, "b", owner="ME")])


def test_the_best_rated_is_seeded_first_and_the_unrated_are_drawn() -> None:
    entered = [version(number, f"bot{number}") for number in range(1, 7)]
    elo = {VersionId(4): 1600.0, VersionId(2): 1400.0}
    field = seeded(entered, elo, FormatName.SWISS, "s")
    assert [(one.version_id, one.elo) for one in field[:2]] == [(4, 1600.0), (2, 1400.0)]
    assert {one.version_id for one in field[2:]} == {1, 3, 5, 6}
    assert seeded(entered[::-1], elo, FormatName.SWISS, "s") == field
    assert len({tuple(seeded(entered, {}, FormatName.SWISS, str(n))) for n in range(9)}) > 1


def test_who_is_named_first_runs_the_gauntlet() -> None:
    entered = [version(1, "new"), version(2, "a"), version(3, "b")]
    elo = {VersionId(2): 1400.0, VersionId(3): 1600.0}
    field = seeded(entered, elo, FormatName.GAUNTLET, "s")
    assert [one.version_id for one in field] == [1, 3, 2]


@pytest.mark.parametrize("what", ["banned", "frozen", "paused"])
def test_a_command_in_a_sentence_can_be_typed_whatever_the_name(what: str) -> None:
    facts = dict.fromkeys(("retired", "banned", "frozen", "paused"), False) | {what: True}
    row = SimpleNamespace(**facts, owner="Zoë from 3b", bot="Zoë from 3b")
    command = obstacle(cast(Row[Any], row)).split("`")[1]
    assert shlex.split(command)[-1] == "Zoë from 3b"
