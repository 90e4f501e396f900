/** SVG as text, escaped by construction: strings become markup only through `tag`. */

import { shortName } from "./words.js";

export class Markup {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
  }
}

/** @typedef {Markup|string|number|null|undefined|false|PieceList} Piece */
/** @typedef {Array<Piece>} PieceList */

/** @param {string} text */
export function escaped(text) {
  return text.replace(
    /[&<>"']/g,
    (sign) =>
      ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" })[sign] ?? sign,
  );
}

/** @param {Piece} piece @returns {string} */
export function text(piece) {
  if (piece instanceof Markup) return piece.text;
  if (Array.isArray(piece)) return piece.map(text).join("");
  return piece === null || piece === undefined || piece === false ? "" : escaped(String(piece));
}

/**
 * @param {string} name
 * @param {Record<string, string|number|null|undefined>} attributes
 * @param {...Piece} children
 */
export function tag(name, attributes, ...children) {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([key, value]) => ` ${key}="${escaped(String(value))}"`)
    .join("");
  return new Markup(`<${name}${written}>${text(children)}</${name}>`);
}

/** @param {number} x @param {number} y @param {Piece[]} children */
export function at(x, y, ...children) {
  return tag("g", { transform: `translate(${round(x)} ${round(y)})` }, ...children);
}

/** @param {string} kind @param {number} x @param {number} y @param {Piece} words @param {"start"|"middle"|"end"} [anchor] */
export function label(kind, x, y, words, anchor = "start") {
  return tag(
    "text",
    { class: kind || null, x: round(x), y: round(y), "text-anchor": anchor },
    words,
  );
}

/** @param {string} kind @param {number} x @param {number} y @param {number} width @param {number} height @param {number} [radius] */
export function box(kind, x, y, width, height, radius = 6) {
  return tag("rect", {
    class: kind,
    x: round(x),
    y: round(y),
    width: round(width),
    height: round(height),
    rx: radius,
  });
}

/**
 * A text shortened to a width, by an estimate of what a character takes.
 * @param {string} words @param {number} width @param {number} size The font size.
 */
export function fitted(words, width, size) {
  const room = roomFor(width, size);
  return words.length <= room ? words : `${words.slice(0, Math.max(1, room - 1))}…`;
}

/** The same of a name, which is cut in its middle. @param {string} name @param {number} width @param {number} size */
export function fittedName(name, width, size) {
  return shortName(name, roomFor(width, size));
}

/** How many letters have room. @param {number} width @param {number} size */
function roomFor(width, size) {
  return Math.max(1, Math.floor(width / (size * 0.54)));
}

/** @param {number} value */
function round(value) {
  return Math.round(value * 100) / 100;
}
