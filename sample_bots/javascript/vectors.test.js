// The bot and the check of the dealing against the test vectors.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";

import { Bot } from "./bot.js";
import { RefereeService } from "./connection.js";
import { dealingError, Draws, matchKey } from "./dealing.js";

/** A file of the vectors, which lie here (arena new-bot) or beside this folder. */
function read(name) {
  const places = ["./vectors/", "../vectors/"].map((at) => new URL(at + name, import.meta.url));
  return readFileSync(
    places.find((place) => existsSync(place)),
    "utf-8",
  );
}

const lines = (name) =>
  read(name)
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

/** A response from its JSON form, as it arrives. */
function received(response) {
  const { responseSerialize, responseDeserialize } = RefereeService.service.Play;
  return responseDeserialize(responseSerialize(response));
}

const action = (json) => received({ refusals: [{ played: json }] }).refusals[0].played;

test("draws follow from the opening", () => {
  for (const vector of JSON.parse(read("draws.json"))) {
    const secret = Buffer.from(vector.secret, "hex");
    assert.equal(createHash("sha256").update(secret).digest("hex"), vector.commitment);
    const entropies = vector.entropies.map((entropy) => Buffer.from(entropy, "hex"));
    const key = matchKey(secret, vector.match_id, entropies);
    assert.equal(key.toString("hex"), vector.match_key);
    const draws = new Draws(key);
    for (const { key, bound, result } of vector.draws)
      assert.equal(draws.below(key, bound), result);
    for (const { key, count, order } of vector.shuffles) {
      assert.deepEqual(draws.shuffled(key, [...Array(count).keys()]), order);
    }
  }
});

test("matches are dealt as promised", () => {
  for (const { message } of lines("matches.jsonl")) {
    assert.equal(
      dealingError(received({ ends: [{ transcript: message }] }).ends[0].transcript),
      undefined,
    );
  }
});

test("tampering is noticed", () => {
  for (const { changed, message } of lines("tampered.jsonl")) {
    assert(dealingError(received({ ends: [{ transcript: message }] }).ends[0].transcript), changed);
  }
});

for (const game of ["bluff", "bluff_you", "bloeff"]) {
  test(`turns of ${game} are answered as the honest bot does`, () => {
    for (const { options, turns } of lines(`turns_${game}.jsonl`)) {
      for (const { seat, view, answers } of turns) {
        const offer = received({ offers: [{ options, seat }] }).offers[0];
        const turn = received({ turns: [{ view }] }).turns[0];
        const answer = action(new Bot(offer).act(turn));
        assert(
          answers.some((good) => isDeepStrictEqual(answer, action(good))),
          `${JSON.stringify(answer)} is not among ${JSON.stringify(answers)} for ${JSON.stringify(view)}`,
        );
      }
    }
  });
}
