"""Hosted bots where two referees run: the oldest is killed, and their shifts go on at the other."""

import asyncio

import pytest

from arena.worker.sandbox import why_not_here
from tests.end_to_end.programs import Program
from tests.end_to_end.test_hosted_bots import PLAYS, Author
from tests.several_referees import BOTS, Referees, end, leave

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

SETTINGS = {"ARENA_HOSTING": "true", "ARENA_SIGNUP": "open"}
SHIFTS = {"ARENA_SHIFT_SECONDS": "40"}
"""A referee may be taken over from in the middle of a shift."""
MATCHES = (
    "SELECT match_id FROM match_seats JOIN versions ON versions.id = version_id "
    "JOIN bots ON bots.id = bot_id WHERE bots.name = '{}'"
)


def test_a_shift_goes_on_when_the_referee_that_began_it_is_killed(referees: Referees) -> None:
    if (why_not := asyncio.run(why_not_here())) is not None:
        pytest.skip(why_not)
    first = referees.start(**SETTINGS, **SHIFTS)
    referees.start(**SETTINGS, **SHIFTS)
    worker = start_worker(referees)
    # They play as long as the test takes: at full speed the processors would have no time for it.
    bots = referees.start_bots(milliseconds=100)
    author = Author(referees.home / "author", referees.addresses[1])
    author.signs_up("Ann")
    author.asks("submit", author.file("plays.py", PLAYS), "--name", "mine")
    referees.until(lambda: len(referees.ids(MATCHES.format("mine"))) >= 3, "it does not play")
    (shift,) = referees.ids('SELECT id FROM shifts WHERE NOT "check" AND ended_at IS NULL')
    running = referees.ids("SELECT id FROM running_matches")
    first.kill()
    referees.until_taken_over()
    running |= referees.ids("SELECT id FROM running_matches")
    before = len(referees.ids(MATCHES.format("mine")))
    referees.until(lambda: len(referees.ids(MATCHES.format("mine"))) > before + 3, "not played on")
    assert referees.ids(f"SELECT ended_at FROM shifts WHERE id = {shift}") == {"None"}
    # The worker fetches builds from the other, too, and begins further shifts there.
    author.asks("submit", author.file("plays.py", f"# another{PLAYS}"), "--name", "second")
    referees.until(lambda: referees.ids(MATCHES.format("second")), "the second does not play")
    ended = f"SELECT outcome FROM shifts WHERE id = {shift} AND ended_at IS NOT NULL"
    referees.until(lambda: referees.ids(ended), "the shift does not end")
    assert referees.ids(ended) == {"It played its shift."}, worker.complained
    assert [bot.poll() for bot in bots] == [None] * BOTS, referees.said()
    leave(bots)  # so that no match runs when the worker ends its programs
    assert worker.stop() == 0
    referees.check(running)


def start_worker(referees: Referees, name: str = "apart", referee: int = 0) -> Program:
    """On another machine than the referees, as far as it can tell; it asks at one of them first."""
    database = {"ARENA_DATABASE_URL": referees.url}
    added = Program(referees.home / "operator", "worker", "add", name, **database)
    assert added.ended() == 0, added.complained
    worker = Program(
        referees.home / f"worker-{name}",
        "work",
        ARENA_ADDRESS=referees.addresses[referee],
        ARENA_WORKER_TOKEN=added.said.split()[-1],
        **database,
    )
    referees.stack.callback(end, worker)
    referees.running.append(worker)
    worker.wait_for("Running hosted bots")
    return worker
