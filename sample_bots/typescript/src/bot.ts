// A bot for Bluff, Bluff You! and Blöff: it plays what is likeliest, given what it sees.
//
// This is the file to change. connection.ts talks to the referee, dealing.ts checks every match.
// The messages of src/wire/ are named as in proto/; a message of a game stands in the member of the
// game's name.

import type { ActionInput } from "./wire/arena/v1/Action.js";
import type { BloeffActionInput } from "./wire/arena/v1/BloeffAction.js";
import { BloeffCard } from "./wire/arena/v1/BloeffCard.js";
import type { BloeffOptions } from "./wire/arena/v1/BloeffOptions.js";
import type { BloeffView } from "./wire/arena/v1/BloeffView.js";
import type { BluffActionInput } from "./wire/arena/v1/BluffAction.js";
import { BluffFace } from "./wire/arena/v1/BluffFace.js";
import type { BluffView } from "./wire/arena/v1/BluffView.js";
import type { BluffYouActionInput } from "./wire/arena/v1/BluffYouAction.js";
import type { BluffYouOptions } from "./wire/arena/v1/BluffYouOptions.js";
import { BluffYouPhase } from "./wire/arena/v1/BluffYouPhase.js";
import type { BluffYouView } from "./wire/arena/v1/BluffYouView.js";
import type { Offer } from "./wire/arena/v1/Offer.js";
import type { Turn } from "./wire/arena/v1/Turn.js";

/** Plays one match in one seat: what it keeps belongs to that match. */
export class Bot {
  static games = ["bluff", "bluff_you", "bloeff"];
  static maxMatches = 16; // at once, 1 to 64

  /** Called for every match. At this moment the offer may name nobody but this bot. */
  constructor(private readonly offer: Offer) {}

  /** Answers a turn. An exception counts as a malformed answer: a fault. */
  act({ view }: Turn): ActionInput {
    const { seat, options } = this.offer;
    if (view?.bluff) return { bluff: bluff(view.bluff) };
    if (view?.bluff_you) return { bluff_you: bluffYou(view.bluff_you, seat, options!.bluff_you!) };
    if (view?.bloeff) return { bloeff: bloeff(view.bloeff, seat, options!.bloeff!) };
    throw new Error("a view of an unknown game");
  }
}

const sum = (numbers: number[]) => numbers.reduce((a, b) => a + b, 0);

/** The first item with the largest key. */
function largest<T>(items: T[], key: (item: T) => number): T {
  return items.reduce((best, item) => (key(item) > key(best) ? item : best));
}

// --- Bluff --------------------------------------------------------------------------------------

const FACES = [1, 2, 3, 4, 5, 6] as const;
const STAR = BluffFace.BLUFF_FACE_STAR; // counts for whatever face is bet on
const OPENS_AT = 0.6; // it opens with the highest bet that is at least this likely to be right

type Bet = { quantity: number; face: BluffFace };

function bluff(view: BluffView): BluffActionInput {
  if (!view.can_doubt) return { bet: opening(view) };
  const standing = view.bets.at(-1)!.bet!;
  const doubt = 1 - likelihood(view, standing);
  // On each face the lowest bet is the most likely one, so six are enough to look at.
  const bets = FACES.map((face) => ({ face, quantity: view.lowest[face - 1] }))
    .filter(({ quantity }) => quantity <= view.highest)
    .map((bet) => ({ bet, chance: likelihood(view, bet) }));
  if (bets.length === 0) return { doubt: {} };
  const best = largest(bets, ({ chance }) => chance);
  return doubt >= best.chance ? { doubt: {} } : { bet: best.bet };
}

/** The highest bet that is likely enough; 1 x 1 always is. On the track star n lies between the
 * numbers 2n - 1 and 2n. */
function opening(view: BluffView): Bet {
  const likely: Bet[] = FACES.map((face) => ({ face, quantity: 1 }));
  for (const face of FACES) {
    for (let quantity = 2; quantity <= view.highest; quantity++) {
      if (likelihood(view, { face, quantity }) >= OPENS_AT) likely.push({ face, quantity });
    }
  }
  return largest(likely, ({ face, quantity }) => (face === STAR ? 4 * quantity - 1 : 2 * quantity));
}

/** The probability that a bet is right: how many of the dice that this seat cannot see match is
 * binomial. */
