/** The line over the table: game, placing, neighbours; and the viewpoints. */

import { searchFor } from "./address.js";
import { button, element } from "./dom.js";
import { viewpointName, viewpoints } from "./words.js";

/** @typedef {import("./types.js").Match} Match */

/** With more seats, three buttons stand beside each other on a phone. */
const MOST_IN_PAIRS = 4;

export class Header {
  /** @param {Match} match @param {import("./player.js").Player} player */
  constructor(match, player) {
    const links = element("span", { class: "neighbours" });
    for (const [words, id] of /** @type {[string, string|null][]} */ ([
      ["‹ previous match", match.previous],
      ["next match ›", match.next],
    ])) {
      if (!id) continue;
      const href = searchFor(location.search, { match: id, view: match.view });
      links.append(element("a", { href }, words));
    }
    const many = match.names.length > MOST_IN_PAIRS ? " many" : "";
    const views = element("div", { class: "views", role: "group", "aria-label": "Seen by" });
    for (const view of viewpoints(match.names.length)) {
      const name = viewpointName(view, match.names);
      const made = button("view", `Seen by: ${name}`, name, () => player.go(view));
      made.setAttribute("aria-pressed", String(view === match.view));
      views.append(made);
    }
    const look = element("div", { class: `look${many}` }, views);
    if (match.analysable) look.append(analysisButton(match, player));
    this.place = element(
      "header",
      {},
      element(
        "div",
        { class: "title" },
        element("h2", {}, `${match.title}`),
        element("span", { class: "placings" }, placings(match)),
        match.live ? running(match) : checked(match),
        links,
      ),
      ...(match.live ? [] : [look]),
    );
  }
}

/** @param {Match} match @param {import("./player.js").Player} player */
function analysisButton({ analysed }, player) {
  const title = "What each decision was worth, and what it cost (A)";
  const made = element("button", { type: "button", class: "view", title }, "Analysis");
  made.setAttribute("aria-pressed", String(analysed));
  made.addEventListener("click", () => {
    made.textContent = analysed ? "Analysis" : "Analysing…";
    player.act({ name: "analysis" });
  });
  return made;
}

/** Whether the transcript was verified, as a tag. @param {Match} match */
function checked({ doubt }) {
  return doubt === null
    ? element(
        "span",
        {
          class: "tag good",
          title:
            "Every draw was computed again from the opened secret, and the result from the steps.",
        },
        "✓ verified",
      )
    : element("span", { class: "tag bad", title: doubt }, "not verified");
}

/** Whether a match is still played; afterwards a link to its replay. @param {Match} match */
function running({ match, over, result }) {
  if (!over) return element("span", { class: "tag live" }, "live");
  if (!result) return element("span", { class: "tag bad" }, "void");
  const query = new URLSearchParams({ match, view: "everything" });
  return element("a", { href: `replay?${query}` }, "Replay with all dice and cards open");
}

/** @param {Match} match */
function placings({ names, result }) {
  if (!result) return names.join(" – ");
  return names
    .map((name, seat) => ({ name, place: result.placing[seat] }))
    .sort((one, other) => one.place - other.place)
    .map(({ name, place }) => `${place}. ${name}`)
    .join("   ");
}
