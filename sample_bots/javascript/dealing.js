// Recomputes every draw of a finished match from the opened secret and the entropies of all seats.
//
// It does not judge the seats' actions. docs/transcript.md has the formulas.

import { createHash, createHmac } from "node:crypto";
import { isDeepStrictEqual } from "node:util";

/** What is wrong with the dealing of a match, or undefined. */
export function dealingError(transcript) {
  const { secret, commitment, entropies, steps } = transcript;
  const { match_id, entrants, options } = transcript.setup;
  if (!createHash("sha256").update(secret).digest().equals(commitment)) {
    return "the secret is not the one committed to";
  }
  const seats = entrants.length;
  if (entropies.length !== seats) return "there is not one entropy for each seat";
  const draws = new Draws(matchKey(secret, match_id, entropies));
  const dealer = dealerOf(options, seats);
  for (const [index, { draw, action, seat }] of steps.entries()) {
    const right = draw
      ? dealer.drew(draw, draws)
      : seat >= 0 && seat < seats && action && dealer.acted(seat, action);
    if (!right) return `step ${index + 1} does not follow from the opened secret`;
  }
  return undefined;
}

function dealerOf({ bluff, bloeff }, seats) {
  if (bluff) return new BluffDealer(bluff, seats);
  return bloeff ? new BloeffDealer(bloeff, seats) : new BluffYouDealer();
}

export function matchKey(secret, matchId, entropies) {
  const mac = createHmac("sha256", secret);
  for (const part of [Buffer.from(matchId), ...entropies]) {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(part.length);
    mac.update(length).update(part);
  }
  return mac.digest();
}

/** The draws of a match. */
export class Draws {
  matchKey;
  constructor(matchKey) {
    this.matchKey = matchKey;
  }

  /** The number from 0 to `bound` - 1 that is drawn under a key. */
  below(key, bound) {
    const span = 1n << 64n;
    const wide = BigInt(bound);
    for (let attempt = 0; ; attempt++) {
      const digest = createHmac("sha256", this.matchKey).update(`${key}#${attempt}`).digest();
      const number = digest.readBigUInt64BE();
      if (number < span - (span % wide)) return Number(number % wide);
    }
  }

  /** The list in the order drawn. */
  shuffled(key, list) {
    const order = [...list];
    for (let last = order.length - 1; last > 0; last--) {
      const other = this.below(`${key} ${last}`, last + 1);
      [order[last], order[other]] = [order[other], order[last]];
    }
    return order;
  }
}

const ascending = (list) => [...list].sort((a, b) => a - b);
const upTo = (count) => Array.from({ length: count }, (_, at) => at);

// --- Bluff --------------------------------------------------------------------------------------

class BluffDealer {
  options;
  seats;
  attempt = 0;
  round = 0;
  tied = []; // seats with the largest total of the last starting roll
  rerolls = []; // by seat, in this round
  last = 0; // the seat that acted last

  constructor(options, seats) {
    this.options = options;
    this.seats = seats;
  }

  acted(seat) {
    this.last = seat;
    return true;
  }

  drew({ bluff }, draws) {
    if (bluff?.starting_roll) {
      const { dice } = bluff.starting_roll;
      this.tied = this.largest(dice);
      return rolled(draws, `start ${++this.attempt}`, dice);
    }
    if (bluff?.opener_draw) {
      return bluff.opener_draw.seat === this.tied[draws.below("opener", this.tied.length || 1)];
    }
    if (bluff?.roll) {
      this.rerolls = upTo(this.seats).fill(0);
      return rolled(draws, `round ${++this.round}`, bluff.roll.dice);
    }
    const faces = bluff?.reroll?.dice?.faces ?? [];
    const key = `round ${this.round} seat ${this.last} reroll ${++this.rerolls[this.last]}`;
    return isDeepStrictEqual(faces, rolls(draws, key, faces.length));
  }

  largest(dice) {
    const { start_star_value } = this.options;
    const totals = dice.map(({ faces }) =>
      faces.reduce((total, face) => total + (face === 6 ? start_star_value : face), 0),
    );
    const rolling = upTo(dice.length).filter((seat) => dice[seat].faces.length > 0);
    const most = Math.max(...rolling.map((seat) => totals[seat]));
    return rolling.filter((seat) => totals[seat] === most);
  }
}

