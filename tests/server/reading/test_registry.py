"""Registering bots, and asking for results, over the wire."""

import asyncio
from dataclasses import replace
from typing import Any

import grpc
import pytest

from arena.codec.transcript import from_message
from arena.errors import INTERNAL_ERROR
from arena.match.clock import TimeControl
from arena.match.verify import verify
from arena.server.app.store import open_store
from arena.signatures import check_signature
from arena.v1 import registry_pb2 as pb
from arena.v1.registry_pb2_grpc import RegistryServiceStub
from tests.bots import Peer
from tests.dashboard.played import fill
from tests.databases import execute, unreachable
from tests.recorded_results import finished
from tests.scene import BLUFF, OUTAGE, Scene, good_pair, opened
from tests.service_calls import bearing, refused

UNKNOWN = "11111111-2222-4333-8444-555555555555"


@pytest.fixture
def registry(scene: Scene) -> Any:
    return RegistryServiceStub(scene.channel)


def request(bot: str = "new", owner: str = "me", version: str = "") -> pb.RegisterBotRequest:
    return pb.RegisterBotRequest(bot=bot, owner=owner, version=version)


async def test_a_new_bot_is_registered_with_its_owners_key_and_can_play_at_once(
    scene: Scene, registry: Any
) -> None:
    answer = await registry.RegisterBot(request(), metadata=bearing(await scene.key()))
    assert (answer.entrant.bot, answer.entrant.version, answer.entrant.owner) == ("new", "1", "me")
    scene.tokens["new"] = answer.token
    async with await scene.peer("new") as peer:
        assert (await peer.greet()).entrant == answer.entrant


async def test_a_new_version_is_registered_with_a_token_of_the_bot(
    scene: Scene, registry: Any
) -> None:
    first = await registry.RegisterBot(request(), metadata=bearing(await scene.key()))
    second = await registry.RegisterBot(
        request(owner="", version="2"), metadata=bearing(first.token)
    )
    assert (second.entrant.version, second.entrant.owner) == ("2", "me")
    assert second.token != first.token
    listed = await registry.ListBots(pb.ListBotsRequest())
    assert [line.entrant.version for line in listed.versions] == ["1", "2"]
    assert not any(line.house or line.retired for line in listed.versions)


async def test_what_may_not_be_registered_is_refused_by_its_own_status(
    scene: Scene, registry: Any
) -> None:
    key, other = await scene.key("a"), await scene.key("b")
    one = await registry.RegisterBot(request("one", "a"), metadata=bearing(key))
    await registry.RegisterBot(request("two", ""), metadata=bearing(other))
    cases: list[tuple[pb.RegisterBotRequest, str | None, str]] = [
        (request(), None, "UNAUTHENTICATED"),
        (request(), "wrong key", "UNAUTHENTICATED"),
        (request(), "ключ", "UNAUTHENTICATED"),
        (request(), "arena_owner_guessed", "UNAUTHENTICATED"),
        (request("", ""), key, "INVALID_ARGUMENT"),
        (request("two  spaces", ""), key, "INVALID_ARGUMENT"),
        (request("x" * 41, ""), key, "INVALID_ARGUMENT"),
        (request("new", "", "v/2"), key, "INVALID_ARGUMENT"),
        (request("new", "b"), key, "PERMISSION_DENIED"),
        (request("one", "", "1"), key, "ALREADY_EXISTS"),
        (request("two", "", "2"), key, "ALREADY_EXISTS"),
        (request("TWO", "a", "2"), key, "ALREADY_EXISTS"),
        (request("tw0", "", "2"), key, "ALREADY_EXISTS"),
        (request("two", "", "2"), one.token, "PERMISSION_DENIED"),
        (request("one", "b", "2"), one.token, "PERMISSION_DENIED"),
        (request("third", "a"), one.token, "PERMISSION_DENIED"),
        (request("one", "", "1"), one.token, "ALREADY_EXISTS"),
    ]
    for asked, token, expected in cases:
        if token is not None and not token.isascii():
            continue  # metadata is ASCII; gRPC itself refuses it
        metadata = None if token is None else bearing(token)
        said, why = await refused(registry.RegisterBot(asked, metadata=metadata))
        assert (said, bool(why)) == (expected, True), (asked, why)
    assert len((await registry.ListBots(pb.ListBotsRequest())).versions) == 2


