/** How the match ended, as a table under the player. */

import { element } from "./dom.js";
import { signed } from "./words.js";

/** @typedef {import("./types.js").Match} Match */

/** @param {Match} match */
export function resultElement({ names, bots, result, luck, scoreUnit, broken }) {
  if (!result) return element("section");
  const order = names
    .map((_, seat) => seat)
    .sort((one, other) => result.placing[one] - result.placing[other] || one - other);
  const heads = ["Place", "Bot", `Score (${scoreUnit})`, "Faults", ...(luck ? ["Luck"] : [])];
  const body = element("tbody");
  for (const seat of order) {
    const cells = [
      `${result.placing[seat]}.`,
      element(
        "span",
        {},
        element("a", { href: `bot?${new URLSearchParams({ bot: bots[seat] })}` }, names[seat]),
        result.forfeited[seat] ? " (forfeit)" : "",
      ),
      result.scores ? String(result.scores[seat]) : "–",
      String(result.faults[seat]),
      ...(luck ? [signed(luck[seat])] : []),
    ];
    body.append(element("tr", {}, ...cells.map((cell) => element("td", {}, cell))));
  }
  const notes = [
    ...(result.byFaults ? ["Decided by faults, not by the game."] : []),
    ...(luck
      ? ["Luck in expected points: what the draws gave above the mean of all possible draws."]
      : []),
    ...(broken ? [`This match cannot be replayed to its end: ${broken}.`] : []),
  ];
  return element(
    "section",
    { class: "result", "aria-label": "Result" },
    element("h3", {}, "Result"),
    element(
      "table",
      {},
      element(
        "thead",
        {},
        element("tr", {}, ...heads.map((head) => element("th", { scope: "col" }, head))),
      ),
      body,
    ),
    ...notes.map((note) => element("p", { class: "faint" }, note)),
  );
}
