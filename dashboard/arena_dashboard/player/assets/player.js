/** The player: puts its parts together and keeps them at one moment of the match. */

import { isEmbedded, matchOf, searchFor, stepOf } from "./address.js";
import { Analysis } from "./analysis.js";
import { Chart } from "./chart.js";
import { Controls } from "./controls.js";
import { element, picture } from "./dom.js";
import { Header } from "./header.js";
import { keyAction } from "./keys.js";
import { Live } from "./live.js";
import { Log } from "./log.js";
import { Notes } from "./notes.js";
import { unpack } from "./packed.js";
import { firstClaim, Playback } from "./playback.js";
import { resultElement } from "./result.js";
import { saveStill } from "./still.js";
import { onSwipe } from "./swipe.js";
import { drawTable, loadGame } from "./table.js";
import { Told } from "./told.js";
import { viewpoints } from "./words.js";

/** @typedef {import("./types.js").Component} Component */
/** @typedef {import("./types.js").Match} Match */

/** Browsers allow some 100 changes of the address in 30 seconds. */
const ADDRESS_MS = 350;
const STYLE_MS = 2000;
/** On a projector all is as large as on a screen of this width, in proportion. */
const PROJECTED = 880;

export class Player {
  /** @param {HTMLElement|ShadowRoot} root */
  constructor(root) {
    this.root = root;
    this.closing = new AbortController();
    this.playback = new Playback([{ step: 0, round: 0 }]);
    /** @type {Match|null} */
    this.match = null;
    /** @type {Component|null} */
    this.component = null;
    this.shown = -1;
    this.width = 0;
    /** How many pixels a unit of the table has. */
    this.scale = 1;
    this.time = 0;
    this.received = 0;
    this.live = new Live(this);
    /** Whether the visitor stopped a match that was playing. */
    this.paused = false;
    /** Whether other data were asked for and are not here yet. */
    this.waiting = false;
  }

  /** New data: another match, another viewpoint, or the same again. @param {Component} component */
  async receive(component) {
    this.component = component;
    const received = ++this.received;
    const match = await unpack(component.data);
    await Promise.all([styled(this.root), loadGame(match.game)]);
    if (received !== this.received || this.closing.signal.aborted) return;
    if (match.live) {
      this.live.receive(match);
      return;
    }
    const same = this.match?.match === match.match;
    const step = same ? this.step : stepOf(location.search);
    const { playing, speed, loop } = this.playback;
    this.match = match;
    this.waiting = false;
    this.playback = new Playback(match.frames);
    Object.assign(this.playback, { speed, loop, playing: playing && same });
    if (step === null) this.playback.seek(firstClaim(match));
    else this.playback.seekStep(step);
    this.build(match);
    this.listen();
    this.draw();
    this.writeAddress();
  }

  get step() {
    return this.match?.frames[this.playback.at]?.step ?? 0;
  }

  /** @param {Match} match */
  build(match) {
    const focused = this.focused();
    this.place?.remove();
    this.observer?.disconnect();
    this.table = picture("table");
    this.table.setAttribute("role", "img");
    this.told = new Told(match);
    this.header = new Header(match, this);
    this.controls = new Controls(match, this);
    this.log = new Log(match, (index) => this.seek(index));
    this.chart = new Chart(match, (index) => this.seek(index));
    this.analysis = new Analysis(match, (index) => this.seek(index));
    this.notes = new Notes(match);
    const scene = element("div", { class: "scene" });
    onSwipe(this.table, (by) => this.act({ name: "move", by }));
    scene.append(this.told.place, ...(match.analysed ? [this.analysis.now] : []), this.table);
    const stage = element("div", { class: "stage" }, scene, this.log.place);
    this.place = element(
      "section",
      {
        class: ["player", isEmbedded(location.search) && "embedded", match.live && "live", match.projected && "projected"]
          .filter(Boolean)
          .join(" "),
        "aria-label": `${match.live ? "A match" : "Replay of a match"} of ${match.title}`,
      },
      this.header.place,
      stage,
      this.controls.place,
      ...(match.notes ? [this.notes.now] : []),
      this.chart.place,
      ...(match.analysed ? [this.analysis.costliest] : []),
      resultElement(match),
    );
    this.root.append(this.place);
    // The page shows what is under the player when its place is known.
    const within = this.root.getRootNode();
    if (within instanceof ShadowRoot) within.host.setAttribute("data-drawn", "");
    this.shown = -1;
    this.observer = new ResizeObserver(() => this.measure());
    this.observer.observe(scene);
    this.measure();
    if (focused) this.focus(focused);
  }

  /** The name of what has the focus in the player, if anything. */
  focused() {
    const held = /** @type {Document|ShadowRoot} */ (this.place?.getRootNode())?.activeElement;
    return held && this.place?.contains(held) ? nameOf(held) : "";
  }

  /** The focus to what has this name, made anew. @param {string} name */
  focus(name) {
    const again = [...(this.place?.querySelectorAll("button, input") ?? [])].find(
      (one) => nameOf(one) === name,
    );
    if (again instanceof HTMLElement) again.focus({ preventScroll: true });
  }

  listen() {
    if (this.listening) return;
    this.listening = true;
    const { signal } = this.closing;
    document.addEventListener("keydown", (event) => this.key(event), { signal });
    /** @param {number} time */
    const frame = (time) => {
      if (signal.aborted) return;
      if (this.playback.pass(Math.min(1000, time - this.time))) this.draw();
      if (this.match?.live) this.live.tick(time);
      this.time = time;
      requestAnimationFrame(frame);
    };
    requestAnimationFrame((time) => {
      this.time = time;
      frame(time);
    });
  }

