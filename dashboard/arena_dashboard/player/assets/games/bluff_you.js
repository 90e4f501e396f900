/** Bluff You!: three dice, what is said of them, and who owns which chip. */

import { chip, die } from "../pieces.js";
import { at, fittedName, label } from "../svg.js";

/** @typedef {import("../types.js").Match} Match */
/** @typedef {import("../types.js").Frame} Frame */

const ROWS = 2;
const LARGEST = 30;
const CHIPS = 16;
const DICE = 3;

export function seatHeight() {
  return ROWS * LARGEST + 4;
}

export function middleHeight() {
  return 92;
}

/** @param {number[]} numbers @param {number[]} lit @param {number} width @param {number} rows */
function chips(numbers, lit, width, rows) {
  const size = Math.min(LARGEST, width / Math.max(1, Math.ceil(numbers.length / rows)));
  const each = Math.max(1, Math.floor(width / size + 1e-6));
  return numbers.map((number, place) =>
    chip(
      (place % each) * size,
      Math.floor(place / each) * size,
      size,
      number,
      lit.includes(number),
    ),
  );
}

/** @param {Frame} frame @param {number} seat @param {number} width */
export function seat(frame, seat, width) {
  const own = frame.table.seats[seat];
  return own.chips.length
    ? chips(own.chips, own.moved, width, ROWS)
    : label("faint", 0, 20, "no chips");
}

/** @param {Match} match @param {Frame} frame @param {number} width */
export function middle(match, frame, width) {
  const { dice, hidden, bluffer, to, answer, centre, facts } = frame.table;
  /** @type {number[]} */
  const shown = dice.length ? dice : Array(hidden ? DICE : 0).fill(0);
  const sum = dice.reduce(
    (/** @type {number} */ one, /** @type {number} */ other) => one + other,
    0,
  );
  const left = DICE * 34 + 56;
  const said = `: ${answer || "?"}`;
  return [
    label(
      "faint",
      4,
      4,
      `${match.roundWord} ${frame.round} · dice of ${match.names[bluffer]} · ${facts.join(" · ")}`,
    ),
    shown.map((face, place) => die(4 + place * 34, 12, 30, face)),
    dice.length > 0 && label("sum", 4 + DICE * 34, 34, `= ${sum}`),
    to >= 0 &&
      label(
        "answer",
        left,
        34,
        `${fittedName(match.names[to], width - left - said.length * 8, 15)}${said}`,
      ),
    at(2, 50, chips(centre, [], Math.min(width - 4, CHIPS * LARGEST), 1)),
  ];
}

/** @param {Frame} frame @param {number} x @param {number} y */
export function claim(frame, x, y) {
  return label("large", x, y + 24, frame.claim?.text ?? "");
}
