/** A game without a module of its own: what everybody knows, in words. */

import { fitted, label } from "./svg.js";

/** @typedef {import("./types.js").Match} Match */
/** @typedef {import("./types.js").Frame} Frame */

const LINE = 18;

export function seatHeight() {
  return 4;
}

/** @param {Match} match */
export function middleHeight(match) {
  return 12 + LINE * Math.max(1, ...match.frames.map(({ table }) => table.facts.length));
}

export function seat() {
  return null;
}

/** @param {Match} _ @param {Frame} frame @param {number} width */
export function middle(_, frame, width) {
  return frame.table.facts.map((/** @type {string} */ fact, /** @type {number} */ line) =>
    label("faint", 4, 4 + LINE * (line + 1), fitted(fact, width - 8, 13)),
  );
}

/** @param {Frame} frame @param {number} x @param {number} y */
export function claim(frame, x, y) {
  return label("large", x, y + 24, frame.claim?.text ?? "");
}
