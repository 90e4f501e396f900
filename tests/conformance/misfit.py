"""A small bot that conforms, and misfits that each do one thing wrong: `python misfit.py NAME`.

It plays at random what is legal, by the codec of the arena, over a stream of its own making.
"""

import atexit
import os
import queue
import random
import secrets
import signal
import sys
import threading
import time
from typing import Any

import grpc

from arena.bot.checks import Own, check
from arena.codec import bot_side
from arena.codec.transcript import from_message
from arena.match.replay import TranscriptError
from arena.v1 import game_pb2, transcript_pb2
from arena.v1 import referee_pb2 as pb
from arena.v1.referee_pb2_grpc import RefereeServiceStub

GAMES = ["bluff", "bluff_you", "bloeff"]


class Bot:
    """Conforms."""

    max_matches = 4

    def __init__(self) -> None:
        self.offers: dict[str, bot_side.Offered] = {}
        self.own: dict[str, Own] = {}
        self.outgoing: queue.SimpleQueue[pb.PlayRequest | None] = queue.SimpleQueue()
        self.leaving = False

    def say(self, **members: Any) -> None:
        self.outgoing.put(pb.PlayRequest(**members))

    def run(self) -> None:
        signal.signal(signal.SIGTERM, lambda *_: self.stop())
        while True:
            code = self.play()
            if not self.comes_back(code):
                sys.exit(0 if code in (grpc.StatusCode.OK, grpc.StatusCode.ABORTED) else 2)
            time.sleep(self.pause())

    def stop(self) -> None:
        self.leaving = True
        self.say(drain=pb.Drain())

    def pause(self) -> float:
        return 0.3

    def comes_back(self, code: Any) -> bool:
        return code is grpc.StatusCode.UNAVAILABLE

    def play(self) -> Any:
        self.outgoing = queue.SimpleQueue()
        hello = pb.Hello(protocol_version=1, games=GAMES, max_matches=self.max_matches)
        self.say(hello=hello)
        with grpc.insecure_channel(
            os.environ["ARENA_ADDRESS"], [("grpc.use_local_subchannel_pool", 1)]
        ) as channel:
            token = f"Bearer {os.environ['ARENA_TOKEN']}"
            call = RefereeServiceStub(channel).Play(
                iter(self.outgoing.get, None), metadata=(("authorization", token),)
            )
            try:
                for message in call:
                    self.hear(message)
            except grpc.RpcError:
                pass
            self.outgoing.put(None)
            return call.code()

    def hear(self, message: pb.PlayResponse) -> None:
        if message.HasField("welcome"):
            self.returned()
        for resume in message.resumes:
            self.offers[resume.offer.match_id] = bot_side.read_offer(resume.offer)
            self.own[resume.offer.match_id] = Own(resume.entropy, all_told=False)
        for offer in message.offers:
            self.join(offer)
        for begin in message.begins:
            known = self.offers[begin.match_id]
            self.offers[begin.match_id] = known.begun(bot_side.read_begin(begin))
        for withdrawal in message.withdrawals:
            self.withdrawn(withdrawal.match_id)
        for refusal in message.refusals:
            self.refused(refusal)
        if message.turns:
            self.say(answers=self.answers(list(message.turns)))
        for end in message.ends:
            self.end(end)

    def returned(self) -> None:
        for own in self.own.values():
            own.all_told = False
        if self.leaving:
            self.say(drain=pb.Drain())

    def join(self, offer: pb.Offer) -> None:
        entropy = self.entropy()
        self.offers[offer.match_id] = bot_side.read_offer(offer)
        self.own[offer.match_id] = Own(entropy)
        self.say(joins=[pb.Join(match_id=offer.match_id, entropy=entropy)])

    def entropy(self) -> bytes:
        return secrets.token_bytes(16)

    def withdrawn(self, match_id: str) -> None:
        self.offers.pop(match_id, None)

    def refused(self, refusal: pb.Refusal) -> None:
        self.own[refusal.match_id].refusals[refusal.turn_number] = refusal

    def answers(self, turns: list[pb.Turn]) -> list[pb.Answer]:
        return [self.answer(turn) for turn in turns]

    def answer(self, turn: pb.Turn) -> pb.Answer:
        offered = self.offers[turn.match_id]
        game = offered.setup.game
        view = bot_side.read_view(game, turn.view, offered.seat)
        answer = pb.Answer(match_id=turn.match_id, turn_number=turn.turn_number)
        choices = list(offered.setup.make_game().choices(view))
        # By the turn, so that one that is asked again gets the same answer.
        action = random.Random(f"{turn.match_id} {turn.turn_number}").choice(choices)
        bot_side.write_action(game, action, answer.action)
        self.own[turn.match_id].answers[turn.turn_number] = answer
        return answer

    def end(self, end: pb.End) -> None:
        offered = self.offers.pop(end.match_id, None)
        if offered is None:
            return
        transcript = from_message(end.transcript)
        try:
            check(transcript, offered, self.own[end.match_id], b"")
        except TranscriptError as error:
            self.wrong(end.match_id, error)

    def wrong(self, match_id: str, error: Exception) -> None:
        print(f"Match {match_id}: verification failed: {error}", file=sys.stderr, flush=True)


class BacksOff(Bot):
    """Conforms, and comes back half as late again each time."""

    next_pause = 0.2

    def pause(self) -> float:
        self.next_pause *= 1.5
        return self.next_pause


