/** The table at which a person plays: news come by a stream, answers go by a request each. */

import { isTaken } from "./keys.js";
import { Choices } from "./person_choices.js";
import { button, element, picture } from "./dom.js";
import { drawTable, loadGame } from "./table.js";
import { withShortNames } from "./words.js";

/** @typedef {import("./person_types.js").News} News */
/** @typedef {{data: {key: string}, parentElement: HTMLElement|ShadowRoot, setTriggerValue: (name: string, value: any) => void}} Component */

const REVEAL_MS = 1800;
const STEP_MS = 400;
const TICK_MS = 250;
const HURRY_MS = 10_000;

/** Under which path all pages are: this one is called "play". */
const root = () => location.pathname.replace(/play\/?$/, "");

export class PersonTable {
  /** @param {HTMLElement|ShadowRoot} parent @param {string} key */
  constructor(parent, key) {
    this.key = key;
    /** @type {(what: "again"|"leave") => void} */
    this.ask = () => {};
    /** @type {News|null} */
    this.news = null;
    /** @type {import("./types.js").Frame[]} What is known of the match; there may be gaps. */
    this.frames = [];
    /** @type {[number, string][]} */
    this.logged = [];
    this.at = 0;
    this.shownAt = 0;
    this.heardAt = 0;
    this.width = 0;
    this.faultsShown = 0;
    /** @type {string|undefined} The turn whose choices are offered. */
    this.offered = undefined;
    /** @type {string|undefined} The match whose end is drawn. */
    this.ended = undefined;
    this.closing = new AbortController();
    const { signal } = this.closing;

    this.title = element("h2", {}, "Play");
    this.status = element("p", { class: "status", role: "status" });
    this.clock = element("span", { class: "clock", role: "timer" });
    this.leave = button("leave", "Leave the table", "Leave", () => this.ask("leave"));
    this.told = element("p", { class: "told", "aria-live": "polite" });
    this.table = picture("table");
    this.table.setAttribute("role", "img");
    this.scene = element("div", { class: "scene" }, this.told, this.table);
    this.list = element("ol");
    this.entries = element("div", { class: "entries", tabindex: 0 }, this.list);
    this.log = element(
      "section",
      { class: "log", "aria-label": "What happened" },
      element("div", { class: "log-head" }, element("h3", {}, "What happened")),
      this.entries,
    );
    this.mistake = element("p", { class: "mistake", role: "alert" });
    this.question = element("p", { class: "question" });
    this.choices = new Choices((action) => void this.answer(action));
    this.ending = element("div", { class: "ending" });
    this.actions = element(
      "div",
      { class: "actions" },
      this.mistake,
      this.question,
      this.choices.place,
      this.ending,
    );
    this.place = element(
      "section",
      { class: "player person", "aria-label": "The table" },
      element(
        "header",
        { class: "person-head" },
        this.title,
        this.status,
        this.clock,
        this.leave,
      ),
      element(
        "div",
        { class: "table-side" },
        element("div", { class: "stage" }, this.scene, this.log),
        this.actions,
      ),
    );
    parent.append(this.place);
    this.observer = new ResizeObserver(() => this.measure());
    this.observer.observe(this.scene);
    this.scene.addEventListener("click", () => this.showLast());
    document.addEventListener("keydown", (event) => this.pressed(event), { signal });
    this.ticking = setInterval(() => this.tick(), TICK_MS);
    void this.listen();
  }

  async listen() {
    // An EventSource sends no headers of ours: it is known by the cookie that this sets.
    await this.send("here").catch(() => undefined);
    if (this.closing.signal.aborted) return;
    this.source = new EventSource(`${root()}person/news`);
    // One after the other: the first of a match waits for what draws its game.
    let heard = Promise.resolve();
    this.source.addEventListener("message", (event) => {
      const news = JSON.parse(event.data);
      heard = heard.then(async () => {
        if (news.match) await loadGame(news.match.game);
        if (!this.closing.signal.aborted) this.hear(news);
      });
    });
    this.source.addEventListener("error", () => {
      // The browser tries again by itself, unless it was told that the session is over.
      if (this.source?.readyState === EventSource.CLOSED && this.news?.phase !== "over")
        this.status.textContent = "This session is over.";
    });
  }

