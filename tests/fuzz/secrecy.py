"""What a bot was told about a match, compared with what its seat may know."""

from collections.abc import Sequence

from arena.codec.game_codec import CODECS
from arena.games.game import DEALER
from arena.match.replay import replay
from arena.match.transcript import Transcript
from arena.v1 import game_pb2, referee_pb2


def assert_told_no_more_than_its_seat_may_know(
    transcript: Transcript, seat: int, turns: Sequence[referee_pb2.Turn]
) -> None:
    """Each turn holds one of the seat's views, and events that were public at that moment."""
    known = _known(transcript, seat)
    for turn in turns:
        view = turn.view.SerializeToString(deterministic=True)
        assert view in known, f"{transcript.setup.match_id}: seat {seat} was shown {turn.view}"
        told = [event.SerializeToString(deterministic=True) for event in turn.events]
        assert any(events[len(events) - len(told) :] == told for events in known[view]), (
            f"{transcript.setup.match_id}: seat {seat} was told {turn.events} too early"
        )


def _known(transcript: Transcript, seat: int) -> dict[bytes, list[list[bytes]]]:
    """The seat's views at all moments, each with the public events until then."""
    game, codec = transcript.setup.make_game(), CODECS[transcript.setup.game]
    known: dict[bytes, list[list[bytes]]] = {}
    events: list[bytes] = []
    for frame in replay(transcript):
        for event in frame.events:
            message = game_pb2.Event()
            getattr(message, game.name).MergeFromString(codec.event_bytes(event))
            events.append(message.SerializeToString(deterministic=True))
        to_act = game.to_act(frame.state)
        if to_act is not DEALER and seat in to_act:
            view = game_pb2.View()
            getattr(view, game.name).MergeFromString(codec.view_bytes(game.view(frame.state, seat)))
            shown = view.SerializeToString(deterministic=True)
            known.setdefault(shown, []).append(list(events))
    return known