  measure() {
    const room = this.table?.parentElement?.clientWidth ?? 0;
    this.scale = this.match?.projected ? Math.max(1, innerWidth / PROJECTED) : 1;
    const width = Math.floor(room / this.scale);
    if (!width || width === this.width) return;
    this.width = width;
    this.shown = -1;
    this.draw();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    // A live table is a part of a page, which has keys of its own.
    const own = !this.match?.live || this.match.projected;
    if (!own && !event.composedPath().includes(/** @type {Element} */ (this.place)))
      return;
    const action = keyAction(event, this.match?.names.length ?? 0);
    if (!action) return;
    event.preventDefault();
    this.act(action);
  }

  /** @param {import("./keys.js").Action} action */
  act(action) {
    const { playback } = this;
    switch (action.name) {
      case "move":
        playback.move(action.by);
        break;
      case "round":
        playback.moveRound(action.by);
        break;
      case "play":
        playback.toggle();
        break;
      case "first":
        playback.move(-playback.at);
        break;
      case "last":
        playback.move(playback.last);
        break;
      case "loop":
        playback.loop = !playback.loop;
        break;
      case "speed":
        playback.changeSpeed(action.by);
        break;
      case "cycle":
        playback.cycleSpeed();
        break;
      case "view":
        this.go(action.view);
        break;
      case "analysis":
        this.analyse();
        break;
      case "help":
        this.controls?.toggleHelp();
        break;
    }
    if (["move", "round", "first", "last", "play"].includes(action.name))
      this.paused = !playback.playing;
    this.draw();
  }

  /** @param {number} index */
  seek(index) {
    this.paused = true;
    this.playback.playing = false;
    this.playback.seek(index);
    this.draw();
  }

  draw() {
    const { match, playback } = this;
    if (!match || !this.place) return;
    this.controls?.show(playback);
    if (this.shown === playback.at || !this.width) return;
    this.shown = playback.at;
    const drawn = drawTable(match, playback.at, this.width);
    const table = /** @type {SVGSVGElement} */ (this.table);
    table.setAttribute("viewBox", `0 0 ${this.width} ${drawn.height}`);
    table.setAttribute("height", String(drawn.height * this.scale));
    table.setAttribute("aria-label", drawn.words);
    table.innerHTML = drawn.inner;
    this.told?.show(playback.at, this.width, playback.playing);
    // What is hidden has no place to which the log could scroll.
    if (match.live) this.live.show();
    this.log?.show(playback.at);
    this.chart?.show(playback.at);
    this.analysis?.show(playback.at);
    this.notes?.show(playback.at);
    this.laterAddress();
  }

  laterAddress() {
    if (this.addressTimer !== undefined) return;
    this.addressTimer = setTimeout(() => {
      this.addressTimer = undefined;
      this.writeAddress();
    }, ADDRESS_MS);
  }

  writeAddress() {
    // The address of a viewpoint that was asked for stands already; that of another match, too.
    if (!this.match || this.match.live || this.waiting || this.closing.signal.aborted) return;
    const { match, view } = this.match;
    if (![match, ""].includes(matchOf(location.search))) return;
    const search = searchFor(location.search, { match, view, step: this.step });
    if (search !== location.search) history.replaceState(history.state, "", search);
  }

  /** To another viewpoint, which needs other data from the server. @param {string} view */
  go(view) {
    // A match that is shown live has one viewpoint.
    if (!this.match || this.match.live || view === this.match.view) return;
    if (!viewpoints(this.match.names.length).includes(view)) return;
    this.ask({ view, analysed: this.match.analysed });
  }

  /** What decisions were worth, or no longer. */
  analyse() {
    if (!this.match?.analysable || this.match.live || this.waiting) return;
    this.ask({ view: this.match.view, analysed: !this.match.analysed });
  }

  /** Asks the server for other data. @param {{view: string, analysed: boolean}} wanted */
  ask({ view, analysed }) {
    const { match = "" } = this.match ?? {};
    this.waiting = true;
    const search = searchFor(location.search, { match, step: this.step, view, analysed });
    history.replaceState(history.state, "", search);
    const asked = { match, step: String(this.step), view };
    this.component?.setTriggerValue("go", analysed ? { ...asked, analysis: "1" } : asked);
  }

  /** @param {"svg"|"png"} kind */
  still(kind) {
    if (this.match && this.table) void saveStill(this.table, this.match, this.playback.at, kind);
  }

  close() {
    this.closing.abort();
    this.observer?.disconnect();
    clearTimeout(this.addressTimer);
    this.place?.remove();
  }
}

/** @param {Element} one */
function nameOf(one) {
  return one.getAttribute("aria-label") ?? one.textContent ?? "";
}

/**
 * Wait for the style sheet, so that nothing is measured without it; but not for ever.
 * @param {HTMLElement|ShadowRoot} root
 */
async function styled(root) {
  const link = root.querySelector("link[rel=stylesheet]");
  if (!(link instanceof HTMLLinkElement) || link.sheet) return;
  await new Promise((done) => {
    link.addEventListener("load", done, { once: true });
    link.addEventListener("error", done, { once: true });
    setTimeout(done, STYLE_MS);
  });
}