  /** @param {News} news */
  hear(news) {
    const before = this.news;
    this.news = news;
    this.heardAt = performance.now();
    const anew = news.match?.match !== before?.match?.match;
    if (anew) {
      this.frames = [];
      this.logged = [];
      this.at = this.faultsShown = 0;
      clearTimeout(this.pacing);
      this.pacing = undefined;
    }
    if (news.frames && news.first !== undefined && news.firstLogged !== undefined) {
      this.frames.length = news.first;
      this.frames.push(...news.frames);
      this.logged.length = news.firstLogged;
      this.logged.push(...(news.log ?? []));
      // Who comes back sees what stands now; who was there, all that has happened.
      if (!before) this.at = this.frames.length - 1;
      else if (!this.frames[this.at]) this.at = news.first;
      this.at = Math.min(this.at, this.frames.length - 1);
      this.showFrame();
      this.pace();
    }
    this.title.textContent = news.match?.title ?? "Play";
    this.place.classList.toggle("at-table", Boolean(news.match));
    this.drawLog();
    this.settle();
  }

  /** Go on to the next frame after a while: a showdown is to be seen longer. */
  pace() {
    if (this.pacing !== undefined || this.shownAll) return;
    const still = this.frames[this.at]?.marks.length ? REVEAL_MS : STEP_MS;
    const seen = performance.now() - this.shownAt;
    this.pacing = setTimeout(() => {
      this.pacing = undefined;
      this.at += 1;
      this.shownAt = performance.now();
      this.showFrame();
      this.settle();
      this.pace();
    }, Math.max(0, still - seen));
  }

  /** Nobody has to wait. */
  showLast() {
    if (this.shownAll) return;
    clearTimeout(this.pacing);
    this.pacing = undefined;
    this.at = this.frames.length - 1;
    this.showFrame();
    this.settle();
  }

  get shownAll() {
    return this.at + 1 >= this.frames.length;
  }

  showFrame() {
    const { news } = this;
    const frame = this.frames[this.at];
    if (!news?.match || !frame) return;
    this.told.textContent = withShortNames(frame.told.slice(-3).join(" "), news.match.names);
    if (!this.width) return;
    const match = { ...news.match, frames: this.frames };
    const drawn = drawTable(match, this.at, this.width);
    this.table.setAttribute("viewBox", `0 0 ${this.width} ${drawn.height}`);
    this.table.setAttribute("height", String(drawn.height));
    this.table.setAttribute("aria-label", drawn.words);
    this.table.innerHTML = drawn.inner;
  }

  /** What can be done now. */
  settle() {
    const { news } = this;
    if (!news) return;
    const turn = news.turn ?? null;
    const asked = turn !== null && this.shownAll;
    this.place.classList.toggle("asked", asked);
    if (asked && this.offered !== this.turnKey) {
      this.offered = this.turnKey;
      this.mistake.textContent = this.faultOf(news);
      this.choices.offer(turn.choices);
    }
    if (!turn) this.offered = undefined;
    this.choices.place.hidden = !asked;
    this.question.hidden = !asked;
    this.question.textContent = turn?.question ?? "";
    this.status.textContent = this.statusOf(news, asked);
    this.drawEnding(news);
    this.tick();
  }

  get turnKey() {
    return `${this.news?.match?.match}/${this.news?.turn?.number}`;
  }

  /** @param {News} news @param {boolean} asked */
  statusOf(news, asked) {
    if (news.phase === "over") return this.shownAll ? "The match is over." : "";
    if (news.phase !== "playing") return news.notice;
    return asked ? "Your turn." : "The others play…";
  }

  /** A fault of the person that was not shown yet. @param {News} news */
  faultOf(news) {
    const faults = news.faults ?? [];
    const number = faults.length;
    const known = this.faultsShown;
    this.faultsShown = number;
    if (number <= known) return "";
    return `${faults[number - 1]} Fault ${number}; the match is lost at ${news.faultLimit}.`;
  }

  drawLog() {
    const items = [];
    let round = 0;
    for (const [number, sentence] of this.logged.filter(Boolean)) {
      if (number !== round) {
        round = number;
        items.push(element("li", { class: "round" }, `${this.news?.match?.roundWord} ${number}`));
      }
      items.push(element("li", { class: "said" }, sentence));
    }
    this.list.replaceChildren(...items);
    this.entries.scrollTop = this.entries.scrollHeight;
  }

