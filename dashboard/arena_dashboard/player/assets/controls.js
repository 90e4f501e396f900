/** Play, step, scrub: the bar under the table. */

import { button, element, iconButton, picture, setIcon } from "./dom.js";
import { HELP } from "./keys.js";
import { roundStarts } from "./playback.js";
import { tag, text } from "./svg.js";

/** @typedef {import("./types.js").Match} Match */
/** @typedef {import("./types.js").Mark} Mark */

/** The marks of the scrubber, the most telling first. @type {Mark[]} */
const MARKS = ["fault", "bluff", "bust", "doubt", "showdown"];

const CHANCES =
  "P(true) is how likely a claim was to be true, by what the seat or the spectator saw at that " +
  "moment.";
const MARKED = " Above the line are bluffs and faults, below it doubts, busts and reveals.";

export class Controls {
  /** @param {Match} match @param {import("./player.js").Player} player */
  constructor(match, player) {
    this.match = match;
    this.last = match.frames.length - 1;
    /** @param {string} title @param {string} icon @param {import("./keys.js").Action} action */
    const acting = (title, icon, action) => iconButton(title, icon, () => player.act(action));
    this.play = acting("Play (Space)", "play", { name: "play" });
    this.play.classList.add("play");
    this.speed = button("control", "Speed", "", () => player.act({ name: "cycle" }));
    this.loop = acting("Loop (L)", "loop", { name: "loop" });
    this.range = element("input", {
      type: "range",
      min: 0,
      max: this.last,
      step: 1,
      value: 0,
      "aria-label": "Moment",
    });
    this.range.addEventListener("input", () => player.seek(Number(this.range.value)));
    const marks = picture("marks");
    marks.setAttribute("viewBox", "0 0 1000 44");
    marks.setAttribute("preserveAspectRatio", "none");
    marks.setAttribute("aria-hidden", "true");
    marks.innerHTML = drawMarks(match);
    const marked = match.frames.some((frame) => frame.marks.length > 0);
    this.help = helpElement();
    this.place = element(
      "div",
      { class: "controls" },
      element("div", { class: "scrubber" }, marks, this.range),
      element(
        "div",
        { class: "buttons" },
        acting("First (Home)", "first", { name: "first" }),
        acting("Round back (Shift ←)", "roundBack", { name: "round", by: -1 }),
        acting("Step back (←)", "back", { name: "move", by: -1 }),
        this.play,
        acting("Step on (→)", "on", { name: "move", by: 1 }),
        acting("Next round (Shift →)", "roundOn", { name: "round", by: 1 }),
        acting("Last (End)", "last", { name: "last" }),
        this.speed,
      ),
      element("output", { class: "where" }),
      element(
        "div",
        { class: "more" },
        this.loop,
        button("control", "Copy a link to this moment", "Link", () => void this.copyLink(player)),
        button("control", "Save this moment as SVG", "SVG", () => player.still("svg")),
        button("control", "Save this moment as PNG", "PNG", () => player.still("png")),
        button("control", "Help (?)", "?", () => this.toggleHelp()),
      ),
      this.help,
      element(
        "p",
        { class: "faint reading" },
        CHANCES,
        element("span", { class: "marked" }, marked ? MARKED : ""),
      ),
    );
    this.where = /** @type {HTMLElement} */ (this.place.querySelector(".where"));
  }

  /** @param {import("./playback.js").Playback} playback */
  show(playback) {
    const frame = this.match.frames[playback.at];
    const where = `Step ${frame.step} of ${this.match.frames[this.last].step}`;
    this.range.value = String(playback.at);
    this.range.setAttribute("aria-valuetext", `${where}, ${this.match.roundWord} ${frame.round}`);
    this.where.textContent = where;
    const title = `${playback.playing ? "Pause" : "Play"} (Space)`;
    if (this.play.title !== title) {
      setIcon(this.play, playback.playing ? "pause" : "play");
      this.play.setAttribute("aria-label", title);
      this.play.title = title;
    }
    this.loop.setAttribute("aria-pressed", String(playback.loop));
    const speed = `${playback.speed}×`.replace("0.5", "½");
    this.speed.textContent = speed;
    this.speed.setAttribute("aria-label", `Speed ${speed}`);
  }

  toggleHelp() {
    this.help.hidden = !this.help.hidden;
  }

  /** @param {import("./player.js").Player} player */
  async copyLink(player) {
    player.writeAddress();
    try {
      await navigator.clipboard.writeText(location.href);
      this.where.textContent = "Link copied";
    } catch {
      // Without a secure connection a page may not write there.
      window.prompt("Link to this moment", location.href);
    }
  }
}

/** @param {Match} match */
function drawMarks({ frames }) {
  const last = Math.max(1, frames.length - 1);
  /** @param {number} index */
  const x = (index) => (1000 * index) / last;
  const rounds = roundStarts(frames)
    .filter((index) => frames[index].round)
    .map((index) =>
      tag("rect", { class: "tick", x: x(index) - 0.5, y: 15, width: 1.2, height: 14 }),
    );
  const marks = frames.flatMap((frame, index) => {
    const kind = MARKS.find((mark) => frame.marks.includes(mark));
    return kind
      ? [
          tag("rect", {
            class: `mark ${kind}`,
            x: x(index) - 2,
            y: kind === "bluff" || kind === "fault" ? 2 : 34,
            width: 4,
            height: 9,
            rx: 1,
          }),
        ]
      : [];
  });
  return text([rounds, marks]);
}

function helpElement() {
  const list = element("dl");
  for (const [keys, words] of HELP)
    list.append(element("div", {}, element("dt", {}, keys), element("dd", {}, words)));
  const help = element("div", { class: "help", role: "note", "aria-label": "Keys" }, list);
  help.hidden = true;
  return help;
}
