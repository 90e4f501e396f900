/** Where in a match the player is, and how it moves on. No page, no clock of its own. */

/** Steps a second. */
export const SPEEDS = [0.5, 1, 2, 4, 10, 60];
const USUAL = 1;

export class Playback {
  /** @param {readonly {step: number, round: number}[]} frames */
  constructor(frames) {
    this.frames = frames;
    this.at = 0;
    this.playing = false;
    this.loop = false;
    this.speed = SPEEDS[USUAL];
    /** Whether moments may be added: playing then waits for them at the end. */
    this.open = false;
    /** Milliseconds that were played and not yet stepped. */
    this.saved = 0;
  }

  get last() {
    return this.frames.length - 1;
  }

  /** @param {number} index Any number; the nearest moment is taken. */
  seek(index) {
    this.at = Math.min(this.last, Math.max(0, Math.round(index)));
    this.saved = 0;
  }

  /** To the last moment that is not after a step of the transcript. @param {number} step */
  seekStep(step) {
    let at = 0;
    for (const [index, frame] of this.frames.entries()) if (frame.step <= step) at = index;
    this.seek(at);
  }

  /** @param {number} by */
  move(by) {
    this.playing = false;
    this.seek(this.at + by);
  }

  /** To the beginning of a round: this one or an earlier (-1), or a later (1). @param {number} by */
  moveRound(by) {
    const starts = roundStarts(this.frames);
    const target =
      by > 0
        ? starts.find((start) => start > this.at)
        : starts.findLast((start) => start < this.at);
    this.playing = false;
    this.seek(target ?? (by > 0 ? this.last : 0));
  }

  toggle() {
    this.playing = !this.playing;
    this.saved = 0;
    // At the end there is nothing left to play: begin again.
    if (this.playing && this.at === this.last) this.seek(0);
  }

  /** @param {number} by To a higher (1) or a lower (-1) speed. */
  changeSpeed(by) {
    const index = SPEEDS.indexOf(this.speed) + by;
    this.speed = SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, index))];
  }

  /** To the next speed, and from the highest to the lowest. */
  cycleSpeed() {
    this.speed = SPEEDS[(SPEEDS.indexOf(this.speed) + 1) % SPEEDS.length];
  }

  /**
   * Let time pass. @param {number} milliseconds
   * @returns {boolean} Whether the moment changed, or playing ended.
   */
  pass(milliseconds) {
    if (!this.playing) return false;
    this.saved += milliseconds;
    const steps = Math.floor((this.saved * this.speed) / 1000);
    if (!steps) return false;
    const saved = this.saved - (steps * 1000) / this.speed;
    if (this.at + steps <= this.last) {
      this.seek(this.at + steps);
      this.saved = saved;
    } else if (this.loop) {
      // The last moment is shown for its time before the first one follows.
      this.seek(this.at < this.last ? this.last : 0);
    } else if (this.open) {
      const moved = this.at < this.last;
      this.seek(this.last);
      return moved;
    } else {
      this.seek(this.last);
      this.playing = false;
    }
    return true;
  }
}

/**
 * Where a match begins for who names no step: everything before it is dealing.
 * @param {{frames: readonly {claim: object|null}[]}} match
 */
export function firstClaim({ frames }) {
  return Math.max(
    0,
    frames.findIndex(({ claim }) => claim),
  );
}

/**
 * The first moment of each round, ascending.
 * @param {readonly {round: number}[]} frames
 */
export function roundStarts(frames) {
  return frames.flatMap((frame, index) =>
    index && frames[index - 1].round === frame.round ? [] : [index],
  );
}
