"""`arena event similar` asks programs in the sandbox, and finds a copy in another language."""

import json
from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent
from typing import Any

import psycopg
import pytest

from arena.builds.build import read_build
from arena.builds.hosted import HostingTerms
from arena.games import make_game
from arena.local.loading import bot_file, load_bot
from arena.local.obvious import house_bots
from arena.local.probes import Probe, house_answers, probes
from arena.match.clock import DEFAULT_TIME_CONTROL, TimeControl
from arena.processes import module_command, start_async
from arena.records import Allowance
from arena.server.app.store import Store
from arena.worker.asking import asked
from arena.worker.sandbox import HostedProgram
from tests.jobs import accept_build
from tests.server.events.cups import frozen, said, signed_up
from tests.stores import sql as sql
from tests.stores import store as store
from tests.worker.conftest import MakeProgram
from tests.worker.hosting import zipped

pytestmark = [pytest.mark.system, pytest.mark.timeout(600)]

OWN_IDEA = """
    from arena.bot import Bot, run
    from arena.games.bluff import Bet, Doubt, Face

    class Idea(Bot):
        def act(self, turn):
            view = turn.view
            total = sum(view.hidden_dice) + 2 * len(view.bets) + sum(view.dice_counts)
            open_faces = [f for f in Face if view.lowest[f - 1] <= view.highest]
            if view.can_doubt and (total % 5 == 0 or not open_faces):
                return Doubt()
            face = open_faces[total * 7 % len(open_faces)]
            more = total % 3 if view.lowest[face - 1] + total % 3 <= view.highest else 0
            return Bet(view.lowest[face - 1] + more, face)

    if __name__ == "__main__":
        run(Idea)
"""
IN_PERL = r"""#!/usr/bin/perl
use strict; use warnings; use JSON::PP; use List::Util qw(sum); $| = 1;
while (my $line = <STDIN>) {
    my $m = decode_json($line);
    next if $m->{type} ne 'turn';
    my $v = $m->{view};
    my $sum = sum(0, map { $_ eq '*' ? 6 : $_ } @{$v->{hidden_dice}})
        + 2 * @{$v->{bets}} + sum(@{$v->{dice_counts}});
    my @can = grep { $v->{lowest}[$_] <= $v->{highest} } 0 .. 5;
    my $act;
    if ($v->{can_doubt} && ($sum % 5 == 0 || !@can)) { $act = { type => 'doubt' } }
    else {
        my $face = $can[$sum * 7 % @can];
        my $more = $v->{lowest}[$face] + $sum % 3 <= $v->{highest} ? $sum % 3 : 0;
        $act = { type => 'bet', quantity => $v->{lowest}[$face] + $more,
                 face => $face < 5 ? $face + 1 : '*' };
    }
    print encode_json({ match => $m->{match}, turn => $m->{turn}, action => $act }), "\n";
}
"""
LINES = b'command = ["./idea.pl"]\nprotocol = "lines"\ngames = ["bluff"]\n'


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
    assert (set(nonsense.answers), nonsense.trouble) == ({None}, "gave no valid answer.")


async def enter(store: Store, database: str, owner: str, name: str, data: bytes) -> None:
    known = await signed_up(store, owner)
    build = read_build(name, data)
    bot = f"bot-{owner}"
    await store.builds.upload(known, bot, "", build, HostingTerms(), Allowance(50, 50, 50))
    await accept_build(store, database, bot)
    await store.events.enter(known, "cup", bot)


async def report(database: str, home: Path, *options: str) -> dict[str, Any]:
    """The JSON of the command, in a process of its own: it asks programs in its main thread."""
    child = await start_async(
        module_command("arena", "event", "similar", "cup", "--json", *options),
        env={"ARENA_HOME": str(home), "ARENA_DATABASE_URL": database, "PATH": "/usr/bin:/bin"},
    )
    out, _ = await child.communicate()
    assert child.returncode == 0
    found: dict[str, Any] = json.loads(out)
    return found


async def test_a_translated_program_is_marked_and_programs_of_the_same_school_are_not(
    store: Store, sql: "psycopg.Connection[Any]", database: str, tmp_path: Path
) -> None:
    event, _ = await store.events.create("cup", said(), "test")
    bayes = bot_file("bayes").read_text("utf-8")
    translated = zipped({"bot.toml": LINES, "idea.pl": IN_PERL})
    programs: Mapping[str, tuple[str, bytes]] = {
        "ann": ("bot.py", dedent(OWN_IDEA).encode()),
        "bob": ("bot.zip", translated),
        "cat": ("bot.py", bayes.encode()),
        "dan": ("bot.py", bayes.replace("TILT = 5.0", "TILT = 3.0").encode()),
        "gus": ("bot.py", b"raise SystemExit('no')"),
    }
    for owner, (name, data) in programs.items():
        await enter(store, database, owner, name, data)
    event = await frozen(store, sql, event)
    page = tmp_path / "page.html"
    found = await report(
        database, tmp_path, "--positions", "200", "--seed", "s", "--html", str(page), "--top", "99"
    )
    behaviour = found["behaviour"]
    assert len(behaviour["pairs"]) == 10, behaviour["troubles"]
    marked = [pair["bots"] for pair in behaviour["pairs"] if pair["marked"]]
    assert [sorted(pair) for pair in marked] == [["bot-ann", "bot-bob"]]
    first = behaviour["pairs"][0]
    assert first["likeness"] > 0.95
    assert first["telling"][0]["expected"] < 0.1
    assert any("bot-gus ended with code 1" in one for one in behaviour["troubles"])
    assert "No match" in found["soft_play"]["not_examined"]
    text = page.read_text("utf-8")
    assert (
        "bot-ann of ann and bot-bob of bob" in text or "bot-bob of bob and bot-ann of ann" in text
    )