@pytest.mark.slow
async def test_results_can_be_listed_and_every_one_opened_and_verified(
    scene: Scene, registry: Any
) -> None:
    async with good_pair(scene):
        matches = (await registry.ListMatches(pb.ListMatchesRequest(limit=3))).matches
        assert len(matches) == 3
        key = (await registry.GetSigningKey(pb.GetSigningKeyRequest())).key
        for match in matches:
            answer = await registry.GetTranscript(pb.GetTranscriptRequest(match_id=match.match_id))
            transcript = from_message(answer.transcript)
            verify(transcript)
            check_signature(transcript, key)
            assert transcript.result.placing == tuple(match.placing)
            assert {e.bot for e in match.entrants} == {"good-one", "good-two"}
            assert match.game == "bluff"
        times = [match.finished_ms for match in matches]
        assert times == sorted(times, reverse=True)


async def test_the_newest_fifty_results_are_listed_with_the_time_of_their_end(
    scene: Scene, registry: Any
) -> None:
    store = scene.arena.store
    versions = [(await store.register(name, "me"))[0].version_id for name in ("one", "two")]
    matches = [finished(versions, minute=minute) for minute in range(51)]
    await store.record(matches)
    listed = (await registry.ListMatches(pb.ListMatchesRequest())).matches
    newest = matches[:0:-1]
    assert [line.match_id for line in listed] == [one.transcript.setup.match_id for one in newest]
    assert listed[0].finished_ms == newest[0].finished_at.timestamp() * 1000
    # The bounds of what may be asked for.
    for limit in (1, 1_000):
        asked = await registry.ListMatches(pb.ListMatchesRequest(limit=limit))
        assert len(asked.matches) == min(limit, 51)


@pytest.mark.slow
async def test_results_can_be_asked_for_by_bot_and_game(scene: Scene, registry: Any) -> None:
    async with good_pair(scene):
        for bot, game, found in (
            ("good-one", "", True),
            ("good-one", "bluff", True),
            ("good-one", "bloeff", False),
            ("nobody", "", False),
        ):
            answer = await registry.ListMatches(pb.ListMatchesRequest(bot=bot, game=game, limit=1))
            assert bool(answer.matches) == found


async def test_results_can_be_asked_for_by_the_outcome_of_a_bot(
    scene: Scene, registry: Any
) -> None:
    store = scene.arena.store
    versions = [(await store.register(name, "me"))[0].version_id for name in ("one", "two")]
    orders = [versions] * 5 + [versions[::-1]] * 3  # the first seat wins
    await store.record([finished(order, minute=at) for at, order in enumerate(orders)])
    found = {
        outcome: (
            await registry.ListMatches(pb.ListMatchesRequest(bot="two", outcome=outcome))
        ).matches
        for outcome in pb.MatchOutcome.values()
    }
    of_all, won, lost = (found[each] for each in sorted(found))
    assert (len(of_all), len(won), len(lost)) == (8, 3, 5)
    for lines, first in ((won, "two"), (lost, "one")):
        assert {line.entrants[0].bot for line in lines} == {first}


@pytest.mark.slow
async def test_the_leaderboard_names_the_bots_and_how_sure_their_numbers_are(
    scene: Scene, registry: Any
) -> None:
    async with good_pair(scene) as pair:
        await pair.go_on(10)
        answer = await registry.GetLeaderboard(
            pb.GetLeaderboardRequest(game="bluff", options_json='{"dice_per_player": 2}')
        )
        assert answer.seats == 2
        assert {line.entrant.bot for line in answer.ratings} == {"good-one", "good-two"}
        assert sum(line.win_share for line in answer.ratings) == pytest.approx(1)
        assert all(line.matches > 0 for line in answer.ratings)
        assert all(line.elo_low < line.elo < line.elo_high for line in answer.ratings)
        assert not any(line.frozen or line.paused for line in answer.ratings)
        empty = await registry.GetLeaderboard(pb.GetLeaderboardRequest(game="bloeff"))
        assert not empty.ratings


