/**
 * The form of the news of a person's session (`picture.py`).
 *
 * @typedef {import("./types.js").Match} Match
 * @typedef {import("./types.js").Frame} Frame
 *
 * @typedef {object} Choice One step of an action, or its last one.
 * @property {string} label
 * @property {string} group What is chosen.
 * @property {Choice[]} [next] The choices of the next step.
 * @property {object} [action] The whole action, for the last step.
 * @property {string} [words] The whole action in words.
 *
 * @typedef {object} Turn
 * @property {number} number
 * @property {[number, number]} left The milliseconds left: for the turn, and in the bank.
 * @property {string} question What the turn asks, in words.
 * @property {Choice[]} choices
 *
 * @typedef {object} Result
 * @property {number[]} placing
 * @property {number[]} scores
 * @property {string} scoreUnit
 * @property {boolean[]} forfeited
 * @property {string} replay
 *
 * @typedef {object} News
 * @property {"waiting"|"playing"|"over"|"off"|"lost"} phase
 * @property {string} notice
 * @property {Match} [match] Without frames.
 * @property {number} [first] The number of the first of `frames` in the match.
 * @property {Frame[]} [frames] What was told since; earlier ones are known, or long past.
 * @property {number} [firstLogged] The number of the first of `log`.
 * @property {[number, string][]} [log] Round and sentence, oldest first.
 * @property {string[]} [faults]
 * @property {number} [faultLimit]
 * @property {Turn|null} [turn]
 * @property {Result|null} [result]
 */
export {};
