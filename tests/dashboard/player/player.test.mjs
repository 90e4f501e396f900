/** The parts of the player that need no page. Run by tests/dashboard/test_player.py. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateSync } from "node:zlib";

const assets = new URL("../../../dashboard/arena_dashboard/player/assets/", import.meta.url);
/** @param {string} name */
const module = (name) => import(new URL(name, assets).href);

const { Playback, SPEEDS, firstClaim, roundStarts } = await module("playback.js");
const { searchFor, stepOf, isEmbedded } = await module("address.js");
const { keyAction } = await module("keys.js");
const { PersonTable } = await module("person.js");
const { merged, unpack } = await module("packed.js");
const { layout, drawTable, inWords, loadGame } = await module("table.js");
const { percent, shortName, signed, tagsOf, viewpoints, withShortNames } = await module("words.js");
const { tag, text, fitted, fittedName } = await module("svg.js");
const { seriesOf } = await module("chart.js");
const { chancesToWin, costliest } = await module("analysis.js");
const { counts } = await module("games/bluff.js");
await loadGame("bluff");

// Steps 0, 1, 3, 4, ... : step 2 showed the viewpoint nothing.
const FRAMES = [0, 1, 1, 1, 2, 2, 3].map((round, index) => ({
  round,
  step: index + Number(index > 1),
}));

test("twenty moves are twenty moments, and the ends hold", () => {
  const playback = new Playback(Array.from({ length: 30 }, (_, step) => ({ step, round: 1 })));
  for (let press = 0; press < 20; press++) playback.move(1);
  assert.equal(playback.at, 20);
  playback.move(99);
  assert.equal(playback.at, 29);
  playback.move(-99);
  assert.equal(playback.at, 0);
});

test("a step that showed nothing leads to the moment before it", () => {
  const playback = new Playback(FRAMES);
  for (const [step, at] of [
    [0, 0],
    [1, 1],
    [2, 1],
    [3, 2],
    [999, 6],
  ]) {
    playback.seekStep(step);
    assert.equal(playback.at, at, `step ${step}`);
  }
});

test("who names no step begins at the first claim, or where there is none at the beginning", () => {
  const claim = { seat: 0 };
  assert.equal(firstClaim({ frames: [null, null, claim, claim].map((one) => ({ claim: one })) }), 2);
  assert.equal(firstClaim({ frames: [{ claim: null }, { claim: null }] }), 0);
});

test("rounds are gone through by their first moments", () => {
  assert.deepEqual(roundStarts(FRAMES), [0, 1, 4, 6]);
  const playback = new Playback(FRAMES);
  const seen = [1, 1, 1, 1].map((by) => (playback.moveRound(by), playback.at));
  assert.deepEqual(seen, [1, 4, 6, 6]);
  playback.move(-1);
  playback.moveRound(-1);
  assert.equal(playback.at, 4, "first to the beginning of this round");
});

test("playing goes as fast as it says, whatever the frames of the screen are", () => {
  const frames = Array.from({ length: 1001 }, (_, step) => ({ step, round: 1 }));
  for (const speed of SPEEDS) {
    const playback = new Playback(frames);
    playback.toggle();
    playback.speed = speed;
    for (let frame = 0; frame < 600; frame++) playback.pass(1000 / 60);
    assert.ok(Math.abs(playback.at - 10 * speed) <= 1, `${speed}: ${playback.at}`);
  }
});

test("playing stops at the end, begins again from there, and loops if asked", () => {
  const playback = new Playback(FRAMES);
  playback.toggle();
  playback.pass(100_000);
  assert.equal(playback.at, 6);
  assert.equal(playback.playing, false);
  playback.toggle();
  assert.equal(playback.at, 0);
  playback.loop = true;
  playback.pass(100_000);
  assert.equal(playback.at, 6, "the last moment is shown first");
  playback.pass(1000);
  assert.equal(playback.at, 0);
  assert.equal(playback.playing, true);
});

test("a move ends playing, and paused time does nothing", () => {
  const playback = new Playback(FRAMES);
  playback.toggle();
  playback.move(1);
  assert.equal(playback.pass(5000), false);
  assert.equal(playback.at, 1);
});

