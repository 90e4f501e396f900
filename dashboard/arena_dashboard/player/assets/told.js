/** The sentence over the table: of one height in the whole match and from all viewpoints, so that the
 * table does not jump. */

import { element } from "./dom.js";
import { lettersOfSeat } from "./table.js";
import { withShortNames } from "./words.js";

/** @typedef {import("./types.js").Match} Match */

const LINES = [2, 4];
const LETTER = 7;

export class Told {
  /** @param {Match} match */
  constructor(match) {
    this.place = element("p", { class: "told" });
    this.sentences = match.frames.map(({ told }) => withShortNames(told.join(" "), match.names));
    // The last one tells the results, too, which stand below.
    const lengths = this.sentences.slice(0, -1).map((one) => one.length);
    // What other viewpoints are told is not known here.
    this.longest = Math.max(match.names.length * lettersOfSeat(match), ...lengths);
  }

  /** @param {number} index @param {number} width @param {boolean} playing */
  show(index, width, playing) {
    const lines = Math.ceil((this.longest * LETTER) / width);
    const [fewest, most] = LINES;
    this.place.style.setProperty("--lines", String(Math.min(most, Math.max(fewest, lines))));
    // Playing would talk without end.
    this.place.setAttribute("aria-live", playing ? "off" : "polite");
    this.place.textContent = this.sentences[index];
  }
}
