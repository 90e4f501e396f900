// The table of a leaderboard: sorted and searched here, and patched where new data differ, so that
// a selection and the focus survive.

/**
 * @typedef {[number, number, number, number, string, string, string, boolean, boolean, number,
 *   number, number, number, number, number, string, string[], number, number | null,
 *   [string, string, boolean] | null, [number, number] | null,
 *   [number, number] | null]} Row
 *   version id, rank, best and worst rank, bot, version, owner, house, anchor, Elo, low, high,
 *   matches, win share, mean place, luck-adjusted, flags, band, trend, check (its mark, what it
 *   means, whether all is well), mean loss and its error, benchmark and its error
 * @typedef {{game: string, low: number, high: number, centre: number, adjusted: boolean,
 *   losses: boolean, benchmarks: boolean, sought: string | null,
 *   hints: Record<string, string>, flags: Record<string, [string, string]>, rows: Row[]}} Data
 */

const STEP = 100; // rows shown at first, and added by a press of the button
const ID = 0, RANK = 1, BEST = 2, WORST = 3, BOT = 4, VERSION = 5, OWNER = 6, HOUSE = 7;
const ANCHOR = 8, ELO = 9, LOW = 10, HIGH = 11, MATCHES = 12, SHARE = 13, PLACE = 14;
const ADJUSTED = 15, FLAGS = 16, BAND = 17, TREND = 18, CHECK = 19;
const LOSS = 20, BENCHMARK = 21;

/**
 * @param {string} name @param {string} [className] @param {...(Node | string)} children
 * @returns {HTMLElement}
 */
function element(name, className, ...children) {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...children);
  return made;
}

/** @param {string} text @param {string} kind @param {string} hint */
function badge(text, kind, hint) {
  const made = element("span", `ba-badge ba-${kind}`, text);
  made.title = hint;
  return made;
}

/** @param {string} page @param {Record<string, string>} query @param {string} text */
function link(page, query, text) {
  const made = document.createElement("a");
  made.href = `${page}?${new URLSearchParams(query)}`;
  made.textContent = text;
  return made;
}

/**
 * A column: its head, how it sorts, and a cell as a key (equal keys look equal) and its content.
 * @typedef {{id: string, head: string, classes?: string, order?: (row: Row) => number | string,
 *   key: (row: Row, data: Data) => string, cell: (row: Row, data: Data) => (Node | string)[]}} Column
 * @type {Column[]}
 */
const COLUMNS = [
  {
    id: "rank", head: "Rank", classes: "ba-number ba-rank", order: (row) => row[RANK],
    key: (row) => `${row[RANK]} ${row[BEST]} ${row[WORST]}`,
    cell: (row) => [
      String(row[RANK]),
      row[BEST] < row[WORST] ? element("small", "", `${row[BEST]}–${row[WORST]}`) : "",
    ],
  },
  {
    id: "bot", head: "Bot", order: (row) => row[BOT].toLowerCase(),
    key: (row) => JSON.stringify([row[BOT], row[VERSION], row[OWNER], row[FLAGS], row[CHECK]]),
    cell: (row, data) => {
      const name = link("bot", { bot: row[BOT] }, row[BOT]);
      name.className = "ba-name";
      return [
        name, " ", element("span", "ba-faint", `v${row[VERSION]}`), " ",
        ...(row[HOUSE] ? [badge("house", "plain", "One of the arena's own sample bots.")] : []),
        ...(row[ANCHOR] ? [badge("anchor", "plain", "All ratings are measured from it.")] : []),
        ...(row[CHECK]
          ? [badge(row[CHECK][0], row[CHECK][2] ? "plain" : "warn", row[CHECK][1])]
          : []),
        ...row[FLAGS].map((flag) => badge(data.flags[flag][0], "warn", data.flags[flag][1])),
        element("div", "ba-faint ba-narrow", row[OWNER]),
      ];
    },
  },
  {
    id: "owner", head: "Owner", classes: "ba-wide", order: (row) => row[OWNER].toLowerCase(),
    key: (row) => row[OWNER], cell: (row) => [row[OWNER]],
  },
  {
    id: "interval", head: "95 % interval", classes: "ba-graph",
    key: (row, data) => `${row[LOW]} ${row[ELO]} ${row[HIGH]} ${data.low} ${data.high}`,
    cell: interval,
  },
  {
    id: "elo", head: "Elo", classes: "ba-number", order: (row) => -row[ELO],
    key: (row) => `${row[ELO]} ${row[LOW]} ${row[HIGH]} ${row[MATCHES]}`,
    cell: (row) => [
      element("b", "", row[ELO].toFixed(0)),
      row[ANCHOR] ? "" : element("small", "", `±${((row[HIGH] - row[LOW]) / 2).toFixed(0)}`),
      element("small", "ba-narrow", `of ${row[MATCHES].toLocaleString("en")}`),
    ],
  },
  {
    id: "trend", head: "Trend", classes: "ba-number ba-wide", order: (row) => -(row[TREND] ?? -9999),
    key: (row) => String(row[TREND]), cell: trend,
  },
  {
    id: "adjusted", head: "Luck-adjusted", classes: "ba-number ba-wide ba-faint",
    order: (row) => -parseFloat(row[ADJUSTED] || (row[ANCHOR] ? String(row[ELO]) : "-9999")),
    key: (row) => row[ADJUSTED], cell: (row) => [row[ADJUSTED]],
  },
  {
    id: "matches", head: "Matches", classes: "ba-number ba-wide", order: (row) => -row[MATCHES],
    key: (row) => String(row[MATCHES]),
    cell: (row, data) => [
      link("matches", { bot: row[BOT], game: data.game }, row[MATCHES].toLocaleString("en")),
    ],
  },
  {
    id: "loss", head: "Mean loss", classes: "ba-number ba-wide",
    order: (row) => row[LOSS]?.[0] ?? 999, key: (row) => String(row[LOSS]),
    cell: (row) => percent(row[LOSS]),
  },
  {
    id: "benchmark", head: "Benchmark", classes: "ba-number ba-wide",
    order: (row) => -(row[BENCHMARK]?.[0] ?? -1), key: (row) => String(row[BENCHMARK]),
    cell: (row) => percent(row[BENCHMARK]),
  },
  {
    id: "share", head: "Win share", classes: "ba-number ba-wide", order: (row) => -row[SHARE],
    key: (row) => String(row[SHARE]), cell: (row) => [`${(100 * row[SHARE]).toFixed(1)}%`],
  },
  {
    id: "place", head: "Mean place", classes: "ba-number ba-wide", order: (row) => row[PLACE],
    key: (row) => String(row[PLACE]), cell: (row) => [row[PLACE].toFixed(2)],
  },
];

