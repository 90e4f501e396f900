/** A swipe to the left is one step on, to the right one back; up and down scroll the page. */

const LEAST = 40;

/** @param {SVGElement} place @param {(by: number) => void} move */
export function onSwipe(place, move) {
  let start = { x: 0, y: 0 };
  place.addEventListener(
    "touchstart",
    ({ touches: [touch] }) => {
      start = { x: touch.clientX, y: touch.clientY };
    },
    { passive: true },
  );
  place.addEventListener("touchend", ({ changedTouches: [touch] }) => {
    const across = touch.clientX - start.x;
    if (Math.abs(across) > LEAST && Math.abs(across) > Math.abs(touch.clientY - start.y))
      move(across < 0 ? 1 : -1);
  });
}