async def test_the_leaderboard_says_which_bots_may_not_play_for_now(
    database: str, registry: Any
) -> None:
    await fill(database, blocks=1)
    async with open_store(database) as store:
        await store.owners.freeze("alpha", "the operator")
    answer = await registry.GetLeaderboard(pb.GetLeaderboardRequest(game="bluff"))
    assert {line.entrant.bot for line in answer.ratings if line.frozen} == {"alpha"}
    assert not any(line.paused for line in answer.ratings)


@pytest.mark.slow
async def test_another_time_control_is_another_leaderboard_and_every_match_tells_its_own(
    database: str,
) -> None:
    slow = replace(BLUFF, time_control=TimeControl(turn_ms=60_000, bank_ms=600_000))
    asked = pb.GetLeaderboardRequest(game="bluff", options_json='{"dice_per_player": 2}')
    async with (
        opened(database, slow) as scene,
        good_pair(scene) as pair,
    ):
        registry: Any = RegistryServiceStub(scene.channel)
        await pair.go_on(4)
        (line,) = (await registry.ListMatches(pb.ListMatchesRequest(limit=1))).matches
        assert (line.time_control.turn_ms, line.time_control.bank_ms) == (60_000, 600_000)
        assert (line.rated, list(line.faults)) == (True, [0, 0])
        assert not (await registry.GetLeaderboard(asked)).ratings
        asked.time_control.CopyFrom(line.time_control)
        answer = await registry.GetLeaderboard(asked)
        assert {line.entrant.bot for line in answer.ratings} == {"good-one", "good-two"}


@pytest.mark.slow
async def test_the_leaderboard_tells_luck_adjusted_numbers_once_there_are_some(
    scene: Scene, registry: Any
) -> None:
    asked = pb.GetLeaderboardRequest(game="bluff", options_json='{"dice_per_player": 2}')
    async with good_pair(scene) as pair:
        await pair.go_on(30)
        answer = await registry.GetLeaderboard(asked)
        # A live board rests.
        async with asyncio.timeout(30):
            while not any(line.HasField("luck_adjusted") for line in answer.ratings):
                await asyncio.sleep(0.2)
                answer = await registry.GetLeaderboard(asked)
    for line in answer.ratings:
        adjusted = line.luck_adjusted
        assert adjusted.elo_low < adjusted.elo < adjusted.elo_high
        assert adjusted.HasField("variance_factor")
        official = line.elo_high - line.elo_low
        ratio = (adjusted.elo_high - adjusted.elo_low) / official
        assert adjusted.variance_factor == pytest.approx(ratio**2)


UNANSWERABLE: list[tuple[str, Any, str, str]] = [
    ("GetTranscript", pb.GetTranscriptRequest(match_id=UNKNOWN), "NOT_FOUND", UNKNOWN),
    ("GetTranscript", pb.GetTranscriptRequest(match_id="' OR 1=1"), "NOT_FOUND", "OR 1=1"),
    ("ListMatches", pb.ListMatchesRequest(limit=1001), "INVALID_ARGUMENT", "1000"),
    ("ListMatches", pb.ListMatchesRequest(limit=-1), "INVALID_ARGUMENT", "-1"),
    ("GetLeaderboard", pb.GetLeaderboardRequest(game="chess"), "INVALID_ARGUMENT", "chess"),
    ("GetLeaderboard", pb.GetLeaderboardRequest(), "INVALID_ARGUMENT", "bluff"),
    (
        "GetLeaderboard",
        pb.GetLeaderboardRequest(game="bluff", seats=33_000),
        "INVALID_ARGUMENT",
        "2 to 6 seats",
    ),
    (
        "GetLeaderboard",
        pb.GetLeaderboardRequest(game="bluff", options_json="{dice"),
        "INVALID_ARGUMENT",
        "options_json",
    ),
    (
        "GetLeaderboard",
        pb.GetLeaderboardRequest(game="bluff", options_json="[1]"),
        "INVALID_ARGUMENT",
        "JSON object",
    ),
    (
        "GetLeaderboard",
        pb.GetLeaderboardRequest(game="bluff", options_json='{"dice": 2}'),
        "INVALID_ARGUMENT",
        "dice_per_player",
    ),
]


