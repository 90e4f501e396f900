/** A running match: moments are added while it is played; after its end the next match is asked for. */

import { firstClaim, Playback } from "./playback.js";

/** @typedef {import("./types.js").Match} Match */

/** How often a match that goes on is asked for more. */
const ASK_MS = 2000;
/** How long the end of a match is shown. */
const LINGER_MS = 5000;
const SPEED = 2;
/** On a projector the last row reads along. */
const READING_SPEED = 1;

export class Live {
  /** @param {import("./player.js").Player} player */
  constructor(player) {
    this.player = player;
    this.asked = 0;
    this.now = 0;
    /** When the end of the match was reached; 0 before. */
    this.ended = 0;
    /** The last moment that the visitor has seen: those after it are kept back. */
    this.furthest = 0;
  }

  /** @param {Match} match */
  receive(match) {
    const { player } = this;
    const before = player.match;
    const same = before?.match === match.match;
    if (same && before.over === match.over && before.frames.length === match.frames.length) return;
    const { at, playing, speed, loop } = player.playback;
    player.match = match;
    player.playback = new Playback(match.frames);
    Object.assign(player.playback, { open: !match.over });
    if (same) {
      player.playback.seek(at);
      Object.assign(player.playback, { playing, speed, loop });
    } else {
      const usual = match.projected ? READING_SPEED : SPEED;
      Object.assign(player.playback, { playing: true, speed: before ? speed : usual });
      if (match.projected) player.playback.seek(firstClaim(match));
      this.ended = this.furthest = 0;
      player.paused = false;
    }
    const scrolled = same ? player.log?.scroller.scrollTop : 0;
    player.build(match);
    player.log?.showUpTo(this.furthest);
    player.log?.scroller.scrollTo(0, scrolled ?? 0);
    player.listen();
    player.draw();
  }

  /** Shows what the visitor has seen so far, and nothing of what comes. */
  show() {
    const { match, playback, place, log } = this.player;
    this.furthest = Math.max(this.furthest, playback.at);
    place?.classList.toggle("unfinished", !match?.over || this.furthest < playback.last);
    log?.showUpTo(this.furthest);
  }

  /** Called for every frame that is drawn, and so not in a hidden tab. @param {number} time */
  tick(time) {
    const { match, playback } = this.player;
    if (!match) return;
    if (!match.over) {
      if (time - this.asked > ASK_MS) this.ask(time, false);
      return;
    }
    if (playback.at < playback.last) this.ended = 0;
    else if (!this.ended) this.ended = time;
    // Who stopped it wants to go on looking.
    else if (!this.player.paused && time - this.ended > LINGER_MS && time - this.asked > ASK_MS) this.ask(time, true);
  }

  /** @param {number} time @param {boolean} seen */
  ask(time, seen) {
    this.asked = time;
    const { match, component } = this.player;
    component?.setTriggerValue("more", { match: match?.match, moments: match?.frames.length, seen });
  }
}
