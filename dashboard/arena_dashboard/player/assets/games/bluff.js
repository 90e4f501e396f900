/** Bluff: cups of dice, dice laid out, the bets of the round. */

import { die } from "../pieces.js";
import { at, box, fittedName, label } from "../svg.js";

/** @typedef {import("../types.js").Match} Match */
/** @typedef {import("../types.js").Frame} Frame */

const STAR = 6;
const LARGEST = 30;
const GAP = 4;

export function seatHeight() {
  return LARGEST + 12;
}

export function middleHeight() {
  return 54;
}

/** Whether a die counts for a bet. @param {number} face @param {number} bet 0 without a bet. */
export function counts(face, bet) {
  return bet > 0 && (face === bet || face === STAR);
}

/** @param {Frame} frame @param {number} seat @param {number} width */
export function seat(frame, seat, width) {
  const own = frame.table.seats[seat];
  /** @type {number[]} */
  const up = own.up;
  /** @type {number[]} */
  const cup = [...own.dice, ...Array(own.hidden).fill(0)];
  const all = cup.length + up.length;
  if (!all) return "";
  const lost = own.lost ? `−${own.lost}` : "";
  const room = width - (lost ? 30 : 0) - (up.length ? 12 : 0) - 8;
  const size = Math.min(LARGEST, room / Math.max(5, all) - GAP);
  const cupWidth = cup.length * (size + GAP) + 4;
  return [
    own.cup && cup.length > 0 && box("cup", 0, 0, cupWidth, size + 8, 9),
    cup.map((face, place) =>
      die(4 + place * (size + GAP), 4, size, face, {
        star: true,
        lit: counts(face, frame.table.face),
      }),
    ),
    up.map((face, place) =>
      die(cupWidth + 10 + place * (size + GAP), 4, size, face, {
        star: true,
        lit: counts(face, frame.table.face),
      }),
    ),
    lost && label("lost", width, 26, lost, "end"),
  ];
}

/** @param {Match} match @param {Frame} frame @param {number} width */
export function middle(match, frame, width) {
  /** @type {[number, number, number][]} */
  const bets = frame.table.bets;
  const each = Math.min(104, Math.max(76, width / 4));
  const shown = bets.slice(-Math.max(1, Math.floor(width / each)));
  return [
    label("faint", 4, 4, `${match.roundWord} ${frame.round} · ${frame.table.facts.join(" · ")}`),
    shown.map(([bettor, quantity, face], place) =>
      at(
        4 + place * each,
        12,
        label(place === shown.length - 1 ? "bet-now" : "bet-past", 0, 14, `${quantity} ×`),
        die(quantity > 9 ? 32 : 24, 0, 18, face, { star: true }),
        label("faint", 0, 32, fittedName(match.names[bettor], each - 10, 11.5)),
      ),
    ),
  ];
}

/** @param {Frame} frame @param {number} x @param {number} y */
export function claim(frame, x, y) {
  const [, quantity, face] = frame.table.bets[frame.table.bets.length - 1];
  const words = `${quantity} ×`;
  return [
    label("large", x, y + 24, words),
    die(x + words.length * 12.5 + 4, y + 1, 30, face, { star: true }),
  ];
}
