"""The situations of decisions are shown in one order, in every game that has claims."""

from collections import defaultdict

import pytest

from arena.games import GAMES
from arena.games.claims import claims_of
from arena.games.game import DEALER
from tests.games.contract import cases, playout


@pytest.mark.parametrize("game", [name for name in GAMES if claims_of(name) is not None])
def test_situations_of_a_kind_have_different_ranks_and_each_always_the_same(game: str) -> None:
    claims = claims_of(game)
    assert claims is not None
    names: dict[tuple[str, int], set[str]] = defaultdict(set)
    ranks: dict[tuple[str, str], set[int]] = defaultdict(set)
    for case in cases():
        if case.name != game:
            continue
        for step in playout(case, 1):
            if step.actor is DEALER:
                continue
            found = claims.situations(case.game.view(step.before, step.actor))
            assert len({one.kind for one in found}) == len(found)
            for one in found:
                names[one.kind, one.rank].add(one.name)
                ranks[one.kind, one.name].add(one.rank)
    assert {kind for kind, _ in names} > {"standing"}
    assert [at for at, known in names.items() if len(known) > 1] == []
    assert [name for name, known in ranks.items() if len(known) > 1] == []
