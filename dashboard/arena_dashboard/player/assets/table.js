/** The table as one SVG of a fixed height: seats around the claim. */

import * as plain from "./plain.js";
import { at, box, fitted, fittedName, label, tag, text } from "./svg.js";
import { percent, tagsOf, viewpointName } from "./words.js";

/** @typedef {import("./types.js").Match} Match */
/** @typedef {import("./types.js").Frame} Frame */
/** @typedef {import("./svg.js").Piece} Piece */
/** @typedef {{x: number, y: number, width: number, height: number}} Area */

/**
 * What a game's module draws.
 * @typedef {object} Game
 * @property {(match: Match, width: number) => number} seatHeight Of what lies before a seat.
 * @property {number} [lettersOfSeat] What a sentence may tell of each seat, from some viewpoints.
 * @property {(match: Match, width: number) => number} middleHeight Of what lies under the claim.
 * @property {(frame: Frame, seat: number, width: number) => Piece} seat
 * @property {(match: Match, frame: Frame, width: number) => Piece} middle
 * @property {(frame: Frame, x: number, y: number) => Piece} claim The claim, large.
 */

/** What draws the games that were loaded, by name. @type {Record<string, Game>} */
const GAMES = {};

/** Load what draws a game: its module, or `plain.js` without one. @param {string} game */
export async function loadGame(game) {
  GAMES[game] ??= await import(`./games/${game}.js`).catch(() => plain);
}

/** How many letters of each seat a sentence may have from some viewpoints. @param {Match} match */
export const lettersOfSeat = ({ game }) => GAMES[game].lettersOfSeat ?? 0;

const GAP = 8;
const HEAD = 26;
const CHANCE = 20;
const CLAIM = 66;
const NARROW = 560;
const ROOMY = 240;

/**
 * Where the seats and the middle are. Seats go clockwise from the upper left.
 * @param {number} width @param {number} seats @param {number} seatHeight @param {number} middleHeight
 * @returns {{height: number, seats: Area[], middle: Area}}
 */
export function layout(width, seats, seatHeight, middleHeight) {
  const rows = seatRows(width, seats);
  const above = Math.ceil(rows.length / 2);
  /** @type {Area[]} */
  const areas = [];
  let y = 0;
  let middle = { x: 0, y: 0, width, height: middleHeight };
  for (const [index, row] of rows.entries()) {
    if (index === above) {
      middle = { ...middle, y };
      y += middleHeight + GAP;
    }
    const each = (width - GAP * (row.length - 1)) / row.length;
    for (const [column, seat] of row.entries())
      areas[seat] = { x: column * (each + GAP), y, width: each, height: seatHeight };
    y += seatHeight + GAP;
  }
  return { height: y - GAP, seats: areas, middle };
}

/** @param {number} width @param {number} seats @returns {number[][]} */
function seatRows(width, seats) {
  const all = Array.from({ length: seats }, (_, seat) => seat);
  if (width >= NARROW || seats <= 2) {
    const above = Math.ceil(seats / 2);
    return [all.slice(0, above), all.slice(above).reverse()];
  }
  // Two columns: down on the right, up on the left.
  const count = Math.ceil(seats / 2);
  return Array.from({ length: count }, (_, row) => {
    const left = row === 0 ? 0 : seats - row;
    return row === 0 || left > count ? [left, row + 1] : [row + 1];
  });
}

/** @param {Match} match @param {number} width */
export function layoutOf(match, width) {
  const game = GAMES[match.game];
  const seats = match.names.length;
  const each = layout(width, seats, 0, 0).seats[0].width;
  // The same for all viewpoints, so that to choose one moves nothing.
  const seatHeight = HEAD + game.seatHeight(match, each - 2 * GAP) + CHANCE;
  return layout(width, seats, seatHeight, CLAIM + game.middleHeight(match, width - 2 * GAP));
}

/**
 * @param {Match} match @param {number} index @param {number} width
 * @returns {{height: number, inner: string, words: string}} What goes into the SVG element.
 */
export function drawTable(match, index, width) {
  const frame = match.frames[index];
  const areas = layoutOf(match, width);
  const seats = areas.seats.map((area, seat) => drawSeat(match, frame, seat, area));
  return {
    height: areas.height,
    inner: text([drawMiddle(match, frame, areas.middle), ...seats]),
    words: inWords(match, frame),
  };
}

