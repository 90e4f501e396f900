"""`arena event similar` asks programs in the sandbox, and finds a copy in another language."""

from textwrap import dedent

import pytest

from arena.games import make_game
from arena.local.loading import bot_file, load_bot
from arena.local.obvious import house_bots
from arena.local.probes import Probe, house_answers, probes
from arena.match.clock import DEFAULT_TIME_CONTROL, TimeControl
from arena.worker.asking import NO_ACTION, asked
from arena.worker.sandbox import HostedProgram
from tests.stores import sql as sql
from tests.stores import store as store
from tests.worker.conftest import MakeProgram

pytestmark = [pytest.mark.system, pytest.mark.timeout(600)]


def positions(game: str, count: int, control: TimeControl = DEFAULT_TIME_CONTROL) -> list[Probe]:
    rules, house = make_game(game), list(house_bots(game).values())
    return list(probes(rules, rules.seat_counts[0], control, house, count, "test"))


@pytest.mark.parametrize(
    ("game", "bot"),
    [("bluff", "bayes"), ("bloeff", "bloeff_honest")],
)
async def test_a_program_answers_positions_as_its_bot_does_in_this_process(
    game: str, bot: str, program: MakeProgram
) -> None:
    put = positions(game, 40)
    found = await asked(program(bot_file(bot).read_text("utf-8")), put, 60.0)
    assert found.trouble == ""
    for answer, known in zip(found.answers, house_answers(load_bot(bot), put), strict=True):
        assert answer in known


async def test_the_same_positions_follow_from_a_seed() -> None:
    first, again = positions("bluff", 10), positions("bluff", 10)
    assert [one.turn for one in first] == [one.turn for one in again]
    assert all(sum(one.choices.values()) > 1 for one in first)


async def test_a_program_that_ends_is_slow_or_answers_nonsense_says_so(
    program: MakeProgram,
) -> None:
    put = positions("bluff", 5, TimeControl(turn_ms=300, bank_ms=0))
    act = """
        import sys, time
        from arena.bot import Bot, run
        class Odd(Bot):
            def act(self, turn):
                {}
        if __name__ == "__main__":
            run(Odd)
    """

    def doing(what: str, name: str) -> HostedProgram:
        return program(dedent(act).format(what), name=name)

    ended = await asked(program("raise SystemExit('I do not start')", name="ended"), put, 60.0)
    assert "I do not start" in ended.trouble
    assert ended.answers == (None,) * 5
    slow = await asked(doing("time.sleep(60)", "slow"), put, 0.5)
    assert slow.trouble.startswith("was slow: it answered")
    assert set(slow.answers) == {None}
    nonsense = await asked(doing("return 7", "nonsense"), put, 60.0)
    assert set(nonsense.answers) == {NO_ACTION}