class Placeless(Bot):
    max_matches = -1


class Illegal(Bot):
    def answer(self, turn: pb.Turn) -> pb.Answer:
        answer = super().answer(turn)
        if "bluff" in turn.view.WhichOneof("game") and turn.view.HasField("bluff"):
            bet = game_pb2.Action()
            bet.bluff.bet.quantity, bet.bluff.bet.face = 0, 1  # type: ignore[assignment]
            answer.action.CopyFrom(bet)
        return answer


class OneOfABatch(Bot):
    def answers(self, turns: list[pb.Turn]) -> list[pb.Answer]:
        return [self.answer(turns[0])]


class SameEntropy(Bot):
    def entropy(self) -> bytes:
        return b"chosen by dice."


class DefaultsOnly(Bot):
    """Believes that no bet goes beyond ten dice, whatever the options are."""

    def join(self, offer: pb.Offer) -> None:
        if offer.options.WhichOneof("game") == "bluff" and offer.options.bluff.show_and_reroll:
            raise NotImplementedError
        super().join(offer)


class KeepsPlaces(Bot):
    """Forgets to free the place of a match that was withdrawn."""

    def join(self, offer: pb.Offer) -> None:
        if len(self.offers) >= self.max_matches:
            self.say(declines=[pb.Decline(match_id=offer.match_id)])
        else:
            super().join(offer)

    def withdrawn(self, match_id: str) -> None:
        pass


class KeepsBegunPlaces(KeepsPlaces):
    """The same of matches that had begun."""

    def withdrawn(self, match_id: str) -> None:
        if not self.own[match_id].answers:
            self.offers.pop(match_id, None)


class NoForfeits(Bot):
    """Takes a match that ends without scores for a wrong one."""

    def end(self, end: pb.End) -> None:
        if not end.transcript.result.scores:
            self.wrong(end.match_id, ValueError("no scores"))
            return
        super().end(end)


class Offended(Bot):
    def refused(self, refusal: pb.Refusal) -> None:
        sys.exit("My answer was right.")


class OnceOnly(Bot):
    def answers(self, turns: list[pb.Turn]) -> list[pb.Answer]:
        return [
            self.answer(turn)
            for turn in turns
            if turn.turn_number not in self.own[turn.match_id].answers
        ]


class Strict(Bot):
    def refused(self, refusal: pb.Refusal) -> None:
        transcript_pb2.FaultKind.Name(
            refusal.kind
        )  # raises ValueError for one that it does not know
        super().refused(refusal)


class Hasty(Bot):
    """Divides by the time that is left."""

    def answer(self, turn: pb.Turn) -> pb.Answer:
        _ = 1000 / turn.bank_ms + 1000 / turn.turn_ms
        return super().answer(turn)


class Trusting(Bot):
    def wrong(self, match_id: str, error: Exception) -> None:
        pass


class Suspicious(Bot):
    """Says of every match that it is wrong."""

    def end(self, end: pb.End) -> None:
        self.wrong(end.match_id, ValueError("as always"))


class Quits(Bot):
    def comes_back(self, code: Any) -> bool:
        return False


class JoinsAnew(Bot):
    """Does not know matches that are resumed."""

    def play(self) -> Any:
        self.offers = {}
        return super().play()

    def hear(self, message: pb.PlayResponse) -> None:
        message.ClearField("resumes")
        super().hear(message)


class AnswersOnce(Bot):
    """Does not answer again what it has answered, though the answer was lost."""

    def answers(self, turns: list[pb.Turn]) -> list[pb.Answer]:
        return [
            self.answer(turn)
            for turn in turns
            if turn.turn_number not in self.seen.setdefault(turn.match_id, set())
            and not self.seen[turn.match_id].add(turn.turn_number)  # type: ignore[func-returns-value]
        ]

    seen: dict[str, set[int]] = {}  # noqa: RUF012


class WaitsForLost(Bot):
    """Declines everything while it believes to be in a match that is gone."""

    max_matches = 1

    def join(self, offer: pb.Offer) -> None:
        if self.offers:
            self.say(declines=[pb.Decline(match_id=offer.match_id)])
        else:
            super().join(offer)


class ExpectsAllNews(Bot):
    """Takes a fault for a wrong one of which it was told nothing while it was away."""

    def returned(self) -> None:
        pass


class NeverRests(Bot):
    def pause(self) -> float:
        return 0.0


class Insists(Bot):
    """Comes back whatever the referee says."""

    def comes_back(self, code: Any) -> bool:
        return True


class LeavesAtOnce(Bot):
    def stop(self) -> None:
        os._exit(0)  # an exception may come to a place of gRPC that it does not leave


class GivesUp(Bot):
    """Does not come back for its match once it leaves."""

    def comes_back(self, code: Any) -> bool:
        return super().comes_back(code) and not self.leaving


class DrainsOnce(Bot):
    def returned(self) -> None:
        pass


class LeavesUnchecked(Bot):
    def end(self, end: pb.End) -> None:
        if not self.leaving:
            super().end(end)


class NeverLeaves(Bot):
    def comes_back(self, code: Any) -> bool:
        return True


def let_threads_end() -> None:
    """Wait for gRPC's threads: one that the interpreter's end cuts off may hold a lock that this
    end waits for."""
    for thread in threading.enumerate():
        if thread.daemon:
            thread.join(2)


if __name__ == "__main__":
    atexit.register(let_threads_end)
    globals()[sys.argv[1]]().run()
