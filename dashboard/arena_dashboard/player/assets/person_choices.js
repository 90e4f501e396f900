/** The buttons of a turn: a row for each step of an action, and one that plays it. */

import { element } from "./dom.js";

/** @typedef {import("./person_types.js").Choice} Choice */

const MOST_KEYS = 9;

export class Choices {
  /** @param {(action: object) => void} play */
  constructor(play) {
    this.play = play;
    this.rows = element("div", { class: "choice-rows" });
    this.go = element("button", { type: "button", class: "go", disabled: true }, "Choose");
    this.go.addEventListener("click", () => this.act());
    this.place = element("div", { class: "choices" }, this.rows, this.go);
    /** @type {Choice[]} The choices of the first step. */
    this.roots = [];
    /** @type {Choice[]} What is chosen, step by step. */
    this.chosen = [];
  }

  /** @param {Choice[]} roots */
  offer(roots) {
    this.roots = roots;
    this.chosen = [];
    if (!this.single) this.follow();
    this.draw();
  }

  /** Where there is one choice only, it is made. */
  follow() {
    for (;;) {
      const choices = this.open();
      if (choices.length !== 1) return;
      this.chosen.push(choices[0]);
    }
  }

  /** The choices of the step that is open; none when the action is complete. @returns {Choice[]} */
  open() {
    const last = this.chosen[this.chosen.length - 1];
    return last ? (last.next ?? []) : this.roots;
  }

  get leaf() {
    const last = this.chosen[this.chosen.length - 1];
    return last?.action ? last : null;
  }

  /** Whether each choice is a whole action, so that it needs no second button. */
  get single() {
    return this.roots.every((choice) => choice.action);
  }

  /** @param {number} step @param {Choice} choice */
  choose(step, choice) {
    // The same steps after it, where they are possible: 4 × 3 becomes 4 × 5 by one click.
    const after = this.chosen.slice(step + 1).map((one) => one.label);
    this.chosen = [...this.chosen.slice(0, step), choice];
    for (const label of after) {
      const same = this.open().find((one) => one.label === label);
      if (same) this.chosen.push(same);
    }
    this.follow();
    this.draw(step);
    if (this.single) this.act();
  }

  act() {
    const leaf = this.leaf;
    if (leaf?.action) this.play(leaf.action);
  }

  /** A key: a digit chooses in the open step, Backspace goes back, Enter plays. @param {string} key */
  key(key) {
    if (/^[1-9]$/.test(key)) {
      const step = this.leaf ? this.chosen.length - 1 : this.chosen.length;
      const choice = this.level(step)[Number(key) - 1];
      if (choice) this.choose(step, choice);
      return Boolean(choice);
    }
    if (key === "Backspace" && this.chosen.length) {
      this.chosen.pop();
      this.draw();
      return true;
    }
    if (key === "Enter" && this.leaf) {
      this.act();
      return true;
    }
    return false;
  }

  /** @param {number} step @returns {Choice[]} */
  level(step) {
    return step === 0 ? this.roots : (this.chosen[step - 1]?.next ?? []);
  }

  /** @param {number} [focused] The step whose button keeps the focus. */
  draw(focused) {
    const rows = [];
    for (let step = 0; step <= this.chosen.length; step += 1) {
      const choices = this.level(step);
      if (choices.length) rows.push(this.row(step, choices));
    }
    this.rows.replaceChildren(...rows);
    const { leaf } = this;
    this.go.hidden = this.single;
    this.go.disabled = !leaf;
    this.go.textContent = leaf?.words ?? "Choose";
    if (focused === undefined) return;
    const pressed = rows[focused]?.querySelector("[aria-pressed=true]");
    if (pressed instanceof HTMLElement) pressed.focus({ preventScroll: true });
  }

  /** @param {number} step @param {Choice[]} choices */
  row(step, choices) {
    const row = element("div", { class: "choice-row", role: "group" });
    let group = "";
    for (const [at, choice] of choices.entries()) {
      if (choice.group !== group)
        row.append(element("span", { class: "choice-what" }, choice.group));
      group = choice.group;
      const made = element(
        "button",
        {
          type: "button",
          class: "choice",
          "aria-pressed": String(this.chosen[step] === choice),
          title: at < MOST_KEYS ? `Key ${at + 1}` : null,
        },
        choice.label,
      );
      made.addEventListener("click", () => this.choose(step, choice));
      row.append(made);
    }
    row.setAttribute("aria-label", group || "Your action");
    return row;
  }
}
