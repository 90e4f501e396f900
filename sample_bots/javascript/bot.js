// A bot for Bluff in one file, from the protocol alone: no SDK and no generated code.
// Run it with: npm ci && ARENA_TOKEN=… node bot.js
//
// It does what is most likely to be right given its own dice, like the Python sample `honest`.

import { createHash, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import grpc from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";

// "host:port", or "https://host:port" with TLS; then ARENA_CA may name what to trust.
const [, scheme, address] =
  /^(?:(https?):\/\/)?(.*?)\/*$/.exec(process.env.ARENA_ADDRESS || "127.0.0.1:50051");
const token = (process.env.ARENA_TOKEN || "").trim();
const protos = fileURLToPath(new URL("../../proto", import.meta.url));
const { arena } = grpc.loadPackageDefinition(
  loadSync("arena/v1/referee.proto", { includeDirs: [protos], keepCase: true, defaults: true }),
);

// --- How it plays -------------------------------------------------------------------------------

const FACES = [1, 2, 3, 4, 5, 6];
const STAR = 6; // counts for whatever face is bet on

/** The answer to a view: everything that may be done is in its fields. */
function act(view) {
  if (!view.can_doubt) return { bet: opening(view) };
  const standing = view.bets.at(-1).bet;
  const doubt = 1 - likelihood(view, standing.face, standing.quantity);
  const bets = FACES.map((face) => ({ face, quantity: view.lowest[face - 1] }))
    .filter(({ quantity }) => quantity <= view.highest)
    .map((bet) => ({ bet, chance: likelihood(view, bet.face, bet.quantity) }));
  const best = bets.reduce((a, b) => (b.chance > a.chance ? b : a), { chance: 0 });
  return doubt >= best.chance ? { doubt: {} } : { bet: best.bet };
}

/** The highest bet that is likely enough; on the track star n lies between 2n - 1 and 2n. */
function opening(view) {
  const height = ({ face, quantity }) => (face === STAR ? 4 * quantity - 1 : 2 * quantity);
  let best = { face: 1, quantity: 1 };
  for (const face of FACES) {
    for (let quantity = 1; likelihood(view, face, quantity) >= 0.6; quantity++) {
      if (height({ face, quantity }) > height(best)) best = { face, quantity };
    }
  }
  return best;
}

/** The probability that at least `quantity` of all dice match: binomial in those it cannot see. */
function likelihood(view, face, quantity) {
  const seen = [...view.hidden_dice, ...view.face_up.flatMap(({ faces }) => faces)];
  const matching = seen.filter((die) => die === face || die === STAR).length;
  const unseen = view.dice_counts.reduce((a, b) => a + b, 0) - seen.length;
  const p = face === STAR ? 1 / 6 : 1 / 3;
  let chance = 0;
  let exactly = (1 - p) ** unseen; // the probability of `count` matches, from 0 upwards
  for (let count = 0; count <= unseen; count++) {
    if (count + matching >= quantity) chance += exactly;
    exactly *= ((unseen - count) / (count + 1)) * (p / (1 - p));
  }
  return chance;
}

// --- How it talks -------------------------------------------------------------------------------

const HOPELESS = ["UNAUTHENTICATED", "PERMISSION_DENIED", "INVALID_ARGUMENT", "ABORTED"];
const matches = new Map(); // what was offered and what we sent to join, by match
let pause = 500; // milliseconds before the next attempt to connect

/** What both ends prove to each other; the same settings as those of the Python SDK. */
function credentials() {
  if (scheme !== "https") return grpc.credentials.createInsecure();
  const read = (setting) => (process.env[setting] ? readFileSync(process.env[setting]) : null);
  const [ca, key, cert] = ["ARENA_CA", "ARENA_CLIENT_KEY", "ARENA_CLIENT_CERT"].map(read);
  return grpc.credentials.createSsl(ca, key, cert);
}

function connect() {
  const name = process.env.ARENA_SERVER_NAME; // in the certificate, if not the address's host
  const options = name ? { "grpc.ssl_target_name_override": name } : {};
  const client = new arena.v1.RefereeService(address, credentials(), options);
  const metadata = new grpc.Metadata();
  metadata.set("authorization", `Bearer ${token}`);
  const stream = client.Play(metadata);
  stream.on("data", (response) => {
    pause = 500;
    const request = reply(response);
    if (request.joins.length || request.answers.length) stream.write(request);
  });
  stream.on("error", () => {}); // the status says it all
  stream.on("status", ({ code, details }) => {
    client.close();
    if (HOPELESS.includes(grpc.status[code])) {
      console.error(`The referee ended it: ${details}`);
      process.exit(2);
    }
    // Opening the stream again resumes: the referee sends all running matches and open turns.
    const wait = pause * (0.5 + Math.random() / 2);
    pause = Math.min(2 * pause, 30_000);
    console.error(`Not connected (${details || "stream closed"}); again in ${Math.round(wait)} ms.`);
    setTimeout(connect, wait);
  });
  stream.write({
    hello: { protocol_version: 1, games: ["bluff"], max_matches: 16, client: "sample bot.js" },
  });
}

/** Everything there is to say to a response, in one message. */
function reply({ welcome, offers, turns, refusals, withdrawals, ends }) {
  if (welcome) console.error(`Connected as ${welcome.entrant.bot} ${welcome.entrant.version}.`);
  const joins = offers.map(({ match_id, seat, commitment }) => {
    const entropy = randomBytes(16); // our part of the dealing
    matches.set(match_id, { seat, commitment, entropy });
    return { match_id, entropy };
  });
  const answers = turns.map(({ match_id, turn_number, view }) => ({
    match_id,
    turn_number,
    action: { bluff: act(view.bluff) },
  }));
  for (const { match_id, reason, legal } of refusals) {
    console.error(`Fault in match ${match_id}: ${reason} ${legal}`);
  }
  for (const { match_id } of withdrawals) matches.delete(match_id);
  for (const { match_id, transcript } of ends) {
    check(match_id, transcript);
    matches.delete(match_id);
  }
  return { joins, answers };
}

/** Was the match dealt from the secret promised, and with our entropy? */
function check(match_id, { secret, entropies }) {
  const joined = matches.get(match_id);
  if (!joined) return; // an earlier run of this program joined it
  const promised = createHash("sha256").update(secret).digest().equals(joined.commitment);
  if (!promised || !joined.entropy.equals(entropies[joined.seat])) {
    console.error(`MATCH ${match_id} WAS NOT DEALT AS PROMISED`);
  }
}

if (!token) {
  console.error("Set ARENA_TOKEN to the bot's token (`arena bot register` prints it).");
  process.exit(2);
}
process.on("SIGINT", () => process.exit(0));
connect();