/** @param {Match} match @param {Frame} frame @param {number} seat @param {Area} area */
function drawSeat(match, frame, seat, area) {
  const game = GAMES[match.game];
  const own = frame.table.seats[seat];
  const inner = area.width - 2 * GAP;
  const kind = ["seat", own.act ? "acting" : "", own.out ? "out" : ""].join(" ").trim();
  const state = own.act ? "to act" : own.role;
  // Where there is little room, the frame alone says who is to act.
  const note = state && area.width > ROOMY ? `${state} · ${own.note}` : own.note;
  const nameRoom = inner - note.length * 6 - GAP;
  return at(
    area.x,
    area.y,
    tag(
      "g",
      { class: kind },
      box("seat-body", 1, 1, area.width - 2, area.height - 2, 8),
      label("seat-name", GAP, 18, fittedName(match.names[seat], nameRoom, 14)),
      label("seat-note", area.width - GAP, 18, note, "end"),
      at(GAP, HEAD, game.seat(frame, seat, inner)),
      drawChance(match, frame, seat, area),
    ),
  );
}

/** How likely the claim was to a seat, where all seats are seen. @param {Match} match @param {Frame} frame @param {number} seat @param {Area} area */
function drawChance(match, frame, seat, area) {
  const claim = frame.claim;
  const chance = claim && match.view === "everything" ? claim.chances[seat] : null;
  if (!claim || chance === null || chance === undefined || frame.table.seats[seat].out) return "";
  const y = area.height - CHANCE;
  const start = GAP + 78;
  const room = area.width - GAP - start;
  return [
    label("chance", GAP, y + 12, `P(true) ${percent(chance)}`),
    box("chance-room", start, y + 4, room, 8, 4),
    chance > 0 &&
      box(
        seat === claim.seat ? "chance-own" : "chance-bar",
        start,
        y + 4,
        Math.max(4, room * chance),
        8,
        4,
      ),
  ];
}

/** @param {Match} match @param {Frame} frame @param {Area} area */
function drawMiddle(match, frame, area) {
  const game = GAMES[match.game];
  const inner = area.width - 2 * GAP;
  return at(
    area.x,
    area.y,
    box("felt", 0, 0, area.width, area.height, 8),
    at(
      GAP + 4,
      0,
      frame.claim ? drawClaim(match, frame, inner) : label("faint", 0, 38, "Nothing is claimed."),
    ),
    at(GAP, CLAIM, game.middle(match, frame, inner)),
  );
}

/** @param {Match} match @param {Frame} frame @param {number} width */
function drawClaim(match, frame, width) {
  const claim = frame.claim;
  if (!claim) return "";
  const game = GAMES[match.game];
  const second = Math.max(150, width * 0.42);
  const third = Math.max(second + 92, width * 0.72);
  const single = match.view === "everything" ? null : claim.chances[0];
  return [
    label("small", 0, 18, `${fittedName(match.names[claim.seat], second - 54, 12)} claims`),
    game.claim(frame, 0, 26),
    claim.truth !== null && [
      label("small", second, 18, "truth"),
      label("large", second, 50, claim.truth),
    ],
    claim.verdict &&
      drawTags(tagsOf([claim.verdict]), second + 14 + (claim.truth ?? "").length * 14, 32),
    single !== null &&
      single !== undefined && [
        label(
          "small",
          third,
          18,
          width < NARROW
            ? "P(true)"
            : fitted(`P(true), ${viewpointName(match.view, match.names)}`, width - third, 12),
        ),
        label("large", third, 50, percent(single)),
      ],
    single === null &&
      drawTags(
        tagsOf(
          frame.marks.filter((mark) => mark === "right" || mark === "wrong" || mark === "doubt"),
        ),
        third,
        32,
      ),
  ];
}

/** @param {[string, string][]} tags @param {number} x @param {number} y */
function drawTags(tags, x, y) {
  let left = x;
  return tags.map(([words, kind]) => {
    const width = words.length * 7.4 + 18;
    const drawn = at(
      left,
      y,
      tag(
        "g",
        { class: `pill ${kind}` },
        box("pill-body", 0, 0, width, 22, 11),
        label("pill-words", width / 2, 15.5, words, "middle"),
      ),
    );
    left += width + 6;
    return drawn;
  });
}

/** The picture in words, for who cannot see it. @param {Match} match @param {Frame} frame */
export function inWords(match, frame) {
  const seats = match.names.map((name, seat) => `${name}: ${frame.table.seats[seat].note}`);
  const claim = frame.claim
    ? [
        `${match.names[frame.claim.seat]} claims ${frame.claim.text}`,
        ...(frame.claim.truth === null ? [] : [`truth ${frame.claim.truth}`]),
        ...(frame.claim.verdict ? [tagsOf([frame.claim.verdict])[0][0]] : []),
      ]
    : [];
  return [...claim, ...seats].join("; ");
}
