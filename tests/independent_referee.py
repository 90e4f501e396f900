"""Referees a match again from its transcript, knowing nothing of the arena's own code.

    python tests/independent_referee.py transcript.json

Written from docs/transcript.md and the rules in docs/games/ alone, and importing nothing of the
arena, it proves that the text suffices: every draw is recomputed, every action judged, the result
derived. It is a single file on purpose, which makes it easy to copy or to translate.
"""

import hashlib
import hmac
import json
import sys
from itertools import pairwise
from pathlib import Path

DEALER = "dealer"
KINDS = ("late", "illegal", "malformed", "absent")


class WrongError(Exception):
    """The transcript contradicts itself, the rules or its own opening."""


def require(condition, message):
    if not condition:
        raise WrongError(message)


def same(one, other):
    """Equality of JSON values; in Python alone 1, 1.0 and true would be equal."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def whole(value, lowest, highest):
    return type(value) is int and lowest <= value <= highest


def members(action, *required, **optional):
    """The members of an action after its type: all required ones, and defaults for the others."""
    names = set(action) - {"type"}
    require(names >= set(required) and names <= {*required, *optional}, f"members of {action}")
    return [action[name] for name in required] + [
        action.get(name, default) for name, default in optional.items()
    ]


# Chance.


def frame(data):
    return len(data).to_bytes(4, "big") + data


def dealer_of(transcript):
    """The function below(key, bound), which makes the draws of this match."""
    opening = transcript["opening"]
    secret = bytes.fromhex(opening["secret"])
    entropies = [bytes.fromhex(entropy) for entropy in opening["entropies"]]
    require(len(secret) == 32, "the secret has not 32 bytes")
    committed = bytes.fromhex(transcript["commitment"])
    require(hashlib.sha256(secret).digest() == committed, "not the committed secret")
    require(len(entropies) == len(transcript["seats"]), "not one entropy per seat")
    require(all(8 <= len(entropy) <= 64 for entropy in entropies), "the length of an entropy")
    keyed_by = transcript.get("deal_id", transcript["match_id"])
    parts = [keyed_by.encode(), *entropies]
    match_key = hmac.digest(secret, b"".join(map(frame, parts)), "sha256")

    def below(key, bound):
        attempt = 0
        while True:
            digest = hmac.digest(match_key, f"{key}#{attempt}".encode(), "sha256")
            number = int.from_bytes(digest[:8], "big")
            if number < 2**64 - 2**64 % bound:
                return number % bound
            attempt += 1

    return below


def shuffled(below, key, cards):
    order = list(cards)
    for last in range(len(order) - 1, 0, -1):
        other = below(f"{key} {last}", last + 1)
        order[last], order[other] = order[other], order[last]
    return order


# The match.


def referee(transcript):
    """The result that the steps lead to. Raises WrongError at the first thing that is wrong."""
    require(transcript["format"] == "arena-transcript/1", "another format")
    below = dealer_of(transcript)
    seats, limit = len(transcript["seats"]), transcript["fault_limit"]
    options = transcript["options"]
    require(options["players_min"] <= seats <= options["players_max"], "the number of seats")
    game = GAMES[transcript["game"]](options, seats)
    faults, forfeited, listed = [0] * seats, [False] * seats, []
    index = 0

    def next_step(actor):
        nonlocal index
        require(index < len(transcript["steps"]), "the match is not over")
        step = transcript["steps"][index]
        index += 1
        require(same(step["actor"], actor), f"step {index}: {actor} acts now")
        return step

    termination = "finished"
    while (asked := game.asked()) != []:
        if asked == DEALER:
            step = next_step(DEALER)
            require(set(step) == {"actor", "action"}, f"step {index}: the dealer only acts")
            drawn = game.draw(below)
            require(same(step["action"], drawn), f"step {index}: the dealer draws {drawn}")
            continue
        for seat in asked:
            step = next_step(seat)
            fault, stand_in = step.get("fault"), step.get("stand_in", False)
            require(
                set(step) <= {"actor", "action", "ms", "fault", "stand_in"}, "members of a step"
            )
            require(whole(step["ms"], 0, 2**63), f"step {index}: the time")
            require(same(stand_in, forfeited[seat]), f"step {index}: a stand-in, or none")
            if stand_in or fault:
                default = game.default(seat)
                require(same(step["action"], default), f"step {index}: the default is {default}")
            if fault:
                require(not stand_in and fault in KINDS, f"step {index}: the fault")
                listed.append({"step": index, "seat": seat, "kind": fault})
                faults[seat] += 1
                forfeited[seat] = fault == "absent" or faults[seat] >= limit
            try:
                game.take(seat, step["action"])
            except WrongError as error:
                raise WrongError(f"step {index}: {error}") from error
        if forfeited.count(False) <= 1 and game.asked() != []:
            termination = "forfeit"
            break
    require(index == len(transcript["steps"]), "steps after the end")
    require(same(transcript["faults"], listed), "the list of faults")
    finished = termination == "finished"
    ranks = game.placings() if finished else [1] * seats
    keys = [(out, 0 if out else rank) for out, rank in zip(forfeited, ranks, strict=True)]
    return {
        "termination": termination,
        "placings": [1 + sum(other < key for other in keys) for key in keys],
        "scores": game.scores() if finished else None,
        "faults": faults,
        "forfeited": forfeited,
    }


def check(transcript):
    """Raises WrongError unless the dealing, every step and the result are as they must be."""
    result = referee(transcript)
    require(same(transcript["result"], result), f"the result is {result}")


def ranking(keys):
    """Ranks by falling key: 1 + the number of larger keys."""
    return [1 + sum(other > key for other in keys) for key in keys]


# Bluff.

STAR = 6


def faces(dice):
    require(isinstance(dice, list), "dice are a list")
    for die in dice:
        require(die == "*" or whole(die, 1, 5), f"a die shows {die}")
    return [STAR if die == "*" else die for die in dice]


def noted(dice):
    return ["*" if die == STAR else die for die in dice]


class Bluff:
    def __init__(self, options, seats):
        self.options, self.seats = options, seats
        self.counts = [options["dice_per_player"]] * seats
        self.out_in = [0] * seats
        self.rolling, self.attempt = list(range(seats)), 1
        self.round, self.opener, self.phase = 0, 0, "start"
        if options["start_mode"] == "seat":
            self.new_round(0)

    def new_round(self, opener):
        self.round += 1
        self.opener, self.phase = opener, "roll"

    def asked(self):
        if self.phase == "over":
            return []
        return [self.turn] if self.phase == "bet" else DEALER

    def roll(self, below, prefix, count):
        return sorted(below(f"{prefix} die {die}", 6) + 1 for die in range(count))

    def draw(self, below):
        if self.phase == "start":
            key, dice = f"start {self.attempt} seat", self.options["dice_per_player"]
            rolls = [
                self.roll(below, f"{key} {seat}", dice if seat in self.rolling else 0)
                for seat in range(self.seats)
            ]
            self.start_rolled(rolls)
            return {"type": "starting_roll", "dice": [noted(dice) for dice in rolls]}
        if self.phase == "opener":
            opener = self.rolling[below("opener", len(self.rolling))]
            self.new_round(opener)
            return {"type": "opener_draw", "seat": opener}
        if self.phase == "roll":
            key = f"round {self.round} seat"
            self.hidden = [
                self.roll(below, f"{key} {seat}", count) for seat, count in enumerate(self.counts)
            ]
            self.shown = [[] for _ in range(self.seats)]
            self.rerolls = [0] * self.seats
            self.bet, self.phase, self.turn = None, "bet", self.opener
            return {"type": "roll", "dice": [noted(dice) for dice in self.hidden]}
        seat = self.turn
        self.rerolls[seat] += 1
        key = f"round {self.round} seat {seat} reroll {self.rerolls[seat]}"
        self.hidden[seat] = self.roll(below, key, len(self.hidden[seat]))
        self.phase, self.turn = "bet", self.next_seat(seat)
        return {"type": "reroll", "dice": noted(self.hidden[seat])}

    def start_rolled(self, rolls):
        star = self.options["start_star_value"]
        pips = {
            seat: sum(star if die == STAR else die for die in rolls[seat]) for seat in self.rolling
        }
        self.rolling = [seat for seat in self.rolling if pips[seat] == max(pips.values())]
        if len(self.rolling) == 1:
            self.new_round(self.rolling[0])
        elif self.attempt > self.options["start_rerolls"]:
            self.phase = "opener"
        self.attempt += 1

    def next_seat(self, seat):
        seat = (seat + 1) % self.seats
        return seat if self.counts[seat] else self.next_seat(seat)

    def default(self, seat):
        return {"type": "doubt"} if self.bet else {"type": "bet", "quantity": 1, "face": 1}

    def take(self, seat, action):
        if action["type"] == "doubt":
            members(action)
            require(self.bet is not None, "nothing to doubt")
            self.showdown(seat)
            return
        require(action["type"] == "bet", "a seat bets or doubts")
        quantity, face, show = members(action, "quantity", "face", show=[])
        (face,), show = faces([face]), faces(show)
        cap = 99 if self.options["bet_cap"] == "table" else sum(self.counts)
        require(whole(quantity, 1, cap), "the quantity")
        if self.bet:
            _, old_quantity, old_face = self.bet
            old, new = self.field(old_quantity, old_face), self.field(quantity, face)
            require(new > old or (new == old and face > old_face), "the bet is not higher")
        self.bet = (seat, quantity, face)
        if not show:
            self.turn = self.next_seat(seat)
            return
        require(self.options["show_and_reroll"], "no dice are laid out here")
        require(show == sorted(show), "dice laid out are ascending")
        for die in show:
            require(die in self.hidden[seat], "only own hidden dice are laid out")
            self.hidden[seat].remove(die)
        require(self.hidden[seat], "one die stays hidden")
        self.shown[seat] += show
        self.phase = "reroll"

    def field(self, quantity, face):
        """The place on the track: star n lies between the numbers 2n - 1 and 2n."""
        return 4 * quantity - 1 if face == STAR else 2 * quantity

    def showdown(self, doubter):
        bettor, quantity, face = self.bet
        dice = [die for cup in self.hidden + self.shown for die in cup]
        actual = sum(die in (face, STAR) for die in dice)
        if actual == quantity:
            losses = [int(seat != bettor) for seat in range(self.seats)]
        else:
            loser = doubter if actual > quantity else bettor
            losses = [abs(actual - quantity) * (seat == loser) for seat in range(self.seats)]
        for seat, loss in enumerate(losses):
            if self.counts[seat] and self.counts[seat] <= loss:
                self.out_in[seat] = self.round
            self.counts[seat] = max(0, self.counts[seat] - loss)
        if self.counts.count(0) == self.seats - 1:
            self.phase = "over"
        else:
            self.new_round(bettor if actual >= quantity else doubter)

    def placings(self):
        return ranking([out or self.round + 1 for out in self.out_in])

    def scores(self):
        return self.counts


# Bluff You!


class BluffYou:
    def __init__(self, options, seats):
        self.options, self.seats = options, seats
        self.points = dict(zip(range(3, 19), options["chip_points"], strict=True))
        self.limit = options["no_win_limit"] or max(12, 3 * seats)
        self.centre, self.chips = set(range(3, 19)), [set() for _ in range(seats)]
        self.turn, self.bluffer, self.phase, self.no_win = 1, 0, "roll", 0

    def asked(self):
        if self.phase in ("roll", "over"):
            return DEALER if self.phase == "roll" else []
        return [self.seer if self.phase == "answer" else self.bluffer]

    def draw(self, below):
        self.dice = [below(f"turn {self.turn} die {die}", 6) + 1 for die in range(3)]
        self.phase, self.swaps = "announce", 0
        return {"type": "roll", "dice": self.dice}

    def end_turn(self, won=False):
        self.no_win = 0 if won else self.no_win + 1
        if not self.centre:
            self.phase = "over"
            return
        self.turn, self.bluffer = self.turn + 1, (self.bluffer + 1) % self.seats
        self.phase = "roll"

    def default(self, seat):
        if self.phase == "answer":
            return {"type": "answer", "believe": True}
        if self.phase == "give":
            cheapest = min(self.chips[seat], key=lambda chip: (self.points[chip], chip))
            return {"type": "give", "number": cheapest}
        if self.phase == "take":
            return {"type": "take", "number": self.number}
        if self.phase == "swap_again":
            return {"type": "stop"}
        return {"type": "win", "seer": (seat + 1) % self.seats, "number": min(self.centre)}

    def take(self, seat, action):
        allowed = {
            "announce": ("win", "steal", "swap"),
            "answer": ("answer",),
            "give": ("give",),
            "take": ("take",),
            "swap_again": ("swap", "stop"),
        }
        require(action["type"] in allowed[self.phase], f"{self.phase} is due")
        getattr(self, f"do_{action['type']}")(seat, action)

    def do_win(self, seat, action):
        self.announce(seat, action, steal=False)
        any_number = self.options["announce_missing_chip"] == "no_effect"
        free = any_number and self.no_win < self.limit
        require(self.number in self.centre or free, "the chip is not in the centre")

    def do_steal(self, seat, action):
        self.announce(seat, action, steal=True)
        require(self.chips[seat] and self.no_win < self.limit, "nothing may be stolen now")
        require(self.number in self.chips[self.seer], "the seer does not own the chip")

    def announce(self, seat, action, steal):
        self.seer, self.number = members(action, "seer", "number")
        require(whole(self.seer, 0, self.seats - 1) and self.seer != seat, "the seer")
        require(whole(self.number, 3, 18), "the number")
        self.steal, self.phase = steal, "answer"

    def do_answer(self, seat, action):
        (believe,) = members(action, "believe")
        require(isinstance(believe, bool), "an answer is true or false")
        seer_wins = believe == (sum(self.dice) == self.number)
        bluffer, own = self.bluffer, self.chips[self.bluffer]
        if not self.steal:
            won = self.number in self.centre
            if won:
                self.centre.remove(self.number)
                self.chips[seat if seer_wins else bluffer].add(self.number)
            self.end_turn(won=won)
        elif seer_wins:
            self.phase = "give"
            if len(own) == 1:
                self.move(min(own), bluffer, seat)
        else:
            self.phase = "take"
            if self.options["steal_takes"] == "named_chip" or len(self.chips[seat]) == 1:
                self.move(self.number, seat, bluffer)

    def do_give(self, seat, action):
        self.move(*members(action, "number"), seat, self.seer)

    def do_take(self, seat, action):
        self.move(*members(action, "number"), self.seer, seat)

    def move(self, number, giver, receiver):
        require(whole(number, 3, 18) and number in self.chips[giver], "the chip is not there")
        self.chips[giver].remove(number)
        self.chips[receiver].add(number)
        self.end_turn()

    def do_swap(self, seat, action):
        give, take = members(action, "give", "take")
        own = self.chips[seat]
        locked = self.phase == "announce" and self.no_win >= self.limit
        require(not locked and self.swaps < self.options["swap_max_per_turn"], "no swap now")
        require(len(set(self.dice)) < 3, "a swap needs a double")
        require(len(own) >= 2, "a swap needs two own chips")
        require(all(whole(number, 3, 18) for number in [*give, take]), "chips are 3 to 18")
        require(len(give) >= self.options["swap_min_give"], "more chips are given")
        require(len(set(give)) == len(give) and own.issuperset(give), "own chips, each once")
        require(take in self.centre, "the chip taken is in the centre")
        worth = sum(self.points[number] for number in give)
        require(worth == self.points[take], "worth the same")
        self.chips[seat] = (own - set(give)) | {take}
        self.centre = (self.centre - {take}) | set(give)
        self.swaps += 1
        more = self.swaps < self.options["swap_max_per_turn"] and self.swap_possible(seat)
        self.phase = "swap_again"
        if not more:
            self.end_turn()

    def swap_possible(self, seat):
        if len(self.chips[seat]) < 2:
            return False
        fewest = self.options["swap_min_give"]
        sums = {(0, 0)}
        for number in self.chips[seat]:
            sums |= {(min(n + 1, fewest), worth + self.points[number]) for n, worth in sums}
        return any((fewest, self.points[number]) in sums for number in self.centre)

    def do_stop(self, seat, action):
        members(action)
        self.end_turn()

    def placings(self):
        return ranking([(p, -len(own)) for p, own in zip(self.scores(), self.chips, strict=True)])

    def scores(self):
        return [sum(self.points[number] for number in own) for own in self.chips]


# Blöff.

ORDER = [-2, -1, 0, 1, 2, 3, 4, "reverse", "draw2", "skip"]
RED = ("draw2", "skip")


def ascending(cards):
    return sorted(cards, key=ORDER.index)


class Bloeff:
    def __init__(self, options, seats):
        self.options, self.seats = options, seats
        require(all(a > b for a, b in pairwise(options["limits"])), "limits fall")
        kinds = {
            row["value"] if row["class"] == "number" else row["effect"]: row
            for row in options["deck"]
        }
        self.deck = ascending(card for card, row in kinds.items() for _ in range(row["count"]))
        self.worth = {
            card: options["points_blue"]
            if row["class"] == "number" and row["colour"] == "blue"
            else options["points_other"]
            for card, row in kinds.items()
        }
        self.waiting = [[] for _ in range(seats)]
        self.centre, self.card, self.owed = [], None, []
        self.round, self.turn, self.total = 0, 0, 0
        self.direction, self.reshuffles, self.phase = 1, 0, "deal"

    def asked(self):
        if self.phase == "over":
            return []
        if self.phase == "ballots":
            return [seat for seat in range(self.seats) if seat != self.on_turn]
        return [self.on_turn] if self.phase == "play" else DEALER

    def draw(self, below):
        if self.phase == "deal":
            cards = shuffled(below, "deal", self.deck)
            size = next(row["cards"] for row in self.options["deal"] if row["seats"] == self.seats)
            self.hands = [cards[seat * size : (seat + 1) * size] for seat in range(self.seats)]
            self.pile = cards[self.seats * size :]
            self.start_round(self.options["first_seat"])
            self.go_on()
            return {"type": "deal", "cards": cards}
        if self.phase == "reshuffle":
            self.reshuffles += 1
            cards = shuffled(below, f"recycle {self.reshuffles}", ascending(self.centre))
            self.pile, self.centre = list(cards), []
            self.go_on()
            return {"type": "reshuffle", "cards": cards}
        doubter = self.doubters[below(f"doubter {self.turn}", len(self.doubters))]
        self.doubt(doubter)
        return {"type": "doubter", "seat": doubter}

    def default(self, seat):
        if self.phase == "ballots":
            return {"type": "ballot", "doubt": False}
        card = ascending(self.hands[seat])[0]
        if card in RED:
            target = (seat + self.direction) % self.seats
            return {"type": "red", "card": card, "target": target, "call": True}
        if card == "reverse":
            return {"type": "action", "card": card, "call": True}
        announce = max(0, self.total + card)
        if self.options["announce_range"] == "any":
            announce = min(announce, 99)
        return {"type": "number", "value": card, "announce": announce, "call": True}

    def take(self, seat, action):
        if self.phase == "ballots":
            require(action["type"] == "ballot", "a ballot is due")
            (doubt,) = members(action, "doubt")
            require(isinstance(doubt, bool), "a ballot is true or false")
            self.ballots[seat] = doubt
            if len(self.ballots) == self.seats - 1:
                self.close_window()
            return
        kind, hand = action["type"], self.hands[seat]
        require(kind in ("number", "red", "action"), "a card is played")
        if kind == "number":
            card, announce, call = members(action, "value", "announce", call=False)
            require(whole(card, -2, 4), "a number card is -2 to 4")
            lowest, highest = max(0, self.total - 2), self.total + 4
            if self.options["announce_range"] == "any":
                lowest, highest = 0, 99
            require(whole(announce, lowest, highest), "the announcement")
        elif kind == "red":
            card, target, call = members(action, "card", "target", call=False)
            require(card in RED, "a red card is draw2 or skip")
            require(whole(target, 0, self.seats - 1) and target != seat, "the target")
        else:
            card, call = members(action, "card", call=False)
            require(card == "reverse", "the action card is reverse")
        require(isinstance(call, bool), "a call is true or false")
        require(card in hand, "the card is not in the hand")
        called = call or self.options["call_mode"] == "auto"
        if len(hand) == 2 and not called:
            self.owed.append([seat, self.options["call_penalty"]])
        hand.remove(card)
        self.then = "end turn"
        if kind == "number" and announce > self.options["limits"][self.round - 1]:
            self.centre.append(card)
            self.owed.append([seat, self.options["bust_penalty"]])
            self.starter, self.then = seat, "end round"
        elif kind == "number":
            self.card, self.announced, self.then = card, announce, "window"
        elif kind == "red":
            self.waiting[target].append(card)
        else:
            self.centre.append(card)
            self.direction = -self.direction
        self.go_on()

    def close_window(self):
        self.doubters = [seat for seat in sorted(self.ballots) if self.ballots[seat]]
        if not self.doubters:
            self.centre.append(self.card)
            self.card, self.total, self.then = None, self.announced, "end turn"
            self.go_on()
        elif len(self.doubters) == 1:
            self.doubt(self.doubters[0])
        elif self.options["doubt_choice"] == "turn_order":
            self.doubt(
                min(
                    self.doubters,
                    key=lambda seat: (seat - self.on_turn) * self.direction % self.seats,
                )
            )
        else:
            self.phase = "doubter"

    def doubt(self, doubter):
        player, card = self.on_turn, self.card
        honest = self.total + card
        if self.options["below_zero"] == "floor":
            honest = max(0, honest)
        right = self.announced == honest
        back = self.options["caught_card_returns"] and not right
        (self.hands[player] if back else self.centre).append(card)
        self.card = None
        self.owed.append([doubter if right else player, self.options["doubt_penalty"]])
        self.starter, self.then = player if right else doubter, "end round"
        self.go_on()

    def draw_owed(self):
        """Draw what is owed; False when the dealer has to reshuffle first."""
        while self.owed:
            seat, count = self.owed[0]
            drawn, self.pile = self.pile[:count], self.pile[count:]
            self.hands[seat] += drawn
            if len(drawn) < count and self.centre:
                self.owed[0][1] -= len(drawn)
                self.phase = "reshuffle"
                return False
            self.owed.pop(0)
        return True

    def go_on(self):
        while self.draw_owed():
            if self.then == "window":
                self.phase, self.ballots = "ballots", {}
                return
            if self.then in ("end turn", "end round"):
                round_over = self.then == "end round"
                last_round = round_over and self.round == len(self.options["limits"])
                if last_round or not self.hands[self.on_turn] or self.turn_cap():
                    self.phase = "over"
                    return
                if round_over:
                    self.start_round(self.starter)
                else:
                    self.start_turn((self.on_turn + self.direction) % self.seats)
            elif self.then == "set aside":
                self.centre.append(self.waiting[self.on_turn].pop(0))
                self.then = "end turn" if self.options["draw2_ends_turn"] else "begin"
            elif not self.waiting[self.on_turn]:
                self.phase = "play"
                return
            elif self.waiting[self.on_turn][0] == "skip":
                self.centre.append(self.waiting[self.on_turn].pop(0))
                self.then = "end turn"
            else:
                self.owed.append([self.on_turn, 2])
                self.then = "set aside"

    def turn_cap(self):
        return self.turn >= self.options["max_turns"]

    def start_round(self, seat):
        self.round, self.total = self.round + 1, 0
        self.start_turn(seat)

    def start_turn(self, seat):
        self.turn, self.on_turn, self.then = self.turn + 1, seat, "begin"

    def placings(self):
        fewest_cards = self.options["final_tie"] == "fewest_cards"
        return ranking(
            [
                (-points, -len(hand) if fewest_cards else 0)
                for points, hand in zip(self.scores(), self.hands, strict=True)
            ]
        )

    def scores(self):
        return [sum(self.worth[card] for card in hand) for hand in self.hands]


# Skull.


class Skull:
    def __init__(self, options, seats):
        self.options, self.seats = options, seats
        self.owned = [["flower"] * options["flowers"] + ["skull"] for _ in range(seats)]
        self.points, self.out_in = [0] * seats, [0] * seats
        self.round, self.phase, self.winner = 0, "first", None
        if options["first"] == "seat":
            self.begin(0)

    def begin(self, opener):
        self.round += 1
        self.phase, self.opener, self.on_turn = "place", opener, opener
        self.mats = [[] for _ in range(self.seats)]
        self.shown = [0] * self.seats
        self.bid, self.bidder, self.passed = 0, None, set()

    def following(self, seat):
        around = [(seat + step) % self.seats for step in range(1, self.seats)]
        return [other for other in around if self.owned[other]]

    def hand(self, seat):
        left = list(self.owned[seat])
        for disc in self.mats[seat]:
            left.remove(disc)
        return left

    def face_down(self, seat):
        return len(self.mats[seat]) - self.shown[seat]

    def asked(self):
        if self.phase == "over":
            return []
        if self.phase in ("first", "loss"):
            return DEALER
        if self.phase == "place":
            return [s for s in range(self.seats) if self.owned[s] and not self.mats[s]]
        return [self.on_turn]

    def draw(self, below):
        if self.phase == "first":  # SK-2, SK-19
            seat = below("first", self.seats)
            self.begin(seat)
            return {"type": "first_seat", "seat": seat}
        own = self.owned[self.on_turn]
        number = below(f"round {self.round} loss", len(own))
        disc = "flower" if number < own.count("flower") else "skull"
        self.lose(disc)
        return {"type": "drawn_loss", "disc": disc}

    def take(self, seat, action):
        kind, total = action.get("type"), sum(map(len, self.mats))
        if kind == "place" and self.phase in ("place", "turn"):
            (disc,) = members(action, "disc")
            require(disc in self.hand(seat), "no such disc in the hand")
            self.mats[seat].append(disc)
            if self.phase == "turn":  # SK-5
                self.on_turn = self.following(seat)[0]
            elif self.asked() == []:
                self.phase = "turn"
        elif kind == "bid" and self.phase in ("turn", "raise"):
            (count,) = members(action, "count")
            require(whole(count, self.bid + 1, total), "a bid too low or too high")
            self.phase, self.bid, self.bidder = "raise", count, seat
            self.bidding(seat)
        elif kind == "pass" and self.phase == "raise":
            members(action)
            self.passed.add(seat)
            self.bidding(seat)
        elif kind == "turn_over" and self.phase == "challenge":
            (owner,) = members(action, "seat")
            require(whole(owner, 0, self.seats - 1), "no seat")
            require(self.face_down(owner), "nothing to turn over there")
            self.turn_over(owner)
        elif kind == "lose" and self.phase == "lose":
            (disc,) = members(action, "disc")
            require(disc in self.owned[seat], "no such disc")
            self.lose(disc)
        else:
            raise WrongError(f"{kind} in the phase {self.phase}")

    def bidding(self, seat):
        left = [other for other in self.following(seat) if other not in self.passed]
        if self.bid < sum(map(len, self.mats)) and set(left) - {self.bidder}:
            self.on_turn = left[0]
            return
        self.phase, self.on_turn = "challenge", self.bidder
        while self.phase == "challenge" and self.face_down(self.bidder):  # SK-9
            self.turn_over(self.bidder)

    def turn_over(self, owner):
        challenger = self.on_turn
        self.shown[owner] += 1
        if self.mats[owner][-self.shown[owner]] == "skull":  # SK-12
            self.skull_of = owner
            self.phase = "lose" if owner == challenger else "loss"
        elif sum(self.shown) == self.bid:  # SK-11
            self.points[challenger] += 1
            if self.points[challenger] == self.options["points_to_win"]:
                self.phase, self.winner = "over", challenger
            else:
                self.begin(challenger)

    def lose(self, disc):
        challenger = opener = self.on_turn
        self.owned[challenger].remove(disc)
        if not self.owned[challenger]:  # SK-14
            self.out_in[challenger] = self.round
            own = self.skull_of == challenger
            opener = self.following(challenger)[0] if own else self.skull_of
        left = [seat for seat in range(self.seats) if self.owned[seat]]
        if len(left) == 1:
            self.phase, (self.winner,) = "over", left
        else:
            self.begin(opener)

    def default(self, seat):
        if self.phase in ("place", "turn") and self.hand(seat):  # SK-17
            disc = "flower" if "flower" in self.hand(seat) else "skull"
            return {"type": "place", "disc": disc}
        if self.phase == "turn":
            return {"type": "bid", "count": 1}
        if self.phase == "raise":
            return {"type": "pass"}
        if self.phase == "challenge":
            owner = next(other for other in self.following(seat) if self.face_down(other))
            return {"type": "turn_over", "seat": owner}
        return {"type": "lose", "disc": "flower" if "flower" in self.owned[seat] else "skull"}

    def placings(self):
        discs, points = self.owned, self.points
        return ranking(
            [
                (s == self.winner, points[s], len(discs[s]), self.out_in[s])
                for s in range(self.seats)
            ]
        )

    def scores(self):
        return self.points


GAMES = {"bluff": Bluff, "bluff_you": BluffYou, "bloeff": Bloeff, "skull": Skull}


if __name__ == "__main__":
    try:
        check(json.loads(Path(sys.argv[1]).read_bytes()))
    except WrongError as error:
        sys.exit(f"WRONG: {error}")
    print("The transcript is in order.")