/** What a bot gained or lost lately, if it is more than chance. @param {Row} row */
function trend(row) {
  const gain = row[TREND];
  if (gain === null || row[ANCHOR]) return ["–"];
  const made = element("span", gain > 0 ? "ba-gain" : gain < 0 ? "ba-loss" : "ba-faint");
  made.append(gain > 0 ? `▲ ${gain}` : gain < 0 ? `▼ ${-gain}` : "0");
  made.setAttribute("aria-label", gain > 0 ? `+${gain}` : String(gain));
  made.setAttribute("role", "img");
  return [made];
}

/** A mean and its error. @param {[number, number] | null} found */
function percent(found) {
  if (!found) return ["–"];
  const [mean, error] = found;
  return [mean.toFixed(1), element("small", "", `±${error.toFixed(1)}`)];
}

/** @param {Row} row @param {Data} data */
function interval(row, data) {
  /** @param {number} elo */
  const at = (elo) => Math.min(100, Math.max(0, (100 * (elo - data.low)) / (data.high - data.low)));
  const graph = element("span", `ba-interval${row[HOUSE] ? " ba-house" : ""}`);
  const words = row[ANCHOR]
    ? "the anchor: 1500 by definition"
    : `${row[LOW].toFixed(0)} to ${row[HIGH].toFixed(0)}`;
  graph.title = words;
  graph.setAttribute("role", "img");
  graph.setAttribute("aria-label", words);
  graph.style.setProperty("--centre", `${at(data.centre)}%`);
  const bar = element("i"), dot = element("b");
  bar.style.left = `${at(row[LOW])}%`;
  bar.style.width = `${at(row[HIGH]) - at(row[LOW])}%`;
  dot.style.left = `${at(row[ELO])}%`;
  graph.append(bar, dot);
  return [graph];
}

class Ladder {
  /** @param {HTMLElement} parent */
  constructor(parent) {
    /** @type {string | undefined} */
    this.game = undefined;
    /** @type {string | undefined} */
    this.headKey = undefined;
    /** The bot that the visitor looks for. @type {string | null} */
    this.sought = null;
    /** @type {Data | undefined} */
    this.data = undefined;
    /** @type {Column[] | undefined} */
    this.columns = undefined;
    this.sort = "rank";
    this.reverse = false;
    this.shown = STEP;
    /** @type {Map<number, HTMLTableRowElement>} */
    this.rows = new Map();
    this.search = document.createElement("input");
    this.search.type = "search";
    this.search.placeholder = "Find a bot or an owner";
    this.search.setAttribute("aria-label", "Find a bot or an owner");
    this.search.addEventListener("input", () => this.draw());
    this.count = element("span", "ba-faint");
    this.count.setAttribute("role", "status");
    this.head = document.createElement("tr");
    this.body = document.createElement("tbody");
    this.more = element("button", "ba-more", "Show more");
    this.more.addEventListener("click", () => {
      this.shown += STEP;
      this.draw();
    });
    const caption = element("caption", "ba-unseen", "Leaderboard");
    const table = element("table", "ba-table", caption, element("thead", "", this.head), this.body);
    const tools = element("div", "ba-tools", this.search, this.count);
    parent.append(tools, table, this.more);
  }

