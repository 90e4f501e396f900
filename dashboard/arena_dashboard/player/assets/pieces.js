/** Dice, cards and chips. Each is drawn with its upper left corner at (x, y). */

import { at, box, label, tag } from "./svg.js";

/** @typedef {import("./svg.js").Piece} Piece */

/** Where the pips of each face are, in thirds of the die from its middle. @type {number[][][]} */
const PIPS = [
  [],
  [[0, 0]],
  [
    [-1, -1],
    [1, 1],
  ],
  [
    [-1, -1],
    [0, 0],
    [1, 1],
  ],
  [
    [-1, -1],
    [1, -1],
    [-1, 1],
    [1, 1],
  ],
  [
    [-1, -1],
    [1, -1],
    [0, 0],
    [-1, 1],
    [1, 1],
  ],
  [
    [-1, -1],
    [-1, 0],
    [-1, 1],
    [1, -1],
    [1, 0],
    [1, 1],
  ],
];

const STAR = Array.from({ length: 10 }, (_, point) => {
  const radius = point % 2 ? 0.16 : 0.4;
  const angle = (Math.PI * point) / 5;
  return [radius * Math.sin(angle), -radius * Math.cos(angle)];
});

/**
 * @param {number} x @param {number} y @param {number} size
 * @param {number} face 1 to 6; 0 for a die whose face is not known.
 * @param {{star?: boolean, lit?: boolean, kind?: string}} [looks] `star`: a six is a star.
 */
export function die(x, y, size, face, { star = false, lit = false, kind = "" } = {}) {
  const classes = `die ${face ? "" : "hidden"} ${lit ? "lit" : ""} ${kind}`.trim();
  const middle = size / 2;
  /** @type {Piece} */
  let marks;
  if (!face) {
    marks = label("die-question", middle, middle + size * 0.18, "?", "middle");
  } else if (star && face === 6) {
    const points = STAR.map(([px, py]) => `${middle + px * size},${middle + py * size}`).join(" ");
    marks = tag("polygon", { class: "die-star", points });
  } else {
    marks = PIPS[face].map(([px, py]) =>
      tag("circle", {
        class: "die-pip",
        cx: middle + px * size * 0.27,
        cy: middle + py * size * 0.27,
        r: size * 0.1,
      }),
    );
  }
  return at(
    x,
    y,
    tag("g", { class: classes }, box("die-body", 0.5, 0.5, size - 1, size - 1, size * 0.18), marks),
  );
}

/** The signs of action cards: reverse, draw two, skip. @type {Record<number, string>} */
const ACTIONS = { 5: "⇄", 6: "+2", 7: "⊘" };
const RED = new Set([6, 7]);

/** The sign on a card. @param {number} card */
export function cardSign(card) {
  return ACTIONS[card] ?? String(card).replace("-", "−");
}

/**
 * @param {number} x @param {number} y @param {number} width @param {number} height
 * @param {number|null} card null for a card whose face is not known.
 * @param {string} [kind]
 */
export function card(x, y, width, height, card, kind = "") {
  const known = card !== null;
  const colour = !known ? "back" : RED.has(card) ? "red" : card in ACTIONS ? "action" : "number";
  return at(
    x,
    y,
    tag(
      "g",
      { class: `card ${colour} ${kind}`.trim() },
      box("card-body", 0.5, 0.5, width - 1, height - 1, 3.5),
      known
        ? label("card-sign", width / 2, height / 2 + 5, cardSign(card), "middle")
        : box("card-pattern", 3.5, 3.5, width - 7, height - 7, 2),
    ),
  );
}

/** 0 for the sums that three dice show most often, to 4 for the rarest. @param {number} number */
export function rarity(number) {
  const off = Math.abs(2 * number - 21);
  return [3, 7, 11, 13].filter((bound) => off > bound).length;
}

/** @param {number} x @param {number} y @param {number} size @param {number} number @param {boolean} [lit] */
export function chip(x, y, size, number, lit = false) {
  const middle = size / 2;
  return at(
    x,
    y,
    tag(
      "g",
      { class: `chip rare${rarity(number)} ${lit ? "lit" : ""}`.trim() },
      tag("circle", { class: "chip-body", cx: middle, cy: middle, r: middle - 1 }),
      label("chip-number", middle, middle + size * 0.16, String(number), "middle"),
    ),
  );
}
