/** What decisions were worth: of this moment, of the match, and the chances to win over it. */

import { element } from "./dom.js";
import { GRADES, tenths } from "./words.js";

/** @typedef {import("./types.js").Match} Match */
/** @typedef {import("./types.js").Decision} Decision */

const GRADING =
  "Chances to win follow from what the seat knew when it decided, so luck is not in them. The " +
  "more of its chance a decision cost, the worse its grade: best, fine, inaccurate, mistake, " +
  "blunder.";

export class Analysis {
  /** @param {Match} match @param {(index: number) => void} seek */
  constructor(match, seek) {
    this.match = match;
    this.now = element("p", { class: "graded" });
    this.costliest = element("p", { class: "costliest" });
    const index = costliest(match);
    if (index < 0) {
      this.costliest.append(nothing(match));
      return;
    }
    const { step } = match.frames[index];
    const button = element("button", { type: "button", class: "seek" }, `Step ${step}`);
    button.addEventListener("click", () => seek(index));
    this.costliest.append(
      element("strong", {}, "The decision of the match"),
      `: ${costInWords(match, /** @type {Decision} */ (match.frames[index].decision))} `,
      button,
      element("span", { class: "faint grading" }, GRADING),
    );
  }

  /** @param {number} index */
  show(index) {
    const { decision } = this.match.frames[index];
    this.now.replaceChildren();
    if (!decision) return;
    const { grade, win, loss, better, forced } = decision;
    const other = better ? ` With ${better}: ${tenths(win + loss)}.` : "";
    this.now.append(
      element("span", { class: `tag ${GRADES[grade]}` }, grade),
      `${forced ? " (played for it)" : ""} Its chance to win: ${tenths(win)}.${other}`,
    );
  }
}

/** The moment of the decision that cost its seat most; -1 if none cost anything. @param {Match} match */
export function costliest({ frames }) {
  let [found, most] = [-1, 0];
  for (const [index, { decision }] of frames.entries())
    if (decision && !decision.forced && decision.loss > most)
      [found, most] = [index, decision.loss];
  return found;
}

/**
 * By seat, over the moments, in percent: how likely the seat was to win, by what it knew at its
 * last decision; at the end what came of it. [] for a seat whose decisions the viewpoint cannot know.
 * @param {Match} match @returns {number[][]}
 */
export function chancesToWin({ frames, names, result }) {
  const firsts = result?.placing.filter((place) => place === 1).length ?? 0;
  return names.map((_, seat) => {
    if (!frames.some(({ decision }) => decision?.seat === seat)) return [];
    let chance = 100 / names.length;
    const chances = frames.map(({ decision }) =>
      decision?.seat === seat ? (chance = 100 * decision.win) : chance,
    );
    if (result) chances[chances.length - 1] = result.placing[seat] === 1 ? 100 / firsts : 0;
    return chances;
  });
}

/** @param {Match} match @param {Decision} decision */
function costInWords({ names }, { seat, action, better, win, loss }) {
  const other = better ?? "another action";
  return (
    `${names[seat]} chose ${action}, and its chance to win was ${tenths(win)}; with ${other} it ` +
    `would have been ${tenths(win + loss)}.`
  );
}

/** @param {Match} match */
function nothing({ view }) {
  return view === "spectator"
    ? "What decisions were worth depends on hidden dice: see the match as a seat or with everything open."
    : "No decision of this match is known to have cost anything.";
}