  /** @param {Data} data */
  update(data) {
    if (this.game !== data.game) this.rows.clear();
    this.game = data.game;
    this.data = data;
    const sought = data.sought === this.sought
      ? undefined
      : data.rows.find((row) => row[BOT] === data.sought);
    this.sought = data.sought;
    if (sought) this.shown = Math.max(this.shown, data.rows.indexOf(sought) + 1);
    this.columns = COLUMNS.filter(
      ({ id }) => (id !== "adjusted" || data.adjusted) && (id !== "loss" || data.losses)
        && (id !== "benchmark" || data.benchmarks),
    );
    this.heads();
    this.draw();
    if (sought) this.rows.get(sought[ID])?.scrollIntoView({ block: "center" });
  }

  heads() {
    if (!this.data || !this.columns) return;
    const { hints } = this.data;
    const key = this.columns.map((one) => one.id).join();
    if (this.headKey !== key) {
      this.headKey = key;
      this.rows.clear();
      this.head.replaceChildren(
        ...this.columns.map((column) => {
          const head = element("th", (column.classes ?? "").replace("ba-faint", ""));
          head.setAttribute("scope", "col");
          head.title = hints[column.id] ?? "";
          if (!column.order) {
            head.append(column.head);
            return head;
          }
          const button = element("button", "", column.head);
          button.addEventListener("click", () => {
            this.reverse = this.sort === column.id && !this.reverse;
            this.sort = column.id;
            this.heads();
            this.draw();
          });
          head.append(button);
          return head;
        }),
      );
    }
    this.columns.forEach((column, at) => {
      const head = this.head.children[at];
      const direction = this.reverse ? "descending" : "ascending";
      if (column.id === this.sort) head.setAttribute("aria-sort", direction);
      else head.removeAttribute("aria-sort");
    });
  }

  draw() {
    const { data, columns } = this;
    if (!data || !columns) return;
    const words = this.search.value.trim().toLowerCase();
    const order = columns.find((one) => one.id === this.sort)?.order ?? COLUMNS[0].order;
    const found = data.rows.filter((row) => `${row[BOT]} ${row[OWNER]}`.toLowerCase().includes(words));
    if (order) {
      found.sort((one, other) => {
        const a = order(one), b = order(other);
        return (a < b ? -1 : a > b ? 1 : one[RANK] - other[RANK]) * (this.reverse ? -1 : 1);
      });
    }
    const shown = found.slice(0, this.shown);
    this.more.hidden = shown.length === found.length;
    const counted = words ? `${found.length} of ${data.rows.length} bots` : "";
    if (this.count.textContent !== counted) this.count.textContent = counted;
    const focused = document.activeElement;
    /** @type {HTMLTableRowElement[]} */
    const rows = shown.map((row) => this.row(row, data, columns));
    const kept = new Set(rows);
    for (const old of [...this.body.children]) {
      if (!kept.has(/** @type {HTMLTableRowElement} */ (old))) old.remove();
    }
    rows.forEach((row, at) => {
      // Only a row that changed its place is moved.
      if (this.body.children[at] !== row) this.body.insertBefore(row, this.body.children[at] ?? null);
      const ranked = this.sort === "rank" && !words && at > 0;
      row.classList.toggle("ba-sought", shown[at][BOT] === data.sought);
      row.classList.toggle("ba-band", ranked && shown[at][BAND] !== shown[at - 1][BAND]);
    });
    if (focused instanceof HTMLElement && focused.isConnected) focused.focus({ preventScroll: true });
  }

  /** @param {Row} values @param {Data} data @param {Column[]} columns */
  row(values, data, columns) {
    let row = this.rows.get(values[ID]);
    if (!row) {
      row = document.createElement("tr");
      row.append(...columns.map((column) => element("td", column.classes)));
      this.rows.set(values[ID], row);
    }
    columns.forEach((column, at) => {
      const key = column.key(values, data);
      const cell = row.cells[at];
      if (cell.dataset.key === key) return;
      cell.dataset.key = key;
      cell.replaceChildren(...column.cell(values, data));
    });
    return row;
  }
}

/** @type {WeakMap<HTMLElement, Ladder>} */
const ladders = new WeakMap();

/** @param {{data: [Data], parentElement: HTMLElement}} component */
export default function ladder({ data: [data], parentElement }) {
  const drawn = ladders.get(parentElement) ?? new Ladder(parentElement);
  ladders.set(parentElement, drawn);
  drawn.update(data);
}
