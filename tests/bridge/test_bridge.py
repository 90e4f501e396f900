"""`arena bridge` as anybody runs it: at a real referee, and with programs that fail."""

import asyncio
import re
import signal
import subprocess
import sys
from contextlib import AbstractContextManager
from pathlib import Path

import grpc
import pytest

from arena.games import make_game
from arena.match.faults import Fault, FaultKind
from arena.scheduling.ladder import TableType
from arena.server.app.assembly import running_arena
from arena.server.app.referee_settings import RefereeSettings
from arena.v1 import referee_pb2 as pb
from tests import recorded_matches
from tests.bot.scripted_referee import (
    Conductor,
    Stream,
    begun,
    conduct,
    offered,
    play_on,
    referee,
    refuse,
)
from tests.bot_programs import bot_program, ending
from tests.thoroughness import thorough

ROOT = Path(__file__).parents[2]
PERL = str(ROOT / "sample_bots" / "stdio" / "lowest.pl")

pytestmark = pytest.mark.slow


def bridge(
    address: str, *command: str, token: str = "secret"
) -> AbstractContextManager["subprocess.Popen[str]"]:
    words = [sys.executable, "-m", "arena", "bridge", *command]
    return bot_program(words, address, token, cwd=ROOT)


@pytest.mark.parametrize(
    "game",
    [
        game if game == "bluff" else thorough(game)
        for game in re.findall(r"^sub (\w+)", Path(PERL).read_text(), re.M)
    ],
)
async def test_the_perl_bot_plays_without_a_fault_at_a_real_referee(
    database: str, game: str
) -> None:
    enough = asyncio.Event()
    table = TableType(game, make_game(game).options, 2)
    extra = ["--process-per-match"] if game == "bloeff" else []
    async with running_arena(database, RefereeSettings(table_types=[table])) as arena:
        arena.when_recorded(50, enough.set)
        tokens = [(await arena.store.register(f"p{n}", f"o{n}"))[1] for n in range(2)]
        address = f"127.0.0.1:{arena.port}"
        command = ["--games", game, *extra, "--max-matches", "4", "--strict", "--", "perl", PERL]
        with (
            bridge(address, *command, token=tokens[0]) as one,
            bridge(address, *command, token=tokens[1]) as other,
        ):
            async with asyncio.timeout(90):
                await enough.wait()
            for process in (one, other):
                process.send_signal(signal.SIGINT)
            for process in (one, other):
                code, errors = await ending(process)
                assert (code, "Fault" in errors, "ERROR" in errors) == (0, False, False), errors
        rows = await recorded_matches.matches(arena.store, limit=1000)
        assert len(rows) >= 50
        assert sum(seat.faults for row in rows for seat in row.seats) == 0


async def play_one(*program: str) -> tuple[int, str]:
    """One turn of a program that fails; the bridge drains, answers nothing and is let go."""

    async def script(stream: Stream) -> None:
        await stream.welcome()
        conductor = await begun(stream)
        await stream.say(turns=[conductor.turn()])
        said = [await stream.hear(), await stream.hear()]
        assert any(request.HasField("drain") for request in said)
        (answer,) = [answer for request in said for answer in request.answers]
        assert not answer.HasField("action")

    async with referee(script) as address:
        with bridge(address.target, "--", *program) as process:
            return await ending(process)


@pytest.mark.parametrize(
    ("program", "sentence"),
    [
        ("print('hello')", 'The program wrote a line that is no answer, "hello": not JSON'),
        ("print('[1]')", "found [1]; allowed is an object"),
        ("""print('{"match": "m1", "turn": 1}')""", "action is missing"),
        (
            """print('{"match": "m9", "turn": 1, "action": {}}')""",
            'answered turn 1 of match "m9", for which it was not asked',
        ),
    ],
)
async def test_a_program_that_writes_rubbish_is_named(program: str, sentence: str) -> None:
    code, errors = await play_one(
        sys.executable, "-uc", f"import sys\n{program}\nfor line in sys.stdin: pass"
    )
    assert sentence in errors
    assert code == 1, errors
    assert sentence in errors.splitlines()[-1]
    assert "Traceback" not in errors


def test_a_program_that_ends_is_named_with_its_code_and_its_stderr_passes_through() -> None:
    with bridge("127.0.0.1:9", "--", "sh", "-c", "echo why >&2; exit 3") as process:
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "why\n" in errors
    assert errors.endswith("arena: The program ended with code 3.\n")


def test_a_program_that_does_not_exist_is_named_before_anything_is_tried() -> None:
    with bridge("127.0.0.1:9", "--", "./no-such-program") as process:
        _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (2, "arena: there is no program ./no-such-program.\n")


async def test_a_program_that_hangs_is_named_after_ten_seconds_of_silence() -> None:
    async def script(stream: Stream) -> None:
        await stream.welcome()
        conductor = await begun(stream)
        turn = conductor.turn()
        turn.turn_ms, turn.bank_ms = 4_000, 0
        answers: list[pb.Answer] = []
        while len(answers) < 3:
            turn.turn_number += 1
            turn.view.bluff.round += 1
            await stream.say(turns=[turn])
            wanted = len(answers) + 1
            while len(answers) < wanted:
                answers += (await stream.hear()).answers
        assert not any(answer.HasField("action") for answer in answers)

    async with referee(script) as address:
        with bridge(
            address.target, "--", sys.executable, "-c", "input(); import time; time.sleep(60)"
        ) as process:
            code, errors = await ending(process)
    assert code == 1
    hangs = r"The program hangs: asked in 3 turns, it wrote nothing for (\d+) s; it must"
    said = re.search(hangs, errors)
    assert said is not None
    assert 10 <= int(said[1]) < 30


