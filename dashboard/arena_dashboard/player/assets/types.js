/**
 * The form of what the server sends (`frames.py`), once per match and viewpoint.
 *
 * @typedef {"true"|"bluff"|"exact"|"doubt"|"right"|"wrong"|"showdown"|"bust"|"fault"} Mark
 *
 * @typedef {object} Claim
 * @property {number} seat
 * @property {string} text
 * @property {(number|null)[]} chances The probability that it is true, for each who looks: all
 *   seats in "everything", else one.
 * @property {string|null} truth What it should have been; null if the viewpoint cannot know.
 * @property {"true"|"bluff"|"exact"|null} verdict
 *
 * @typedef {object} Seat What a seat has in front of it; the rest of its form is the game's.
 * @property {string} note
 * @property {boolean} act Whether the seat is to act.
 * @property {boolean} out Whether the seat is out of the match.
 * @property {string} role What it does in this moment, in a word.
 *
 * @typedef {object} Table
 * @property {string[]} facts
 * @property {Record<number, any>} seats Seats; each game's module knows its own.
 *
 * @typedef {object} Frame A moment that showed the viewpoint something.
 * @property {number} step How many steps of the transcript had been played.
 * @property {number} round
 * @property {string[]} told What happened, in sentences.
 * @property {Mark[]} marks
 * @property {Claim|null} claim The claim that stands, or that ends in this moment.
 * @property {number[]} standing What each seat has, in `unit`.
 * @property {number[]} luck The luck of a draw, by seat; empty without one.
 * @property {Decision|null} decision What the step was worth, if its seat chose it, it has a value,
 *   and the viewpoint may know it.
 * @property {any} table
 *
 * @typedef {object} Decision
 * @property {number} seat
 * @property {string} action
 * @property {boolean} forced Whether it was played for the seat.
 * @property {number} win The seat's chance to win after it, by what the seat knew.
 * @property {number} loss What it cost.
 * @property {"best"|"fine"|"inaccurate"|"mistake"|"blunder"} grade
 * @property {string|null} better A better action; null after the best.
 *
 * @typedef {object} Note What a bot noted beside its answer.
 * @property {number} step The step that its answer became.
 * @property {number} seat
 * @property {string} text
 * @property {string} usage What the answer took, in words; "" if the bot did not say.
 *
 * @typedef {object} Result
 * @property {number[]} placing
 * @property {number[]|null} scores
 * @property {number[]} faults
 * @property {boolean[]} forfeited
 * @property {boolean} byFaults
 *
 * @typedef {object} Match
 * @property {string} match
 * @property {string} game
 * @property {string} title
 * @property {string} view
 * @property {string[]} names Short and distinct.
 * @property {string[]} bots
 * @property {string} unit
 * @property {string} scoreUnit
 * @property {string} roundWord
 * @property {Frame[]} frames
 * @property {Result|null} result Null while the match is played, and if it is void.
 * @property {boolean} live Whether it is, or just was, played: frames are added while it goes on.
 * @property {boolean} over Whether no frames will be added.
 * @property {boolean} [projected] Whether it is replayed on a projector, for people who only look.
 * @property {number[]|null} luck
 * @property {boolean} analysable Whether decisions of such matches have values.
 * @property {boolean} analysed Whether frames have their decisions.
 * @property {Note[]|null} [notes] Those that the visitor may read; null without any.
 * @property {string|null} broken
 * @property {string|null} doubt What is wrong with the transcript; null if it was verified.
 * @property {string|null} signedBy
 * @property {string|null} previous The match before this one in its block, or null.
 * @property {string|null} next
 *
 * What Streamlit hands to a component.
 * @typedef {object} Component
 * @property {Uint8Array} data
 * @property {HTMLElement|ShadowRoot} parentElement
 * @property {(name: string, value: any) => void} setTriggerValue
 */
export {};
