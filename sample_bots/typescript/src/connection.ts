// The stream to the referee: joins, asks the bot, reconnects, and checks every finished match.

import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";

import grpc, { type StatusObject } from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";

import { dealingError } from "./dealing.js";
import type { ActionInput } from "./wire/arena/v1/Action.js";
import type { AnswerInput } from "./wire/arena/v1/Answer.js";
import type { End } from "./wire/arena/v1/End.js";
import type { Offer } from "./wire/arena/v1/Offer.js";
import type { PlayRequestInput } from "./wire/arena/v1/PlayRequest.js";
import type { PlayResponse } from "./wire/arena/v1/PlayResponse.js";
import type { Referees } from "./wire/arena/v1/Referees.js";
import type { Transcript } from "./wire/arena/v1/Transcript.js";
import type { Turn } from "./wire/arena/v1/Turn.js";
import type { ProtoGrpcType } from "./wire/referee.js";

/** What a bot is: an object for each match. */
export interface BotClass {
  games: string[];
  maxMatches: number;
  new (offer: Offer): { act(turn: Turn): ActionInput };
}

const FIRST_PAUSE = 500; // milliseconds before the next attempt to connect
const LONGEST_PAUSE = 30_000;
const LASTING = 5_000; // a stream that lasted so long makes the next pause short again
const GOODBYE = 2_000; // how long a leaving bot waits for the referee to close the stream
const ADOPTION = 20_000; // so soon the matches of a lost stream are resumed elsewhere

/** Addresses on this machine. */
const LOCAL = /^(unix:|localhost:|127\.|\[::1\]:)/;

/** Statuses after which connecting again is useless. */
const FINAL = [
  grpc.status.UNAUTHENTICATED,
  grpc.status.PERMISSION_DENIED,
  grpc.status.INVALID_ARGUMENT,
  grpc.status.UNIMPLEMENTED,
];

const definition = loadSync("arena/v1/referee.proto", {
  includeDirs: [fileURLToPath(new URL("../proto", import.meta.url))],
  keepCase: true,
  defaults: true,
  oneofs: true,
  longs: Number,
});
export const { RefereeService } = (
  grpc.loadPackageDefinition(definition) as unknown as ProtoGrpcType
).arena.v1;

/** A match that the bot has joined, and what it joined with. */
type Match = { offer: Offer; entropy: Buffer; bot: InstanceType<BotClass> };

/** Plays until Ctrl-C. After the first one (or SIGTERM) the running matches are finished; the second
 * leaves at once. The exit code is 2 if the referee refuses the bot. */
export function run(kind: BotClass): void {
  const token = (process.env.ARENA_TOKEN ?? "").trim();
  if (!token) {
    console.error("Set ARENA_TOKEN to the bot's token (`arena bot new` prints it).");
    process.exit(2);
  }
  new Connection(kind, process.env.ARENA_ADDRESS || "127.0.0.1:50051", token).start();
}

class Connection {
  private addresses: string[]; // of the referees: the one given, then the others that were told
  private matches = new Map<string, Match>();
  private lost = new Map<string, Match>(); // of the stream before, not resumed
  private leaving = false;
  private drains = false; // whether the referee knows `drain`
  private pause = FIRST_PAUSE;
  private lostAt = Infinity; // when the last stream was lost, until another is welcomed
  private givingUp: NodeJS.Timeout | undefined;
  private stream: ReturnType<InstanceType<typeof RefereeService>["play"]> | undefined;

  constructor(
    private readonly kind: BotClass,
    private address: string,
    private readonly token: string,
  ) {
    this.addresses = [address];
  }