test("speeds end at both ends and go round by clicks", () => {
  const playback = new Playback(FRAMES);
  for (const _ of SPEEDS) playback.changeSpeed(1);
  assert.equal(playback.speed, SPEEDS.at(-1));
  playback.cycleSpeed();
  assert.equal(playback.speed, SPEEDS[0]);
  playback.changeSpeed(-1);
  assert.equal(playback.speed, SPEEDS[0]);
});

test("an address keeps what is not the player's", () => {
  const search = searchFor("?embed=1&step=9", { match: "m", step: 3, view: "0" });
  assert.equal(search, "?embed=1&step=3&match=m&view=0");
  assert.equal(stepOf(search), 3);
  assert.ok(isEmbedded(search));
  const place = { match: "m", step: 3, view: "0" };
  const analysed = searchFor(search, { ...place, analysed: true });
  assert.equal(analysed, `${search}&analysis=1`);
  assert.equal(searchFor(analysed, place), analysed, "the next match is analysed too");
  assert.equal(searchFor(analysed, { ...place, analysed: false }), search);
  for (const wrong of ["", "?step=no", "?step=-3", "?step=1.5", "?step="])
    assert.equal(stepOf(wrong), null);
  assert.equal(searchFor("?step=9", { match: "m", view: "0" }), "?match=m&view=0");
});

/** @param {string} key @param {object} [more] */
const press = (key, more = {}) => ({
  key,
  shiftKey: false,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  composedPath: () => [{ tagName: "BODY" }],
  ...more,
});

test("keys do what the help says", () => {
  assert.deepEqual(keyAction(press("ArrowLeft"), 4), { name: "move", by: -1 });
  assert.deepEqual(keyAction(press("ArrowRight", { shiftKey: true }), 4), { name: "round", by: 1 });
  assert.deepEqual(keyAction(press("2"), 4), { name: "view", view: "1" });
  assert.deepEqual(keyAction(press("0"), 4), { name: "view", view: "everything" });
  assert.deepEqual(keyAction(press("?", { shiftKey: true }), 4), { name: "help" });
  assert.equal(keyAction(press("5"), 4), null, "there is no fifth seat");
  assert.equal(keyAction(press("x"), 4), null);
});

test("keys of the browser and of fields stay theirs", () => {
  assert.equal(keyAction(press("ArrowLeft", { altKey: true }), 4), null);
  assert.equal(keyAction(press("l", { ctrlKey: true }), 4), null);
  const inside = (/** @type {object} */ element) => ({ composedPath: () => [element] });
  assert.equal(keyAction(press("1", inside({ tagName: "INPUT", type: "text" })), 4), null);
  assert.equal(keyAction(press(" ", inside({ tagName: "BUTTON" })), 4), null);
  const range = inside({ tagName: "INPUT", type: "range" });
  assert.deepEqual(keyAction(press("ArrowRight", range), 4), { name: "move", by: 1 });
});

test("a control that has the focus keeps its keys while a person plays", () => {
  /** Press a key on an element while an action is prepared. @param {string} tagName @param {string} key */
  const played = (tagName, key, classes = "") => {
    /** @type {string[]} */
    const keys = [];
    const choices = { place: { hidden: false }, key: (/** @type {string} */ one) => keys.push(one) };
    const element = { tagName, classList: { contains: (/** @type {string} */ one) => one === classes } };
    const event = press(key, { composedPath: () => [element], preventDefault: () => {} });
    PersonTable.prototype.pressed.call({ shownAll: true, choices }, event);
    return keys.length > 0;
  };
  for (const name of ["SUMMARY", "SELECT", "BUTTON", "A", "INPUT"])
    assert.equal(played(name, "Enter"), false, name);
  assert.equal(played("SELECT", "1"), false);
  assert.equal(played("BODY", "Enter"), true);
  assert.equal(played("BODY", "1"), true);
  assert.equal(played("BUTTON", "Enter", "choice"), true);
});

