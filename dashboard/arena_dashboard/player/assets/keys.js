/** What a key does. */

/**
 * @typedef {{name: "move"|"round"|"speed", by: number}
 *   | {name: "view", view: string}
 *   | {name: "play"|"first"|"last"|"loop"|"cycle"|"analysis"|"help"}} Action
 */

/** The keys and what they do, for the help. @type {[string, string][]} */
export const HELP = [
  ["Space", "play or pause"],
  ["← →", "one step"],
  ["Shift + ← →", "one round"],
  ["Home, End", "first, last"],
  ["+ −", "faster, slower"],
  ["L", "loop"],
  ["1 – 9", "seen from that seat"],
  ["0, S", "everything, spectator"],
  ["A", "analysis"],
  ["?", "this help"],
];

/** @type {Record<string, Action>} */
const PLAIN = {
  " ": { name: "play" },
  ArrowLeft: { name: "move", by: -1 },
  ArrowRight: { name: "move", by: 1 },
  Home: { name: "first" },
  End: { name: "last" },
  "+": { name: "speed", by: 1 },
  "-": { name: "speed", by: -1 },
  l: { name: "loop" },
  0: { name: "view", view: "everything" },
  s: { name: "view", view: "spectator" },
  a: { name: "analysis" },
  "?": { name: "help" },
};

/** @type {Record<string, Action>} */
const SHIFTED = {
  ArrowLeft: { name: "round", by: -1 },
  ArrowRight: { name: "round", by: 1 },
};

/**
 * The action of a key press; null if it is none of the player's.
 * @param {Pick<KeyboardEvent, "key"|"shiftKey"|"ctrlKey"|"metaKey"|"altKey"|"composedPath">} event
 * @param {number} seats @returns {Action|null}
 */
export function keyAction(event, seats) {
  if (event.ctrlKey || event.metaKey || event.altKey || isTaken(event)) return null;
  const { key } = event;
  if (event.shiftKey && key in SHIFTED) return SHIFTED[key];
  if (/^[1-9]$/.test(key))
    return Number(key) <= seats ? { name: "view", view: String(Number(key) - 1) } : null;
  return PLAIN[key] ?? PLAIN[key.toLowerCase()] ?? null;
}

/** Whether the focused element has its own use for the key. @param {Pick<KeyboardEvent, "key"|"composedPath">} event */
export function isTaken(event) {
  const target = /** @type {Partial<HTMLInputElement>|undefined} */ (event.composedPath()[0]);
  const name = target?.tagName?.toLowerCase() ?? "";
  if (name === "input") return target?.type !== "range";
  if (name === "textarea" || name === "select" || target?.isContentEditable) return true;
  return [" ", "Enter"].includes(event.key) && ["button", "a", "summary"].includes(name);
}