function likelihood(view: BluffView, { quantity, face }: Bet): number {
  const seen = [...view.hidden_dice, ...view.face_up.flatMap(({ faces }) => faces)];
  const wanted = quantity - seen.filter((die) => die === face || die === STAR).length;
  const unseen = sum(view.dice_counts) - seen.length;
  const p = face === STAR ? 1 / 6 : 1 / 3;
  let chance = 0;
  let exactly = (1 - p) ** unseen; // the probability of `count` matches
  for (let count = 0; count <= unseen; count++) {
    if (count >= wanted) chance += exactly;
    exactly *= ((unseen - count) / (count + 1)) * (p / (1 - p));
  }
  return chance;
}

// --- Bluff You! ---------------------------------------------------------------------------------

function bluffYou(view: BluffYouView, seat: number, options: BluffYouOptions): BluffYouActionInput {
  const points = (chip: number) => options.chip_points[chip - 3];
  switch (view.phase) {
    case BluffYouPhase.BLUFF_YOU_PHASE_ANSWER:
      return { answer: { believe: false } }; // no sum of three dice is likelier than one in eight
    case BluffYouPhase.BLUFF_YOU_PHASE_GIVE:
      return { give: { number: largest(view.chips[seat].numbers, (chip) => -points(chip)) } };
    case BluffYouPhase.BLUFF_YOU_PHASE_TAKE: {
      const seer = view.announced!.steal!.seer;
      return { take: { number: largest(view.chips[seer].numbers, points) } };
    }
    case BluffYouPhase.BLUFF_YOU_PHASE_SWAP_AGAIN:
      return { stop: {} };
  }
  // The truth if possible, else a swap if possible, else the likeliest number.
  const rolled = sum(view.dice);
  const next = (seat + 1) % view.chips.length;
  if (view.win_numbers.includes(rolled)) return { win: { seer: next, number: rolled } };
  const owner = view.chips.findIndex(({ numbers }) => numbers.includes(rolled));
  if (view.can_steal && owner >= 0 && owner !== seat) {
    return { steal: { seer: owner, number: rolled } };
  }
  const [take] = view.swap_targets;
  if (take !== undefined) {
    const give = worth(view.chips[seat].numbers, points, points(take), options.swap_min_give);
    return { swap: { give, take } };
  }
  return { win: { seer: next, number: largest(view.win_numbers, ways) } };
}

/** `least` or more of the chips that are worth so many points. */
function worth(
  chips: number[],
  points: (chip: number) => number,
  wanted: number,
  least: number,
): number[] | undefined {
  if (wanted === 0 && least <= 0) return [];
  for (const [at, chip] of chips.entries()) {
    if (points(chip) > wanted) continue;
    const more = worth(chips.slice(at + 1), points, wanted - points(chip), least - 1);
    if (more) return [chip, ...more];
  }
  return undefined;
}

/** How many of the 216 rolls of three dice make a sum. */
function ways(total: number): number {
  const pairs = FACES.flatMap((one) => FACES.map((two) => one + two));
  return pairs.filter((pair) => total - pair >= 1 && total - pair <= 6).length;
}

// --- Blöff --------------------------------------------------------------------------------------

const isNumber = (card: BloeffCard) => card <= BloeffCard.BLOEFF_CARD_FOUR;

function bloeff(view: BloeffView, seat: number, options: BloeffOptions): BloeffActionInput {
  /** The honest total of a number card, whose value is its number on the wire minus 3. */
  const makes = (card: BloeffCard) =>
    options.below_zero_is_bluff ? view.total + card - 3 : Math.max(0, view.total + card - 3);
  if (view.balloted) {
    const said = view.balloted.total;
    const fits = (card: BloeffCard) => isNumber(card) && makes(card) === said;
    const seen = [...view.hand, ...view.seen, ...view.face_down].filter(fits).length;
    const all = sum(options.deck.filter(({ card }) => fits(card)).map(({ count }) => count));
    return { ballot: { doubt: all === seen } }; // no card that it has not seen makes it true
  }
  const call = true; // never a mistake
  const honest = view.hand // ascending
    .filter(isNumber)
    .map((card) => ({ card, announce: makes(card), call }))
    .filter(({ announce }) => announce >= view.lowest && announce <= view.highest);
  const safe = honest.findLast(({ announce }) => announce <= view.limit);
  if (safe) return { number: safe };
  // A reverse, which comes first, is worth least: it costs nobody a card or a turn.
  const other = view.hand.find((card) => !isNumber(card));
  if (other === BloeffCard.BLOEFF_CARD_REVERSE) return { action_card: { card: other, call } };
  if (other) return { red: { card: other, target: (seat + 1) % view.hand_sizes.length, call } };
  return { number: honest[0] ?? { card: view.hand[0], announce: view.lowest, call } };
}
