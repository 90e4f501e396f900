/** Blöff: the total and its limit, cards laid face down with their owners, hands, red cards. */

import { card } from "../pieces.js";
import { at, box, fitted, fittedName, label } from "../svg.js";

/** @typedef {import("../types.js").Match} Match */
/** @typedef {import("../types.js").Frame} Frame */

const WIDTH = 24;
const HEIGHT = 32;
const LAID = 64;

/** Of the hands, which one sentence tells where they are open. */
export const lettersOfSeat = 50;

export function seatHeight() {
  return HEIGHT + 6;
}

export function middleHeight() {
  return 106;
}

/** @param {Frame} frame @param {number} seat @param {number} width */
export function seat(frame, seat, width) {
  const own = frame.table.seats[seat];
  /** @type {(number|null)[]} */
  const hand = [...own.cards, ...Array(own.hidden).fill(null)];
  /** @type {number[]} */
  const waiting = own.wait;
  const extra =
    waiting.length * (WIDTH * 0.7) + (waiting.length ? WIDTH * 0.3 + 8 : 0) + (own.drew ? 26 : 0);
  const room = width - extra - WIDTH;
  const step = hand.length > 1 ? Math.min(WIDTH + 2, room / (hand.length - 1)) : 0;
  return [
    hand.map((one, place) => card(place * step, 0, WIDTH, HEIGHT, one)),
    waiting.map((one, place) =>
      card(
        width - (waiting.length - place - 1) * WIDTH * 0.7 - WIDTH,
        0,
        WIDTH,
        HEIGHT,
        one,
        "waiting",
      ),
    ),
    own.drew > 0 && label("lost", width - extra + (own.drew ? 24 : 0), 22, `+${own.drew}`, "end"),
  ];
}

/** @param {Match} match @param {Frame} frame @param {number} width */
export function middle(match, frame, width) {
  const { total, limit, laid, facts } = frame.table;
  const meter = Math.min(220, width * 0.4);
  const share = Math.min(1, limit ? total / limit : total ? 1 : 0);
  const shown = laid.slice(-Math.max(1, Math.floor(width / LAID)));
  return [
    label(
      "faint",
      4,
      4,
      fitted(`${match.roundWord} ${frame.round} · ${facts.join(" · ")}`, width, 11.5),
    ),
    label("sum", 4, 28, `Total ${total}`),
    box("chance-room", 80, 18, meter, 10, 5),
    share > 0 && box("meter", 80, 18, meter * share, 10, 5),
    label("faint", 88 + meter, 27, `limit ${limit}`),
    shown.map(
      (
        /** @type {[number, number, number|null]} */ [owner, said, value],
        /** @type {number} */ place,
      ) =>
        at(
          4 + place * LAID,
          38,
          card(0, 0, WIDTH, HEIGHT, value, "laid"),
          label("said", WIDTH + 5, 21, `“${said}”`),
          label("faint", 0, HEIGHT + 14, fittedName(match.names[owner], LAID - 4, 11.5)),
        ),
    ),
  ];
}

/** @param {Frame} frame @param {number} x @param {number} y */
export function claim(frame, x, y) {
  return label("large", x, y + 24, frame.claim?.text ?? "");
}