function rolled(draws, key, dice) {
  return dice.every(({ faces }, seat) =>
    isDeepStrictEqual(faces, rolls(draws, `${key} seat ${seat}`, faces.length)),
  );
}

function rolls(draws, key, count) {
  return ascending(upTo(count).map((die) => draws.below(`${key} die ${die}`, 6) + 1));
}

// --- Bluff You! ---------------------------------------------------------------------------------

class BluffYouDealer {
  turn = 0;

  acted() {
    return true;
  }

  drew({ bluff_you }, draws) {
    const turn = ++this.turn;
    const dice = upTo(3).map((die) => draws.below(`turn ${turn} die ${die}`, 6) + 1);
    return isDeepStrictEqual(bluff_you?.roll?.dice, dice);
  }
}

// --- Blöff --------------------------------------------------------------------------------------

const SKIP = 10;

/** Counts turns, skipped ones included, because the doubter's key names the turn. */
class BloeffDealer {
  options;
  seats;
  waiting; // red cards in front of each seat, oldest first
  clockwise = true;
  turn = 0;
  round = 0;
  total = 0;
  reshuffles = 0;
  played; // what is balloted
  ballots = 0;
  doubters = [];

  constructor(options, seats) {
    this.options = options;
    this.seats = seats;
    this.waiting = upTo(seats).map(() => []);
    this.beginTurn(options.first_seat);
  }

  drew({ bloeff }, draws) {
    if (bloeff?.deal) {
      const deck = this.options.deck.flatMap(({ card, count }) => Array(count).fill(card));
      return isDeepStrictEqual(bloeff.deal.cards, draws.shuffled("deal", ascending(deck)));
    }
    if (bloeff?.reshuffle) {
      const { cards } = bloeff.reshuffle;
      const key = `recycle ${++this.reshuffles}`;
      return isDeepStrictEqual(cards, draws.shuffled(key, ascending(cards)));
    }
    if (!bloeff?.doubter || !this.played || this.doubters.length < 2) return false;
    const doubter = this.doubters[draws.below(`doubter ${this.turn}`, this.doubters.length)];
    this.doubted(doubter);
    return bloeff.doubter.seat === doubter;
  }

  acted(seat, { bloeff }) {
    if (bloeff?.number) {
      const limit = this.options.limits[this.round];
      if (limit === undefined) return false;
      if (bloeff.number.announce > limit) {
        this.beginRound(seat);
      } else {
        this.played = { player: seat, number: bloeff.number };
        this.ballots = 0;
        this.doubters = [];
      }
    } else if (bloeff?.red) {
      const waiting = this.waiting[bloeff.red.target];
      if (!waiting) return false;
      waiting.push(bloeff.red.card);
      this.beginTurn(this.after(seat));
    } else if (bloeff?.action_card) {
      this.clockwise = !this.clockwise;
      this.beginTurn(this.after(seat));
    } else if (bloeff?.ballot) {
      this.ballots++;
      if (bloeff.ballot.doubt) this.doubters.push(seat);
      if (this.ballots === this.seats - 1) this.allVoted();
    }
    return true;
  }

  allVoted() {
    if (!this.played) return;
    if (this.doubters.length === 0) {
      this.total = this.played.number.announce;
      this.beginTurn(this.after(this.played.player));
    } else if (this.doubters.length === 1) {
      this.doubted(this.doubters[0]);
    } else if (this.options.doubt_in_turn_order) {
      let seat = this.after(this.played.player);
      while (!this.doubters.includes(seat)) seat = this.after(seat);
      this.doubted(seat);
    } // else the dealer draws one of them
  }

  doubted(doubter) {
    const { player, number } = this.played;
    const sum = this.total + number.card - 3;
    const honest = this.options.below_zero_is_bluff ? sum : Math.max(0, sum);
    this.beginRound(number.announce === honest ? player : doubter);
  }

  beginRound(seat) {
    this.round++;
    this.total = 0;
    this.beginTurn(seat);
  }

  beginTurn(seat) {
    this.turn++;
    this.played = undefined;
    for (let card; (card = this.waiting[seat].shift());) {
      if (card === SKIP || this.options.draw2_ends_turn) {
        return this.beginTurn(this.after(seat));
      }
    }
  }

  after(seat) {
    return (seat + (this.clockwise ? 1 : this.seats - 1)) % this.seats;
  }
}