test("frames are put together from their changes", async () => {
  const frames = [
    { step: 0, claim: null, table: { seats: { 0: { n: 1 }, 1: { n: 2 } }, laid: [1, 2] } },
    { step: 1, claim: { seat: 0 }, table: { seats: { 1: { n: 3 } }, laid: [] } },
    { step: 2, claim: null },
  ];
  const match = await unpack(deflateSync(JSON.stringify({ frames })));
  assert.deepEqual(match.frames[2], {
    step: 2,
    claim: null,
    table: { seats: { 0: { n: 1 }, 1: { n: 3 } }, laid: [] },
  });
  assert.deepEqual(merged({ a: 1 }, { a: { b: 2 } }), { a: { b: 2 } });
});

test("seats never cover each other or the middle, at any width", () => {
  for (const width of [280, 340, 600, 1100])
    for (let seats = 2; seats <= 10; seats++) {
      const made = layout(width, seats, 90, 120);
      const areas = [...made.seats, made.middle];
      assert.equal(made.seats.length, seats);
      for (const [index, one] of areas.entries()) {
        assert.ok(one.x >= 0 && one.x + one.width <= width + 0.01, `${width} ${seats}`);
        assert.ok(one.y >= 0 && one.y + one.height <= made.height + 0.01);
        for (const other of areas.slice(index + 1))
          assert.ok(
            one.x + one.width <= other.x + 0.01 ||
              other.x + other.width <= one.x + 0.01 ||
              one.y + one.height <= other.y + 0.01 ||
              other.y + other.height <= one.y + 0.01,
            `${width} ${seats}`,
          );
      }
    }
});

/** @param {object} [changes] */
function bluffMatch(changes = {}) {
  const seat = {
    note: "2 dice",
    out: false,
    act: false,
    role: "",
    lost: 0,
    cup: true,
    dice: [3, 6],
    hidden: 0,
    up: [],
  };
  return {
    match: "m",
    game: "bluff",
    title: "Bluff",
    view: "everything",
    names: ["<b>&", "other"],
    bots: ["a", "b"],
    unit: "dice",
    scoreUnit: "dice left",
    roundWord: "Round",
    result: {
      placing: [1, 2],
      scores: null,
      faults: [0, 0],
      forfeited: [false, false],
      byFaults: false,
    },
    luck: null,
    analysable: true,
    analysed: false,
    broken: null,
    doubt: null,
    signedBy: null,
    previous: null,
    next: null,
    frames: [
      {
        step: 4,
        round: 1,
        told: ["x"],
        marks: ["bluff"],
        standing: [2, 2],
        luck: [],
        decision: null,
        claim: { seat: 0, text: "4 × 3", chances: [0.25, 0.004], truth: "3", verdict: "bluff" },
        table: {
          facts: [],
          face: 3,
          bets: [[0, 4, 3]],
          seats: { 0: seat, 1: { ...seat, dice: [3, 1], act: true } },
        },
      },
    ],
    ...changes,
  };
}

