"""Faults are recorded with what the bot was told, and listed with what it saw and sent."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from arena.games import make_game
from arena.games.bluff import Bet, Doubt, Face
from arena.match.faults import FaultKind
from arena.match.flow import Refused
from arena.records import MOST_OF_A_REASON, ToldFault, VersionId
from arena.server.failover.spool import SpoolFile
from arena.server.results.faults import SeenFault, faults_of
from arena.v1 import game_pb2
from arena.v1 import referee_pb2 as pb
from tests.bots import Peer
from tests.commands.running import arena
from tests.recorded_results import finished
from tests.running_tournaments import begun
from tests.scene import BLUFF, Scene, good_pair, opened, playing
from tests.server.play.test_misfits import bet


async def _wrong(scene: Scene, action: game_pb2.Action) -> tuple[pb.Turn, pb.Refusal, SeenFault]:
    """One wrong answer on the ladder, the refusal, and the fault as it is recorded."""
    async with good_pair(scene), await scene.peer("straße", max_matches=1) as wrong:
        await wrong.greet()
        return await _answers_wrongly(scene, wrong, action)


async def _answers_wrongly(
    scene: Scene, wrong: Peer, action: game_pb2.Action
) -> tuple[pb.Turn, pb.Refusal, SeenFault]:
    turn = await wrong.to_first_turn()
    answer = pb.Answer(match_id=turn.match_id, turn_number=turn.turn_number, action=action)
    await wrong.say(answers=[answer])
    (refusal,) = (await wrong.hear_until(lambda message: message.refusals)).refusals
    # Of a match that is not over nobody is shown the hands.
    assert faults_of(scene.arena.read, "straße", 5) == []
    await wrong.react(wrong.heard[-1])
    while not wrong.ended:
        await wrong.react(await wrong.hear())
    await scene.recorded(turn.match_id)
    (fault,) = [
        one
        for one in faults_of(scene.arena.read, "STRASSE", 5)
        if one.match.match_id == turn.match_id
    ]
    return turn, refusal, fault


@pytest.mark.slow
async def test_an_illegal_answer_is_listed_with_view_answer_and_legal_sentence(
    scene: Scene,
) -> None:
    turn, refusal, fault = await _wrong(scene, bet(99, 6))
    assert (fault.turn, fault.kind) == (turn.turn_number, FaultKind.ILLEGAL)
    assert (fault.reason, fault.legal) == (refusal.reason, refusal.legal)
    assert fault.sent == {"type": "bet", "quantity": 99, "face": "*"}
    faces = ["*" if face == 6 else face for face in turn.view.bluff.hidden_dice]
    assert fault.view["hidden_dice"] == faces
    assert fault.match.seats[fault.seat].bot == "straße"


async def test_a_fault_in_an_unrated_tournament_is_listed_too(database: str) -> None:
    # The ladder itself has too few bots to play.
    async with (
        opened(database, replace(BLUFF, seats=6)) as scene,
        playing([await scene.peer("good")]),
        await scene.peer("straße") as wrong,
    ):
        await wrong.greet()
        store = scene.arena.store
        await begun(store, [one.id for one in await store.bots()])
        _, refusal, fault = await _answers_wrongly(scene, wrong, bet(99, 6))
    assert (fault.reason, fault.kind) == (refusal.reason, FaultKind.ILLEGAL)
    assert not fault.match.rated


@pytest.mark.slow
async def test_of_a_malformed_answer_no_action_is_listed(scene: Scene) -> None:
    _, refusal, fault = await _wrong(scene, game_pb2.Action())
    assert (fault.kind, fault.sent) == (FaultKind.MALFORMED, None)
    assert fault.reason == refusal.reason


@pytest.mark.slow
async def test_the_command_prints_them(
    scene: Scene, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, _, fault = await _wrong(scene, bet(99, 6))
    monkeypatch.setenv("ARENA_DATABASE_URL", database)
    printed = arena("faults", "--bot", "STRASSE")
    assert printed.exit_code == 0, printed.output
    assert f"illegal: {fault.reason}" in printed.stdout
    assert f"\n  {fault.legal}\n" in printed.stdout
    assert '  sent:   {"type": "bet", "face": "*", "quantity": 99}' in printed.stdout
    as_json = arena("faults", "--bot", "STRASSE", "--json")
    views = {one["match_id"]: one["view"] for one in json.loads(as_json.stdout)}
    assert views[fault.match.match_id] == fault.view
    nobody = arena("faults", "--bot", "nobody")
    assert nobody.exit_code == 2
    quiet = arena("faults", "--bot", "good-one")
    assert quiet.stdout == "No fault of this bot is recorded.\n"


async def test_faults_outlive_the_spool(tmp_path: Path) -> None:
    told = (ToldFault(3, "too many", '{"type":"doubt"}'), ToldFault(5, "late", None))
    match = replace(finished([VersionId(1), VersionId(2)]), faults=told)
    await SpoolFile(tmp_path / "spool").append([match])
    assert SpoolFile(tmp_path / "spool").read() == [match]


def test_what_is_kept_of_a_fault_is_bounded() -> None:
    laid = Bet(3, Face.ONE, tuple([Face.TWO] * 5_000))
    refused = Refused(0, 1, FaultKind.ILLEGAL, "x\0" * 5_000, "Bet.", Doubt(), None, laid)
    told = ToldFault.of(make_game("bluff"), refused)
    assert (told.reason, told.sent) == ("x" * MOST_OF_A_REASON, None)
