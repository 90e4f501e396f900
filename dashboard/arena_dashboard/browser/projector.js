// The evening of an event: the time of day, the time that is left, and results one after another.

const TICK_MS = 250;
/** How long a screen of the results is shown, unless a key was pressed. */
const SCREEN_MS = 10_000;
const FORWARD = [" ", "ArrowRight", "ArrowDown", "PageDown", "Enter"];
const BACK = ["ArrowLeft", "ArrowUp", "PageUp"];

/** The screen of the results that is shown, and since when. */
const shown = { at: 0, since: 0, held: false };

/** @param {number} seconds whole seconds that are left */
export function left(seconds) {
  if (seconds <= 0) return "now";
  const days = Math.floor(seconds / 86400);
  const [hours, minutes, rest] = [seconds / 3600, seconds / 60, seconds].map(Math.floor);
  /** @param {number} number */
  const two = (number) => String(number).padStart(2, "0");
  if (days >= 2) return `${days} days`;
  const below = `${two(minutes % 60)}:${two(rest % 60)}`;
  return hours ? `${hours}:${below}` : below;
}

/** @param {string} selector @returns {HTMLElement[]} */
const all = (selector) => [...document.querySelectorAll(selector)].filter((one) => one instanceof HTMLElement);

/** @param {HTMLElement} place @param {string} text */
function write(place, text) {
  if (place.textContent !== text) place.textContent = text;
}

function showScreen() {
  const screens = all("[data-step]");
  shown.at = Math.max(0, Math.min(screens.length - 1, shown.at));
  screens.forEach((screen, at) => screen.classList.toggle("ba-shown", at === shown.at));
}

/** @param {number} by */
function turn(by) {
  shown.at += by;
  shown.since = performance.now();
  showScreen();
}

/** @param {KeyboardEvent} event */
export function key(event) {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key.toLowerCase() === "f") {
    if (document.fullscreenElement) void document.exitFullscreen();
    else void document.documentElement.requestFullscreen().catch(() => {});
    return;
  }
  const screens = all("[data-step]").length;
  const by = FORWARD.includes(event.key) ? 1 : BACK.includes(event.key) ? -1
    : event.key === "Home" ? -screens : event.key === "End" ? screens : 0;
  if (!by || !screens) return;
  event.preventDefault();
  shown.held = true;
  turn(by);
}

/** @param {{data: [{now: number}], parentElement: HTMLElement}} component */
export default function projector({ data: [{ now }] }) {
  // Dates are kept by the clock of the arena.
  const ahead = now - Date.now();
  const time = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
  const tick = () => {
    const moment = Date.now() + ahead;
    for (const place of all("[data-clock]")) write(place, time.format(moment));
    for (const place of all("[data-until]")) {
      write(place, left(Math.ceil((Number(place.dataset.until) - moment) / 1000)));
    }
    const passed = performance.now() - shown.since;
    if (!shown.since) turn(0);
    else if (!shown.held && passed > SCREEN_MS && all("[data-step]").length) turn(1);
    else showScreen();
  };
  tick();
  const timer = setInterval(tick, TICK_MS);
  document.addEventListener("keydown", key);
  return () => {
    clearInterval(timer);
    document.removeEventListener("keydown", key);
  };
}
