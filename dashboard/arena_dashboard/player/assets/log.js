/** The log: what happened, oldest first, by round; every entry leads to its moment. */

import { element } from "./dom.js";
import { roundStarts } from "./playback.js";
import { GRADES, percent, signed, tagsOf } from "./words.js";

/** @typedef {import("./types.js").Match} Match */
/** @typedef {import("./types.js").Frame} Frame */

export class Log {
  /** @param {Match} match @param {(index: number) => void} seek */
  constructor(match, seek) {
    /** @type {HTMLButtonElement[]} */
    this.entries = [];
    this.current = -1;
    const starts = new Set(roundStarts(match.frames));
    const list = element("ol");
    for (const [index, frame] of match.frames.entries()) {
      if (starts.has(index) && frame.round)
        list.append(element("li", { class: "round" }, `${match.roundWord} ${frame.round}`));
      const entry = element(
        "button",
        { type: "button", class: "entry", tabindex: -1 },
        element("span", { class: "number" }, String(frame.step)),
        element("span", { class: "words" }, frame.told.join(" "), ...tags(match, frame)),
      );
      entry.addEventListener("click", () => seek(index));
      this.entries.push(entry);
      list.append(element("li", {}, entry));
    }
    const luck = element("label", { class: "luck-choice" });
    if (match.frames.some((frame) => frame.luck.length)) {
      const box = element("input", { type: "checkbox" });
      box.addEventListener("change", () => this.place.classList.toggle("with-luck", box.checked));
      luck.append(box, " luck");
    }
    this.scroller = element("div", { class: "entries" }, list);
    this.place = element(
      "section",
      { class: "log", "aria-label": "What happened" },
      element("div", { class: "log-head" }, element("h3", {}, "What happened"), luck),
      this.scroller,
    );
  }

  /** Hides the entries after a moment. @param {number} last */
  showUpTo(last) {
    for (const [index, entry] of this.entries.entries()) {
      const line = entry.parentElement;
      if (line) line.hidden = index > last;
      // The head of a round stands before its first entry.
      const head = line?.previousElementSibling;
      if (head instanceof HTMLElement && head.classList.contains("round")) head.hidden = index > last;
    }
  }

  /** @param {number} index */
  show(index) {
    const before = this.entries[this.current];
    before?.removeAttribute("aria-current");
    before?.setAttribute("tabindex", "-1");
    const now = this.entries[index];
    now.setAttribute("aria-current", "step");
    now.setAttribute("tabindex", "0");
    this.current = index;
    // Only the log scrolls, never the page.
    const { scroller } = this;
    const top = now.offsetTop - scroller.offsetTop;
    const space = scroller.clientHeight;
    if (top < scroller.scrollTop || top + now.offsetHeight > scroller.scrollTop + space)
      scroller.scrollTop = top - (space - now.offsetHeight) / 2;
  }
}

/** @param {Match} match @param {Frame} frame @returns {Node[]} */
function tags(match, frame) {
  const made = tagsOf(frame.marks).map(([words, kind]) =>
    element("span", { class: `tag ${kind}` }, words),
  );
  if (frame.decision) {
    const { grade, better } = frame.decision;
    made.push(element("span", { class: `tag ${GRADES[grade]}` }, grade));
    if (better) made.push(element("span", { class: "better" }, `better: ${better}`));
  }
  const chance = chanceOf(match, frame);
  if (chance !== null)
    made.push(element("span", { class: "chance" }, `P(true) ${percent(chance)}`));
  if (frame.luck.length) {
    const told = match.names.map((name, seat) => `${name} ${signed(frame.luck[seat])}`).join(", ");
    made.push(element("span", { class: "luck" }, `Luck: ${told}`));
  }
  return made;
}

/** How likely a new claim was to the viewpoint; null in "everything", which has many. @param {Match} match @param {Frame} frame */
function chanceOf(match, frame) {
  if (match.view === "everything" || !frame.claim) return null;
  const index = match.frames.indexOf(frame);
  const before = match.frames[index - 1]?.claim;
  if (before && before.seat === frame.claim.seat && before.text === frame.claim.text) return null;
  return frame.claim.chances[0];
}
