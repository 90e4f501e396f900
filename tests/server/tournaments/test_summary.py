"""What a list of pairings remarks on, because their points alone do not tell it."""

import pytest

from arena.scheduling.formats import FormatName
from arena.server.tournaments.summary import remark
from tests.server.tournaments.test_withdrawals import begun, pair, play


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
