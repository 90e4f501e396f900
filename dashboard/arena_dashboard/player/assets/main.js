/** Where Streamlit begins: it calls the default export when the page or its data changes. */

import { Player } from "./player.js";

/** @typedef {import("./types.js").Component} Component */

/** @type {WeakMap<HTMLElement|ShadowRoot, Player>} */
const players = new WeakMap();

/** @param {Component} component */
export default function main(component) {
  const root = component.parentElement;
  const player = players.get(root) ?? new Player(root);
  players.set(root, player);
  void player.receive(component);
  const { received } = player;
  return () => {
    // Streamlit also ends a call that a newer one with other data has overtaken.
    if (player.received !== received) return;
    player.close();
    players.delete(root);
  };
}
