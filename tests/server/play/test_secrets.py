"""No byte of another seat's secrets crosses a stream: whole matches, seen from every seat.

Every message is decoded and compared with what the rules say that this seat may know, which the
transcript of the finished match allows to compute. Comparing whole messages leaves no room for a
byte that somebody forgot to look at.
"""

import pytest

from arena.codec.game_codec import CODECS
from arena.codec.transcript import from_message
from arena.games import make_game
from arena.games.game import DEALER
from arena.match.replay import replay
from arena.match.transcript import Transcript
from arena.scheduling.ladder import TableType
from arena.v1 import game_pb2, referee_pb2, transcript_pb2
from tests.bots import Peer
from tests.scene import opened, playing

TABLES = [
    ("bluff", {"dice_per_player": 3}, 2),
    ("bluff", {"dice_per_player": 3, "show_and_reroll": True}, 3),
    ("bluff_you", {}, 3),
    ("bloeff", {}, 4),
]
MATCHES = 2


@pytest.mark.slow
@pytest.mark.parametrize(("game", "options", "seats"), TABLES, ids=str)
async def test_a_seat_is_told_what_it_may_know_and_nothing_else(
    database: str, game: str, options: dict[str, object], seats: int
) -> None:
    ladder = TableType(game, make_game(game, options).options, seats)
    async with opened(database, ladder) as scene:
        peers = [
            await scene.peer(f"bot{number}", games=[game], max_matches=2) for number in range(seats)
        ]
        async with playing(peers) as company:
            await company.go_on(MATCHES)
        checked = sum(check(peer, match_id) for peer in peers for match_id in peer.ended)
    assert checked >= MATCHES * seats


def check(peer: Peer, match_id: str) -> int:
    """Compare all that was said about a match; how many turns there were."""
    end = next(end for message in peer.heard for end in message.ends if end.match_id == match_id)
    transcript = from_message(end.transcript)
    seat = peer.offers[match_id].seat
    expected = questions(transcript, seat)
    turns = [turn for m in peer.heard for turn in m.turns if turn.match_id == match_id]
    told: list[game_pb2.Event] = []
    for turn, (view, events) in zip(turns, expected, strict=True):
        assert turn.view == view
        told += turn.events
        assert told == events
        rest = referee_pb2.Turn()
        rest.CopyFrom(turn)
        for member in ("match_id", "turn_number", "view", "events", "turn_ms", "bank_ms"):
            rest.ClearField(member)  # type: ignore[arg-type]
        assert rest == referee_pb2.Turn()
    before_the_end(peer, match_id, transcript)
    return len(turns)


def questions(
    transcript: Transcript, seat: int
) -> list[tuple[game_pb2.View, list[game_pb2.Event]]]:
    """What a seat was to be shown at each of its turns: its view, and all public events so far."""
    game, codec = transcript.setup.make_game(), CODECS[transcript.setup.game]
    found: list[tuple[game_pb2.View, list[game_pb2.Event]]] = []
    events: list[game_pb2.Event] = []
    asked: list[int] = []
    for frame in replay(transcript):
        for event in frame.events:
            message = game_pb2.Event()
            getattr(message, game.name).MergeFromString(codec.event_bytes(event))
            events.append(message)
        to_act = game.to_act(frame.state)
        if asked:  # in the middle of a moment at which several seats were asked
            asked.pop(0)
        if asked or to_act is DEALER:
            continue
        asked = list(to_act)
        if seat in asked:
            view = game_pb2.View()
            shown = codec.view_bytes(game.view(frame.state, seat))
            getattr(view, game.name).MergeFromString(shown)
            found.append((view, list(events)))
    return found


def before_the_end(peer: Peer, match_id: str, transcript: Transcript) -> None:
    """Neither the secret nor anybody's entropy is spelt out before the end."""
    for message in peer.heard:
        early = referee_pb2.PlayResponse()
        early.CopyFrom(message)
        early.ClearField("ends")
        data = early.SerializeToString()
        assert transcript.opening.secret not in data
        for result in (transcript_pb2.Transcript, transcript_pb2.Result):
            assert not any(isinstance(value, result) for _, value in early.ListFields())
