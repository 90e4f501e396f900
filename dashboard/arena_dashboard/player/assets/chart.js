/** A line for each seat over the moments: what it has, its luck so far, its chance to win. A click
 * seeks. */

import { chancesToWin } from "./analysis.js";
import { element, picture } from "./dom.js";
import { label, tag, text } from "./svg.js";

/** @typedef {import("./types.js").Match} Match */

const HEIGHT = 96;
const LEFT = 34;
const FOOT = 6;

export class Chart {
  /** @param {Match} match @param {(index: number) => void} seek */
  constructor(match, seek) {
    this.match = match;
    this.seek = seek;
    this.svg = picture("chart-picture");
    this.svg.setAttribute("height", String(HEIGHT));
    this.svg.setAttribute("role", "img");
    this.choices = seriesOf(match);
    this.chosen = match.analysed ? this.choices.length - 1 : 0;
    this.width = 0;
    this.at = 0;
    const tabs = element("div", { class: "chart-choice", role: "group", "aria-label": "Chart of" });
    for (const [index, { name }] of this.choices.entries()) {
      const tab = element("button", { type: "button", "aria-pressed": String(index === this.chosen) }, name);
      tab.addEventListener("click", () => {
        this.chosen = index;
        for (const [place, one] of [...tabs.children].entries())
          one.setAttribute("aria-pressed", String(place === index));
        this.draw();
      });
      tabs.append(tab);
    }
    const legend = element("div", { class: "legend" });
    for (const [seat, name] of match.names.entries())
      legend.append(element("span", { class: `series${seat % 6}` }, element("i"), name));
    this.place = element(
      "section",
      { class: "chart", "aria-label": "Over the match" },
      element("div", { class: "chart-head" }, tabs, legend),
      this.svg,
    );
    this.place.hidden = !this.choices.length;
    this.svg.addEventListener("pointerdown", (event) => {
      this.svg.setPointerCapture(event.pointerId);
      this.point(event);
    });
    this.svg.addEventListener("pointermove", (event) => {
      if (event.buttons) this.point(event);
    });
    new ResizeObserver(() => {
      this.width = this.svg.clientWidth;
      this.draw();
    }).observe(this.svg);
  }

  get last() {
    return Math.max(1, this.match.frames.length - 1);
  }

  /** @param {PointerEvent} event */
  point(event) {
    const { left } = this.svg.getBoundingClientRect();
    const share = (event.clientX - left - LEFT) / (this.width - LEFT - FOOT);
    this.seek(Math.min(1, Math.max(0, share)) * this.last);
  }

  /** @param {number} index */
  x(index) {
    return LEFT + ((this.width - LEFT - FOOT) * index) / this.last;
  }

  draw() {
    if (!this.choices.length) return;
    if (this.width <= LEFT) return;
    const { name, values, unit = "", note } = this.choices[this.chosen];
    const all = values.flat();
    const low = Math.min(0, ...all);
    const high = Math.max(low + (unit ? 100 : 1), ...all);
    /** @param {number} value */
    const y = (value) => FOOT + (HEIGHT - 2 * FOOT) * (1 - (value - low) / (high - low));
    const lines = values.map((one, seat) =>
      tag("path", { class: `line series${seat % 6}`, d: stairs(one, (index) => this.x(index), y) }),
    );
    this.svg.setAttribute("viewBox", `0 0 ${this.width} ${HEIGHT}`);
    this.svg.setAttribute(
      "aria-label",
      `${name} of each seat over the match, from ${low} to ${high}${unit}${note ? `; ${note}` : ""}`,
    );
    /** @param {number} value */
    const written = (value) =>
      (Number.isInteger(value) ? String(value) : value.toFixed(1)).replace("-", "−") + unit;
    this.svg.innerHTML = text([
      tag("line", { class: "axis", x1: LEFT, x2: this.width - FOOT, y1: y(0), y2: y(0) }),
      label("faint", LEFT - 6, y(high) + 5, written(high), "end"),
      label("faint", LEFT - 6, y(low) + 3, written(low), "end"),
      note ? label("faint", LEFT + 4, y(high) + 5, note) : "",
      lines,
      tag("line", { class: "cursor", x1: 0, x2: 0, y1: 0, y2: HEIGHT }),
    ]);
    this.show(this.at);
  }

  /** @param {number} index */
  show(index) {
    this.at = index;
    this.svg.querySelector(".cursor")?.setAttribute("transform", `translate(${this.x(index)} 0)`);
  }
}

/**
 * `values` by seat, over the moments; [] for a seat of which the viewpoint knows nothing.
 * @typedef {{name: string, values: number[][], unit?: string, note?: string}} Series
 * @param {Match} match @returns {Series[]}
 */
export function seriesOf(match) {
  const { frames, names, unit } = match;
  /** @type {Series[]} */
  const made = [];
  if (frames.some((frame) => frame.standing.length))
    made.push({
      name: unit,
      values: names.map((_, seat) => frames.map((frame) => frame.standing[seat])),
    });
  if (frames.some((frame) => frame.luck.length))
    made.push({
      name: "luck",
      values: names.map((_, seat) => {
        let sum = 0;
        return frames.map((frame) => (sum += frame.luck[seat] ?? 0));
      }),
    });
  if (match.analysed)
    made.push({
      name: "chance to win",
      values: chancesToWin(match),
      unit: " %",
      note: "by what each seat knew",
    });
  return made;
}

/** @param {number[]} values @param {(index: number) => number} x @param {(value: number) => number} y */
function stairs(values, x, y) {
  return values
    .map((value, index) =>
      index
        ? `H${x(index).toFixed(1)}V${y(value).toFixed(1)}`
        : `M${x(0).toFixed(1)} ${y(value).toFixed(1)}`,
    )
    .join("");
}