  /** @param {News} news */
  drawEnding(news) {
    const over = ["over", "off", "lost"].includes(news.phase) && this.shownAll;
    this.leave.textContent = over ? "Back" : "Leave";
    this.leave.title = over ? "Back to all games" : "Leave the table";
    this.leave.setAttribute("aria-label", this.leave.title);
    if (!over) {
      this.ending.replaceChildren();
      this.ended = undefined;
      return;
    }
    const key = `${news.phase}/${news.match?.match}`;
    if (this.ended === key) return;
    this.ended = key;
    const parts = [];
    const { result, match } = news;
    if (result && match) {
      const places = match.names
        .map((name, seat) => ({ name, seat, place: result.placing[seat] }))
        .sort((one, other) => one.place - other.place)
        .map(({ name, seat, place }) => {
          const score = result.scores.length ? ` (${result.scores[seat]} ${result.scoreUnit})` : "";
          const gone = result.forfeited[seat] ? ", forfeited" : "";
          return element("li", { value: place }, `${name}${score}${gone}`);
        });
      const own = result.placing[Number(match.view)];
      parts.push(
        element("h3", {}, outcome(own, result.placing)),
        element("ol", { class: "places" }, ...places),
        element("a", { class: "replay", href: root() + result.replay }, "Watch the replay"),
      );
    }
    if (news.phase !== "lost")
      parts.push(button("again go", "Play again", "Play again", () => this.ask("again")));
    this.ending.replaceChildren(...parts);
  }

  tick() {
    const turn = this.news?.turn;
    if (!turn) {
      this.clock.textContent = "";
      this.clock.classList.remove("hurry");
      return;
    }
    const passed = performance.now() - this.heardAt;
    const ofTurn = Math.max(0, turn.left[0] - passed);
    const bank = Math.max(0, turn.left[1] - Math.max(0, passed - turn.left[0]));
    this.clock.textContent = `${time(ofTurn)} + ${time(bank)} bank`;
    this.clock.classList.toggle("hurry", ofTurn < HURRY_MS);
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = /** @type {Partial<HTMLElement>} */ (event.composedPath()[0]);
    // Enter on what is chosen plays the action.
    if (isTaken(event) && !target.classList?.contains("choice")) return;
    if (!this.shownAll && [" ", "Enter"].includes(event.key)) {
      this.showLast();
      event.preventDefault();
      return;
    }
    if (this.choices.place.hidden || !this.choices.key(event.key)) return;
    event.preventDefault();
  }

  /**
   * @param {string} what
   * @param {object} [body]
   */
  send(what, body = {}) {
    return fetch(`${root()}person/${what}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Arena-Person": this.key },
      body: JSON.stringify(body),
    });
  }

  /** @param {object} action */
  async answer(action) {
    const turn = this.news?.turn;
    if (!turn || !this.news) return;
    this.choices.go.disabled = true;
    try {
      const response = await this.send("answer", { turn: turn.number, action });
      if (response.ok) {
        this.mistake.textContent = "";
        return;
      }
      const { why } = await response.json();
      this.mistake.textContent = why;
    } catch {
      this.mistake.textContent = "The dashboard does not answer. Try again.";
    }
    this.choices.draw();
  }

  measure() {
    const width = this.scene.clientWidth;
    if (!width || width === this.width) return;
    this.width = width;
    this.showFrame();
  }

  close() {
    this.closing.abort();
    this.source?.close();
    this.observer.disconnect();
    clearInterval(this.ticking);
    clearTimeout(this.pacing);
    this.place.remove();
  }
}

/** How the match ended for a seat, in a sentence. @param {number} own @param {number[]} placing */
export function outcome(own, placing) {
  const ties = placing.filter((place) => place === own).length > 1;
  if (own === 1) return ties ? "You share the win." : "You win.";
  const nth = own === 2 ? "2nd" : own === 3 ? "3rd" : `${own}th`;
  return `You ${ties ? "share" : "take"} ${nth} place of ${placing.length}.`;
}

/** @param {number} ms */
function time(ms) {
  const seconds = Math.ceil(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** @type {WeakMap<HTMLElement|ShadowRoot, PersonTable>} */
const tables = new WeakMap();

/** @param {Component} component */
export default function person({ data, parentElement, setTriggerValue }) {
  let table = tables.get(parentElement);
  if (!table || table.key !== data.key) {
    table?.close();
    table = new PersonTable(parentElement, data.key);
    tables.set(parentElement, table);
  }
  table.ask = (what) => setTriggerValue("asked", what);
  const mounted = table;
  return () => {
    // Streamlit also ends a call that a newer one has overtaken.
    if (parentElement.isConnected) return;
    mounted.close();
    tables.delete(parentElement);
  };
}