LATE = """
import json, sys
held, seen = [], 0
for line in sys.stdin:
    told = json.loads(line)
    if told["type"] == "turn":
        view, seen = told["view"], seen + 1
        bet = {"type": "bet", "quantity": view["lowest"][0], "face": 1}
        action = {"type": "doubt"} if view["can_doubt"] else bet
        held.append({key: told[key] for key in ("match", "turn")} | {"action": action})
    if seen > HELD_TURNS or told["type"] == WAITS_FOR:
        for answer in held:
            print(json.dumps(answer), flush=True)
        held = []
"""
"""A program that keeps its first answers back until it has read more turns, or the end."""


@pytest.mark.parametrize(
    ("held_turns", "waits_for", "faults"),
    [(1, "end", 1), (1, "never", 1), (3, "never", 3), (2, "end", 2), (1, "refused", 1)],
)
async def test_answers_that_come_late_are_faults_whatever_has_ended_meanwhile(
    held_turns: int, waits_for: str, faults: int
) -> None:
    """The first match is called off with its turn unanswered; the second is played to its end.

    A match of two dice with a seat that only faults has two of its turns at least, whatever is
    rolled, so no case waits for more faults than three.
    """
    program = LATE.replace("HELD_TURNS", str(held_turns)).replace("WAITS_FOR", repr(waits_for))
    unanswered = 0

    async def script(stream: Stream) -> None:
        nonlocal unanswered
        await stream.welcome()
        conductor = await begun(stream, "m0")
        turn = conductor.turn()
        turn.turn_ms, turn.bank_ms = 50, 0
        await stream.say(turns=[turn])
        (answer,) = (await stream.hear()).answers
        unanswered += not answer.HasField("action")
        conductor.reply(Fault(FaultKind.LATE, reason="late"))
        await stream.say(refusals=conductor.refusals())
        await stream.say(withdrawals=[pb.Withdrawal(match_id="m0", reason="over")])

        conductor = await begun(stream, "m1")
        while conductor.record is None:
            turn = conductor.turn()
            if unanswered < faults:
                turn.turn_ms, turn.bank_ms = 50, 0
            await stream.say(turns=[turn])
            (answer,) = (await stream.hear()).answers
            if answer.HasField("action"):
                conductor.answer(answer)
            else:
                unanswered += 1
                conductor.reply(Fault(FaultKind.LATE, reason="late"))
        await stream.say(ends=[conductor.end()])

    async with referee(script, refuse) as address:
        with bridge(address.target, "--", sys.executable, "-uc", program) as process:
            code, errors = await ending(process)
    assert code == 2, errors  # it left because its token was refused
    assert "Leaving." not in errors
    assert unanswered == faults


async def test_a_match_goes_on_after_the_stream_was_lost_in_a_turn() -> None:
    entropies, records = [], []

    async def lose(stream: Stream) -> None:
        setup, offer = offered()
        await stream.welcome(offers=[offer])
        entropies.append((await stream.hear()).joins[0].entropy)
        await stream.say(turns=[Conductor(setup, entropies[0]).turn()])
        await stream.context.abort(grpc.StatusCode.UNAVAILABLE, "stopping")

    async def resume(stream: Stream) -> None:
        setup, offer = offered()
        conductor = Conductor(setup, entropies[0])
        resumed = pb.Resume(offer=offer, entropy=entropies[0])
        await stream.welcome(resumes=[resumed], turns=[conductor.turn(repeat=True)])
        await play_on(stream, conductor, asked=True)
        records.append(conductor.record)
        await stream.say(ends=[conductor.end()])

    async with referee(lose, resume, refuse) as address:
        with bridge(address.target, "--", "perl", PERL) as process:
            code, errors = await ending(process)
    (record,) = records
    assert record.result.faults == (0, 0)
    assert (code, "verification failed" in errors) == (2, False), errors


async def test_a_program_for_each_match_plays_at_every_referee() -> None:
    records = []

    async def play(stream: Stream) -> None:
        await stream.welcome(address=other.target, referees=told)
        assert (await stream.hear()).places.max_matches == 8
        conductor = await conduct(stream)
        records.append(conductor.record)
        await stream.say(ends=[conductor.end()])

    async def without_places(stream: Stream) -> None:
        await stream.welcome(address=first.target, referees=told)
        await asyncio.Event().wait()  # until the bot leaves

    async with referee(play) as other, referee(without_places) as first:
        told = pb.Referees(addresses=[first.target, other.target])
        program = ["--process-per-match", "--", "perl", PERL]
        with bridge(first.target, *program) as process:
            code, errors = await ending(process)
    (record,) = records
    assert record is not None
    assert record.result.faults == (0, 0), errors
    assert (code, "ERROR" in errors) == (2, False), errors