  start(): void {
    for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => this.leave());
    this.connect();
  }

  private connect(): void {
    const encrypted = this.address.startsWith("https://");
    const target = this.address.replace(/^https:\/\//, "");
    const client = new RefereeService(
      target,
      encrypted ? grpc.credentials.createSsl() : grpc.credentials.createInsecure(),
      {
        "grpc.keepalive_time_ms": 60_000,
        "grpc.max_receive_message_length": 1 << 24,
        // No proxy of the environment reaches this machine.
        "grpc.enable_http_proxy": LOCAL.test(target) ? 0 : 1,
      },
    );
    const metadata = new grpc.Metadata();
    metadata.set("authorization", `Bearer ${this.token}`);
    const stream = (this.stream = client.play(metadata));
    this.drains = false;
    let welcomed = Infinity; // when
    stream.on("data", (response: PlayResponse) => {
      welcomed = Math.min(welcomed, performance.now());
      const request = this.reply(response);
      if (Object.values(request).some((said) => !Array.isArray(said) || said.length > 0)) {
        stream.write(request);
      }
      this.leaveWhenDone();
      // The answers leave before matches are checked.
      if (response.ends.length > 0) setImmediate(() => this.ended(response.ends));
    });
    stream.on("error", () => {}); // the status says it all
    stream.on("status", (status) => {
      client.close();
      this.stream = undefined;
      // The matches that ended last are checked first.
      setImmediate(() => this.closed(status, welcomed));
    });
    stream.write({
      hello: {
        protocol_version: 1,
        instance: process.env.ARENA_INSTANCE ?? "",
        games: this.kind.games,
        // A bot that leaves comes back for its matches alone: -1 asks for no others.
        max_matches: this.leaving ? -1 : this.kind.maxMatches,
        client: "starter, TypeScript",
      },
    });
  }

  /** Ends the program after the end of a stream, or connects again. */
  private closed({ code, details, metadata: trailing }: StatusObject, welcomed: number): void {
    const done = code === grpc.status.OK || this.matches.size === 0;
    if (this.leaving && done) this.exit("Stopped.", 0);
    if (code === grpc.status.ABORTED) this.exit(`Stopped: ${details}`, 0);
    if (FINAL.includes(code)) this.exit(`The referee refused this bot: ${details}`, 2);
    if (welcomed < Infinity) {
      this.lostAt = performance.now();
      this.giveUpLater();
    }
    // Opening the stream again resumes: the referee sends all running matches and open turns.
    if (performance.now() - welcomed >= LASTING) this.pause = FIRST_PAUSE;
    const retryAfter = Number(trailing.get("retry-after")[0]) || 0; // seconds
    const wait = Math.max(this.pause * (0.5 + Math.random() / 2), retryAfter * 1000);
    this.pause = Math.min((this.pause * 4) / 3, LONGEST_PAUSE);
    console.error(
      `Not connected to ${this.address} (${details || "stream closed"}); ` +
        `again in ${(wait / 1000).toFixed(1)} s. ARENA_ADDRESS says which referee.`,
    );
    // When a referee is gone, another goes on with its matches.
    const next = this.addresses.indexOf(this.address) + 1;
    this.address = this.addresses[next % this.addresses.length]!;
    setTimeout(() => this.connect(), wait);
  }

  private leave(): void {
    if (this.leaving || !this.stream) this.exit("Stopped.", this.leaving ? 130 : 0);
    this.leaving = true;
    this.giveUpLater();
    if (this.drains) this.stream.write({ drain: {} });
    console.error(`Finishing ${this.matches.size} matches; Ctrl-C again leaves at once.`);
    this.leaveWhenDone();
  }

  private leaveWhenDone(): void {
    // A referee that drains the bot closes the stream itself.
    if (!this.leaving || this.drains || this.matches.size > 0) return;
    this.stream?.end();
    setTimeout(() => this.exit("Stopped.", 0), GOODBYE).unref();
  }

  /** Ends a leaving bot if no referee welcomes it in time after a loss. */
  private giveUpLater(): void {
    if (!this.leaving || this.lostAt === Infinity) return;
    const left = this.lostAt + ADOPTION - performance.now();
    this.givingUp = setTimeout(() => this.exit("Stopped.", 0), left);
  }

  private exit(sentence: string, code: number): never {
    console.error(sentence);
    process.exit(code);
  }

  /** Notes where the referees are. A program that was given a socket may have no network. */
  private told(referees: Referees | null | undefined): void {
    const given = this.addresses[0]!;
    if (!referees || given.startsWith("unix:")) return;
    this.addresses = [given, ...referees.addresses.filter((one) => one !== given)];
  }

  /** Everything there is to say to a response, in one message. */
  private reply(response: PlayResponse) {
    const { welcome, referees, resumes, offers, withdrawals, refusals, turns } = response;
    const request = { joins: [], declines: [], answers: [] } as Required<
      Pick<PlayRequestInput, "joins" | "declines" | "answers">
    > &
      PlayRequestInput;
    this.told(referees ?? welcome?.referees);
    if (welcome) {
      this.lostAt = Infinity;
      clearTimeout(this.givingUp);
      this.lost = this.matches;
      this.matches = new Map();
      const { bot, version } = welcome.entrant!;
      const most = welcome.max_matches;
      const games = welcome.games.join(", ");
      console.error(
        `Connected as ${bot} ${version}; playing ${games}, up to ${most} matches at once.`,
      );
      this.drains = welcome.knows_drain;
      // The wish of the stream before was lost with it.
      if (this.leaving && this.drains) request.drain = {};
    }
    for (const { offer, entropy } of resumes) {
      const known = this.lost.get(offer!.match_id) ?? {
        offer: offer!,
        entropy,
        bot: new this.kind(offer!),
      };
      this.lost.delete(offer!.match_id);
      this.matches.set(offer!.match_id, known);
    }
    for (const offer of offers) {
      const { match_id } = offer;
      if (this.leaving && !this.drains) {
        request.declines.push({ match_id });
        continue;
      }
      const entropy = randomBytes(16); // our part of the dealing
      this.matches.set(match_id, { offer, entropy, bot: new this.kind(offer) });
      request.joins.push({ match_id, entropy });
    }
    for (const { match_id, reason } of withdrawals) {
      if (this.forget(match_id)) console.error(`Match ${match_id} was called off: ${reason}`);
    }
    for (const { match_id, turn_number, reason, legal, faults } of refusals) {
      console.error(
        `Fault ${faults} in match ${match_id}, turn ${turn_number}: ${reason} ${legal}`,
      );
    }
    for (const turn of turns) request.answers.push(this.answer(turn));
    return request;
  }

  /** Asks the bot. An answer without an action is refused at once, so that the others need not wait
   * for the end of our time. */
  private answer(turn: Turn): AnswerInput {
    const { match_id, turn_number } = turn;
    try {
      return { match_id, turn_number, action: this.matches.get(match_id)?.bot.act(turn) };
    } catch (error) {
      console.error(`The bot failed in match ${match_id}, turn ${turn_number}:`, error);
      return { match_id, turn_number };
    }
  }

  private ended(ends: End[]): void {
    for (const { match_id, transcript } of ends) {
      const played = this.forget(match_id);
      if (!played) continue; // an earlier run of the program played it
      let why: string | undefined;
      try {
        why = wrong(played, transcript!);
      } catch (error) {
        why = String(error);
      }
      if (why) console.error(`Match ${match_id}: verification failed: ${why}`);
    }
    this.leaveWhenDone();
  }

  private forget(match_id: string): Match | undefined {
    const found = this.matches.get(match_id) ?? this.lost.get(match_id);
    this.matches.delete(match_id);
    this.lost.delete(match_id);
    return found;
  }
}

/** What is wrong with a finished match, or undefined. */
function wrong({ offer, entropy }: Match, transcript: Transcript): string | undefined {
  const setup = transcript.setup!;
  if (setup.match_id !== offer.match_id || !isDeepStrictEqual(setup.options, offer.options)) {
    return "the match is not the one offered";
  }
  if (!transcript.commitment.equals(offer.commitment)) {
    return "the commitment is not the one offered";
  }
  if (entropy?.length && !transcript.entropies[offer.seat]?.equals(entropy)) {
    return "it was not dealt with the entropy that this bot sent";
  }
  return dealingError(transcript);
}