async def test_a_question_without_an_answer_is_refused_in_a_sentence(registry: Any) -> None:
    for call, asked, code, words in UNANSWERABLE:
        said, why = await refused(getattr(registry, call)(asked))
        assert (said, words in why) == (code, True), (call, asked, why)


async def test_an_error_of_ours_reaches_the_operator_and_no_caller(
    database: str, scene: Scene, registry: Any
) -> None:
    execute(database, "ALTER TABLE tokens RENAME COLUMN sha256 TO a_secret")
    said, why = await refused(registry.RegisterBot(request(), metadata=bearing("a token")))
    assert (said, why) == ("INTERNAL", INTERNAL_ERROR)
    async with Peer(scene.port, "a token") as peer:
        code, why = await peer.status()
    assert (code, why) == (grpc.StatusCode.INTERNAL, INTERNAL_ERROR)
    assert [line["event"] for line in errors(scene)] == ["call failed", "stream broken"]
    assert all(line["exc_info"] for line in errors(scene))
    scene.log.clear()


async def test_while_the_database_does_not_answer_callers_are_told_to_come_back(
    database: str, scene: Scene, registry: Any
) -> None:
    with unreachable(database):
        said, why = await refused(registry.ListBots(pb.ListBotsRequest()))
        assert (said, why) == (
            "UNAVAILABLE",
            "the arena's database does not answer; try again later",
        )
        async with Peer(scene.port, "a token") as peer:
            assert (await peer.status())[0] is grpc.StatusCode.UNAVAILABLE
    # What waits for storage may or may not have asked in that time; it tells it by itself.
    told = {line["event"] for line in errors(scene)}
    assert {one for one in told if not one.endswith("wait for storage")} == {"database unreachable"}
    scene.log[:] = [OUTAGE]
    await registry.ListBots(pb.ListBotsRequest())


def errors(scene: Scene) -> list[Any]:
    return [line for line in scene.log if line["log_level"] == "error"]


async def test_results_and_bots_are_listed_in_pages(scene: Scene, registry: Any) -> None:
    store = scene.arena.store
    versions = [(await store.register(name, "me"))[0].version_id for name in ("one", "two")]
    matches = [finished(versions, minute=minute) for minute in range(5)]
    await store.record(matches)
    listed, token = [], ""
    while True:
        page = await registry.ListMatches(pb.ListMatchesRequest(limit=2, page_token=token))
        listed += [line.match_id for line in page.matches]
        token = page.next_page_token
        if not token:
            break
    assert listed == [one.transcript.setup.match_id for one in matches[::-1]]
    first = await registry.ListBots(pb.ListBotsRequest(page_size=1))
    second = await registry.ListBots(
        pb.ListBotsRequest(page_size=1, page_token=first.next_page_token)
    )
    assert [page.versions[0].entrant.bot for page in (first, second)] == ["one", "two"]
    assert second.next_page_token == ""


async def test_a_page_token_that_was_never_given_is_refused(registry: Any) -> None:
    for token in ("x", "-1", "1e3", "99999999999", "²"):
        for call in (
            registry.ListBots(pb.ListBotsRequest(page_token=token)),
            registry.ListMatches(pb.ListMatchesRequest(page_token=token)),
            registry.GetLeaderboard(pb.GetLeaderboardRequest(game="bluff", page_token=token)),
        ):
            code, why = await refused(call)
            expected = ("INVALID_ARGUMENT", True)
            assert (code, "`page_token`" in why) == expected, (token, why)


async def test_an_outcome_of_nobody_is_refused(registry: Any) -> None:
    call = registry.ListMatches(pb.ListMatchesRequest(outcome=pb.MATCH_OUTCOME_WON))
    code, why = await refused(call)
    assert (code, "name it in `bot`" in why) == ("INVALID_ARGUMENT", True)
    for outcome in (3, -1):
        code, why = await refused(registry.ListMatches(pb.ListMatchesRequest(outcome=outcome)))
        assert (code, "`outcome` is 1 for won" in why) == ("INVALID_ARGUMENT", True)
