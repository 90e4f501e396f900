/** Numbers and marks in words. */

/** @typedef {import("./types.js").Mark} Mark */

/** A probability as a share of 100, never rounded to certainty. @param {number} chance */
export function percent(chance) {
  if (chance > 0 && chance < 0.01) return "<1 %";
  if (chance > 0.99 && chance < 1) return ">99 %";
  return `${Math.round(chance * 100)} %`;
}

/** A number with its sign. @param {number} value */
export function signed(value) {
  return `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(2)}`;
}

/** The text of a tag, and its kind of colour. @type {Record<Mark, [string, string]>} */
export const TAGS = {
  true: ["true", "good"],
  exact: ["exact hit", "good"],
  bluff: ["bluff", "bad"],
  doubt: ["doubt", "plain"],
  right: ["right", "good"],
  wrong: ["wrong", "bad"],
  showdown: ["shown", "plain"],
  bust: ["bust", "warn"],
  fault: ["fault", "bad"],
};

/** The kind of colour of a grade. */
export const GRADES = {
  best: "good",
  fine: "plain",
  inaccurate: "warn",
  mistake: "bad",
  blunder: "bad",
};

/** A chance to win, so exactly that small losses are seen. @param {number} chance */
export function tenths(chance) {
  return `${(100 * chance).toFixed(1)}\u00a0%`;
}

/**
 * The tags of a moment. A doubt and its verdict are one tag; that something was shown needs none.
 * @param {Mark[]} marks @returns {[string, string][]}
 */
export function tagsOf(marks) {
  const answer = marks.includes("doubt") ? "doubt" : "belief";
  return marks.flatMap((mark) => {
    if (mark === "showdown" || mark === "doubt") return [];
    const [words, kind] = TAGS[mark];
    if (mark === "right" || mark === "wrong") return [[`${answer} ${words}`, kind]];
    return [[words, kind]];
  });
}

const NAME_MOST = 16;

/**
 * A name of so many letters at most, cut in its middle: the names of one author's bots often differ
 * at their end.
 * @param {string} name @param {number} most
 */
export function shortName(name, most = NAME_MOST) {
  const letters = [...name];
  if (letters.length <= most) return name;
  const end = Math.floor((most - 1) / 3);
  const begin = Math.max(1, most - 1 - end);
  return `${letters.slice(0, begin).join("")}…${end ? letters.slice(-end).join("") : ""}`;
}

/** A sentence in which long names are short. @param {string} sentence @param {string[]} names */
export function withShortNames(sentence, names) {
  // One name may begin with another one.
  return [...names]
    .sort((one, other) => other.length - one.length)
    .reduce((words, name) => words.replaceAll(name, () => shortName(name)), sentence);
}

/** Which seats' eyes the chances of a claim are, by the viewpoint. @param {string} view @param {string[]} names */
export function viewpointName(view, names) {
  if (view === "everything") return "Everything";
  if (view === "spectator") return "Spectator";
  return names[Number(view)] ?? view;
}

/** All viewpoints of a match. @param {number} seats */
export function viewpoints(seats) {
  return ["everything", "spectator", ...Array.from({ length: seats }, (_, seat) => String(seat))];
}