test("the table shows claim, truth, verdict and every seat's probability; names stay text", () => {
  const { inner, words } = drawTable(bluffMatch(), 0, 700);
  for (const shown of ["truth", ">3<", ">bluff<", "P(true) 25 %", "P(true) &lt;1 %", "to act"])
    assert.ok(inner.includes(shown), shown);
  assert.ok(!inner.includes("<b>") && inner.includes("&lt;b&gt;"));
  assert.equal(
    inner.match(/class="die lit/g)?.length ?? inner.match(/lit/g)?.length,
    3,
    "dice that count",
  );
  assert.equal(words, inWords(bluffMatch(), bluffMatch().frames[0]));
  assert.ok(words.includes("claims 4 × 3; truth 3; bluff"));
});

test("a table is as high for every moment of a match", () => {
  const match = bluffMatch();
  match.frames.push({ ...match.frames[0], claim: /** @type {any} */ (null) });
  assert.equal(drawTable(match, 0, 400).height, drawTable(match, 1, 400).height);
});

test("a die counts for its face, and a star for every face", () => {
  assert.deepEqual(
    [counts(3, 3), counts(6, 3), counts(2, 3), counts(6, 6), counts(5, 6), counts(6, 0)],
    [true, true, false, true, false, false],
  );
});

test("a probability is never rounded to certainty", () => {
  assert.deepEqual([0, 0.001, 0.456, 0.999, 1].map(percent), [
    "0 %",
    "<1 %",
    "46 %",
    ">99 %",
    "100 %",
  ]);
  assert.deepEqual([signed(-0.125), signed(0)], ["−0.13", "+0.00"]);
});

test("an answer is one tag: a doubt or a belief, right or wrong", () => {
  assert.deepEqual(tagsOf(["showdown", "doubt", "wrong"]), [["doubt wrong", "bad"]]);
  assert.deepEqual(tagsOf(["showdown", "right"]), [["belief right", "good"]]);
  assert.deepEqual(tagsOf(["exact", "fault"]), [
    ["exact hit", "good"],
    ["fault", "bad"],
  ]);
  assert.deepEqual(viewpoints(2), ["everything", "spectator", "0", "1"]);
});

test("text becomes markup only through a tag, and fits its room", () => {
  assert.equal(
    text(tag("b", { title: '"' }, "<&", tag("i", {}, "x"), null, false)),
    '<b title="&quot;">&lt;&amp;<i>x</i></b>',
  );
  assert.equal(fitted("short", 400, 12), "short");
  assert.ok(fitted("a-name-of-some-thirty-letters", 60, 12).endsWith("…"));
});

test("a long name is cut where names of one author are the same", () => {
  assert.equal(shortName("sixteen-letters!"), "sixteen-letters!");
  assert.equal(shortName("my-bot-for-the-cup-1"), "my-bot-for…cup-1");
  assert.notEqual(fittedName("my-bot-for-the-cup-1", 60, 12), fittedName("my-bot-for-the-cup-2", 60, 12));
  assert.equal(shortName("name", 1), "n…");
  const names = ["my-bot-for-the-cup", "my-bot-for-the-cup-2", "$& is no pattern at all"];
  assert.equal(
    withShortNames(`${names[1]} doubts ${names[0]}; ${names[2]}: ${names[0]}.`, names),
    "my-bot-for…cup-2 doubts my-bot-for…e-cup; $& is no p…t all: my-bot-for…e-cup.",
  );
});

test("the chart has what each seat has, and its luck so far", () => {
  const [frame] = bluffMatch().frames;
  const match = bluffMatch({
    frames: [{ ...frame, luck: [0.5, -0.5] }, frame, { ...frame, luck: [0.25, -0.25] }],
  });
  const [standing, luck] = seriesOf(match);
  assert.deepEqual(standing, {
    name: "dice",
    values: [
      [2, 2, 2],
      [2, 2, 2],
    ],
  });
  assert.deepEqual(luck.values, [
    [0.5, 0.5, 0.75],
    [-0.5, -0.5, -0.75],
  ]);
  assert.equal(seriesOf(bluffMatch()).length, 1);
});

test("an analysed match has each seat's chance to win as it saw it, and the decision of the match", () => {
  const [frame] = bluffMatch().frames;
  const decided = (seat, win, loss, forced = false) => ({
    ...frame,
    decision: { seat, action: "1 × 2", forced, win, loss, grade: "best", better: null },
  });
  const frames = [frame, decided(0, 0.75, 0.01), decided(0, 0.5, 0.2, true), decided(0, 0.25, 0.1), frame];
  const match = bluffMatch({ frames, analysed: true });
  assert.deepEqual(chancesToWin(match), [[50, 75, 50, 25, 100], []]);
  assert.equal(costliest(match), 3, "an action that was played for a seat is not its decision");
  assert.equal(costliest(bluffMatch()), -1);
  assert.deepEqual(
    seriesOf(match).map(({ name }) => name),
    ["dice", "chance to win"],
  );
});

test("a game without a module of its own is drawn in words", async () => {
  await loadGame("no_such_game");
  const seats = Object.fromEntries([0, 1].map((seat) => [seat, { note: "", out: false, act: seat === 1, role: "" }]));
  const frame = { step: 1, round: 0, told: [], marks: [], claim: null, standing: [], luck: [], table: { facts: ["card: <3>"], seats } };
  const match = { ...bluffMatch(), game: "no_such_game", names: ["a", "b"], frames: [frame] };
  const { inner } = drawTable(match, 0, 700);
  assert.match(inner, /card: &lt;3&gt;/);
  assert.match(inner, /seat acting/);
  assert.deepEqual(seriesOf(match), []);
});
