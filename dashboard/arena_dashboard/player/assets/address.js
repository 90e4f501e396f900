/** The part of the address that says what is seen: match, step, viewpoint. */

/**
 * @param {string} search The query string now.
 * @param {{match: string, step?: number, view: string, analysed?: boolean}} place Without a step the
 *   player chooses where to begin.
 * @returns {string} The query string of a place; everything else in it stays.
 */
export function searchFor(search, { match, step, view, analysed }) {
  const query = new URLSearchParams(search);
  query.set("match", match);
  if (step === undefined) query.delete("step");
  else query.set("step", String(step));
  query.set("view", view);
  if (analysed) query.set("analysis", "1");
  else if (analysed === false) query.delete("analysis");
  return `?${query}`;
}

/** @param {string} search @returns {string} The match of an address, "" if it names none. */
export function matchOf(search) {
  return (new URLSearchParams(search).get("match") ?? "").toLowerCase();
}

/** @param {string} search @returns {number|null} The step of an address; null if it names none. */
export function stepOf(search) {
  const text = new URLSearchParams(search).get("step") ?? "";
  return /^\d{1,6}$/.test(text) ? Number(text) : null;
}

/** Whether the page is shown inside another one. @param {string} search */
export function isEmbedded(search) {
  return new URLSearchParams(search).get("embed") === "1";
}
