/** The keys of the page for a projector. Run by tests/dashboard/test_player.py. */

import assert from "node:assert/strict";
import { test } from "node:test";

const browser = new URL("../../../dashboard/arena_dashboard/browser/", import.meta.url);
const { key } = await import(new URL("projector.js", browser).href);

test("F fills the screen, also with Shift or Caps Lock, and the browser keeps its Ctrl+F", () => {
  let filled = 0;
  const documentElement = { requestFullscreen: async () => void (filled += 1) };
  const page = { fullscreenElement: null, documentElement, querySelectorAll: () => [] };
  Object.assign(globalThis, { document: page });
  for (const pressed of ["f", "F"]) key({ key: pressed });
  assert.equal(filled, 2);
  key({ key: "f", ctrlKey: true });
  key({ key: "x" });
  assert.equal(filled, 2);
});
