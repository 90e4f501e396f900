"""What a list of pairings remarks on, because their points alone do not tell it."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from arena.scheduling.formats import FormatName
from arena.server.tournaments.summary import (
    blocks_left,
    going_on,
    mean_column,
    of_knockout,
    remark,
    terms_in_words,
    waits_in_words,
)
from arena.server.tournaments.tournament import TournamentRecord, TournamentState
from tests.server.tournaments.test_withdrawals import begun, pair, play, withdraw


@pytest.mark.parametrize(
    ("format_name", "seats", "remarked"),
    [
        (FormatName.ROUND_ROBIN, 2, ""),
        (FormatName.ROUND_ROBIN, 3, ""),
        (FormatName.KNOCKOUT, 2, ""),
        # Who goes on to the next table is not said by the points of three.
        (FormatName.KNOCKOUT, 3, "→ bot1 1"),
    ],
)
def test_points_that_decide_are_remarked_on_only_at_larger_tables_of_a_knockout(
    format_name: FormatName, seats: int, remarked: str
) -> None:
    record = begun(format_name, seats, seats)
    pair(record)
    play(record, (1, 1), *[tuple(range(1, seats + 1))] * seats)
    (played,) = record.played()
    assert remark(record, played) == remarked


def test_blocks_are_left_until_they_are_played_or_the_tournament_is_over() -> None:
    record = begun(FormatName.ROUND_ROBIN, 3, 2, blocks=2)
    pair(record)
    first, *_ = record.pairings
    play(record, first, (1, 2), (1, 2))
    assert blocks_left(record) == 3 * 2 - 1
    record.tournament = replace(record.tournament, state=TournamentState.CANCELLED)
    assert blocks_left(record) == 0


def test_nobody_goes_on_from_a_pairing_that_is_not_decided() -> None:
    record = begun(FormatName.KNOCKOUT, 2, 2)
    pair(record)
    assert [going_on(record.tournament, one) for one in record.played()] == [()]
    play(record, (1, 1), (1, 2))
    (played,) = record.played()
    assert going_on(record.tournament, played) == played.pairing.entries[:1]


def test_a_bye_is_explained_where_there_is_one() -> None:
    told = []
    for entries in (3, 2):
        record = begun(FormatName.KNOCKOUT, entries, 2)
        pair(record)
        told.append(terms_in_words(record).partition(" A ")[2])
    assert told == ["bye is a round without an opponent.", ""]


@pytest.mark.parametrize(
    ("format_name", "state", "ranked_by"),
    [
        (FormatName.ROUND_ROBIN, TournamentState.RUNNING, ["mean"]),
        (FormatName.ROUND_ROBIN, TournamentState.FINISHED, []),
        (FormatName.KNOCKOUT, TournamentState.RUNNING, []),
    ],
)
def test_standings_are_ranked_by_means_while_some_may_have_played_more(
    format_name: FormatName, state: TournamentState, ranked_by: list[str]
) -> None:
    tournament = begun(format_name, 3, 2).tournament
    assert list(mean_column(replace(tournament, state=state))) == ranked_by


def test_some_go_on_from_each_pairing_of_a_knockout_and_from_none_of_a_round_robin() -> None:
    for format_name, all_of_them in ((FormatName.KNOCKOUT, True), (FormatName.ROUND_ROBIN, False)):
        record = begun(format_name, 4, 2)
        pair(record)
        found = of_knockout(record.tournament, record.played())
        assert found == (list(record.played()) if all_of_them else [])


NOON = datetime(2026, 12, 1, 12, 0, 0, tzinfo=UTC)


def waiting() -> TournamentRecord:
    """A round robin of three of which the third has been away for 90 of its 600 seconds."""
    record = begun(FormatName.ROUND_ROBIN, 3, 2)
    pair(record)
    one, two, three = record.tournament.entries
    away = replace(three, waited_seconds=90.0, absence="not connected")
    record.tournament = replace(record.tournament, entries=(one, two, away))
    return record


def test_whom_a_pairing_waits_for_and_until_when_is_told() -> None:
    record = waiting()
    first = min(key for key, one in record.pairings.items() if 3 in one.entries)
    names = " – ".join(f"bot{entry} 1" for entry in record.pairings[first].entries)
    (line,) = waits_in_words(record, NOON)
    assert line == (
        f"Round {first[0]}, table 1 ({names}) and 1 other pairing wait for bot3 1 (not connected), "
        "until 12:08:30 UTC: then what is left is decided without play (a walkover)."
    )
    told = {remark(record, one) for one in record.played() if 3 in one.pairing.entries}
    assert told == {"waits for bot3 1"}


def test_a_pairing_that_is_played_or_given_up_waits_for_nobody() -> None:
    record = waiting()
    for key, pairing in record.pairings.items():
        if pairing.entries in ((1, 3), (3, 1)):
            play(record, key, (1, 2))
    (line,) = waits_in_words(record, NOON)
    assert "other pairing" not in line and "bot2 1" in line
    withdraw(record, [2])
    assert waits_in_words(record, NOON) == []


def test_a_tournament_that_is_paused_waits_for_nobody() -> None:
    record = waiting()
    record.close(TournamentState.PAUSED)
    assert waits_in_words(record, NOON) == []
