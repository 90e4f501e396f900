/** Skull: mats of discs, face down or turned over, and the hands that the viewpoint knows. */

import { at, label, tag } from "../svg.js";

/** @typedef {import("../types.js").Match} Match */
/** @typedef {import("../types.js").Frame} Frame */

const SIZE = 32;
const FLOWER = 1;
const PETALS = Array.from({ length: 5 }, (_, petal) => (2 * Math.PI * petal) / 5);

export function seatHeight() {
  return SIZE + 6;
}

export function middleHeight() {
  return 64;
}

/** @param {number} x @param {number} y @param {number} size @param {number} kind 0: face down @param {boolean} [lit] */
function disc(x, y, size, kind, lit = false) {
  const middle = size / 2;
  /** @param {string} name @param {number} across @param {number} down @param {number} radius */
  const circle = (name, across, down, radius) =>
    tag("circle", {
      class: name,
      cx: middle + across * size,
      cy: middle + down * size,
      r: radius * size,
    });
  const marks =
    kind === 0
      ? label("die-question", middle, middle + size * 0.18, "?", "middle")
      : kind === FLOWER
        ? PETALS.map((turn) => circle("die-star", 0.2 * Math.sin(turn), -0.2 * Math.cos(turn), 0.13))
        : [
            circle("die-pip", 0, -0.05, 0.27),
            circle("die-pip", 0, 0.2, 0.14),
            circle("die-body", -0.1, -0.05, 0.07),
            circle("die-body", 0.1, -0.05, 0.07),
          ];
  const classes = `die ${kind ? "" : "hidden"} ${lit ? "lit" : ""}`.trim();
  return at(x, y, tag("g", { class: classes }, circle("die-body", 0, 0, 0.47), marks));
}

/** @param {Frame} frame @param {number} seat @param {number} width */
export function seat(frame, seat, width) {
  const { mat, up, hand } = frame.table.seats[seat];
  const size = Math.min(SIZE, (width - 24) / Math.max(1, mat.length + hand.length));
  const left = mat.length * size + (mat.length ? 24 : 0);
  return [
    mat.map((/** @type {number} */ kind, /** @type {number} */ place) =>
      disc(place * size, 0, size, kind, place >= mat.length - up),
    ),
    hand.length > 0 && mat.length > 0 && label("faint", left - 17, size * 0.62, "+"),
    hand.map((/** @type {number} */ kind, /** @type {number} */ place) =>
      disc(left + place * size, 0, size, kind),
    ),
  ];
}

/** @param {Match} match @param {Frame} frame */
export function middle(match, frame) {
  const { bid, flowers, facts } = frame.table;
  return [
    label("faint", 4, 4, `${match.roundWord} ${frame.round} · ${facts.join(" · ")}`),
    Array.from({ length: bid }, (_, place) =>
      disc(4 + place * 26, 16, 24, place < flowers ? FLOWER : 0, place < flowers),
    ),
  ];
}

/** @param {Frame} frame @param {number} x @param {number} y */
export function claim(frame, x, y) {
  return label("large", x, y + 24, frame.claim?.text ?? "");
}
