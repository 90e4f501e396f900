/** What bots noted beside the answers of a moment, for a visitor who may read it. */

import { element } from "./dom.js";

/** @typedef {import("./types.js").Match} Match */

export class Notes {
  /** @param {Match} match */
  constructor(match) {
    this.match = match;
    this.now = element("div", { class: "noted" });
  }

  /** @param {number} index */
  show(index) {
    const { frames, names, notes } = this.match;
    const before = index ? frames[index - 1].step : -1;
    const here = (notes ?? []).filter(({ step }) => before < step && step <= frames[index].step);
    this.now.replaceChildren(
      ...here.map(({ seat, text, usage }) =>
        element(
          "p",
          {},
          element("strong", {}, `${names[seat]} notes: `),
          text,
          ...(usage ? [element("span", { class: "faint" }, ` ${usage}`)] : []),
        ),
      ),
    );
  }
}
